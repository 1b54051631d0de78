import { openElsewhere, type Runtime } from './elsewhere.ts'

export const runtime: Runtime = {
  variable: 'DENO',
  path: 'deno/node_modules/.bin/deno',
  args: ['run', '--allow-all', '--no-check', '--conditions=duet-source', '--node-modules-dir=manual'],
}
export const open = openElsewhere(runtime, 'deno')
