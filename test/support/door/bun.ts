import { openElsewhere, type Runtime } from './elsewhere.ts'

export const runtime: Runtime = {
  variable: 'BUN',
  path: 'bun/node_modules/bun/bin/bun.exe',
  args: ['--conditions=duet-source'],
}
export const open = openElsewhere(runtime, 'bun')
