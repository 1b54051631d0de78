// Deno as a host.

import { openElsewhere, type Runtime } from './elsewhere.ts'

export const runtime: Runtime = {
  host: 'deno',
  path: 'node_modules/@deno/*/deno',
  args: ['run', '--allow-all', '--no-check', '--conditions=duet-source', '--node-modules-dir=manual'],
}
export const open = openElsewhere(runtime)
