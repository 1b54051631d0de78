// Hosts that are too large for `npm ci`, from the same registry as everything else.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../process/command.ts'
import { fetchPackages, packageCache, withoutPackages } from '../process/fetched-packages.ts'

/** Each with the packages that it is made of. Their versions are those of its example, the oldest that it admits. */
const packages = { bun: ['bun'], deno: ['deno'], next: ['next', 'react', 'react-dom'] } as const

export type FetchedHost = keyof typeof packages
export const fetchedHosts = Object.keys(packages) as readonly FetchedHost[]

/** Where a host is, once it has been fetched: a folder with `node_modules`. */
export const folderOf = (host: FetchedHost): string => join(packageCache, 'hosts', host)

/** Why tests with this host are left out. Each has 100 to 350 MB. */
export const withoutHost = (host: FetchedHost): string | false => withoutPackages(folderOf(host), 'HOSTS')

/** Fetches a host where it is missing. */
export const fetchHost = (host: FetchedHost): Promise<void> => fetchPackages(folderOf(host), packagesOf(host))

function packagesOf(host: FetchedHost): readonly string[] {
  const path = join(repository, 'examples/embedding', host, 'package.json')
  const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'))
  const versions: Readonly<Record<string, string>> = { ...devDependencies, ...dependencies }
  return packages[host].map((name) => `${name}@${versions[name]!.replace('^', '')}`)
}
