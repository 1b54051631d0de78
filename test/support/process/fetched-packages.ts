// Packages that are too large for `npm ci`, from the same registry as everything else, in folders of their own.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { repository } from './command.ts'
import { runProcess } from './run-process.ts'

/** Where fetched packages stay. */
export const packageCache = join(repository, 'node_modules/.cache')

/** Why tests with these packages are left out: they are fetched by CI only, where `variable` asks for all, or where they are there already. */
export const withoutPackages = (folder: string, variable: string): string | false =>
  process.env['CI'] === 'true' || process.env[variable] === 'all' || existsSync(folder)
    ? false
    : `CI runs it, and ${variable}=all fetches it`

/** Fetches packages, each with its version, into a folder with `node_modules` where it is missing. None of their scripts runs. */
export async function fetchPackages(folder: string, packages: readonly string[]): Promise<void> {
  if (existsSync(folder)) return
  await mkdir(dirname(folder), { recursive: true })
  const fetching = await mkdtemp(join(dirname(folder), 'fetching-'))
  await writeFile(join(fetching, 'package.json'), '{ "private": true, "type": "module" }')
  const install = ['install', '--ignore-scripts', '--no-save', ...packages]
  const { printed, code } = await runProcess('npm', install, fetching)
  if (code !== 0) throw new Error(printed)
  await rename(fetching, folder)
}
