// Hosts that are too large for `npm ci`, from the same registry as everything else.

import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repository } from '../process/command.ts'
import { runProcess } from '../process/run-process.ts'

/** Each with the packages that it is made of. Their versions are those of its example, the oldest that it admits. */
const packages = { bun: ['bun'], deno: ['deno'], next: ['next', 'react', 'react-dom'] } as const

export type FetchedHost = keyof typeof packages
export const fetchedHosts = Object.keys(packages) as readonly FetchedHost[]

const cache = join(repository, 'node_modules/.cache/hosts')

/** Where a host is, once it has been fetched: a folder with `node_modules`. */
export const folderOf = (host: FetchedHost): string => join(cache, host)

/** Why tests with this host are left out: 100 to 350 MB are fetched by CI only, or where they are fetched already. */
export const withoutHost = (host: FetchedHost): string | false =>
  process.env['CI'] === 'true' || process.env['HOSTS'] === 'all' || existsSync(folderOf(host))
    ? false
    : 'CI runs it, and HOSTS=all fetches it'

/** Fetches a host where it is missing. No script of its packages runs. */
export async function fetchHost(host: FetchedHost): Promise<void> {
  if (existsSync(folderOf(host))) return
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'fetching-'))
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const { printed, code } = await runProcess(
    'npm',
    ['install', '--ignore-scripts', '--no-save', ...packagesOf(host)],
    folder,
  )
  if (code !== 0) throw new Error(printed)
  await rename(folder, folderOf(host))
}

function packagesOf(host: FetchedHost): readonly string[] {
  const path = join(repository, 'examples/embedding', host, 'package.json')
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'))
  const versions: Readonly<Record<string, string>> = { ...devDependencies, ...dependencies }
  return packages[host].map((name) => `${name}@${versions[name]!.replace('^', '')}`)
}
