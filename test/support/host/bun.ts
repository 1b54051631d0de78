// Bun as a host.

import { openElsewhere, type Runtime } from './elsewhere.ts'

export const runtime: Runtime = {
  host: 'bun',
  path: 'node_modules/@oven/*/bin/bun',
  args: ['--conditions=duet-source'],
}
export const open = openElsewhere(runtime)
