// Other versions of Node than the pinned one, from the same registry as everything else.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { repository } from './command.ts'
import { runProcess } from './run-process.ts'

/** The oldest of each line that package.json admits; the pinned one stands for the newest. */
export const olderNodes = ['v22.18.0', 'v24.0.0']

const cache = join(repository, 'node_modules/.cache/nodes')
const folderOf = (version: string) => join(cache, version, 'package/bin')

/** Why tests with these Nodes are left out: 50 MB each are fetched by CI only, or where they are fetched already. */
export const withoutNode = (version: string): string | false =>
  process.env['CI'] === 'true' || process.env['NODES'] === 'all' || existsSync(folderOf(version))
    ? false
    : 'CI runs it, and NODES=all fetches it'

/** The folder of `node`, to be put before PATH. Fetches it where it is missing. */
export async function fetchNode(version: string): Promise<string> {
  if (existsSync(folderOf(version))) return folderOf(version)
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'fetching-'))
  const steps = [
    ['npm', 'pack', '--silent', `node-${platform()}-${arch()}@${version.slice(1)}`],
    ['tar', '-xzf', `node-${platform()}-${arch()}-${version.slice(1)}.tgz`, 'package/bin/node'],
  ]
  for (const [command, ...args] of steps) {
    const { printed, code } = await runProcess(command!, args, folder)
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${printed}`)
  }
  await rename(folder, join(cache, version))
  return folderOf(version)
}
