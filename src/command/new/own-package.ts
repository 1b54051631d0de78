// The package as new projects depend on it.

import { readFile, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownRoot } from '../../dependency/own-package.ts'

type Versions = Readonly<Record<string, string>>
export interface OwnPackage {
  readonly name: string
  readonly version: string
  readonly engines: object
  readonly peerDependencies: Versions
  readonly devDependencies: Versions
}

export const readOwnPackage = (): Promise<OwnPackage> => readManifest<OwnPackage>(fileURLToPath(ownRoot))

/** The version to depend on; or the archive it was installed from, as before the first release. */
export async function specifierFor(folder: string, { name, version }: OwnPackage): Promise<string> {
  for (let above = dirname(fileURLToPath(ownRoot)); above !== dirname(above); above = dirname(above)) {
    const { dependencies, devDependencies } = await readManifest<Partial<Dependent>>(above).catch(() => ({}) as never)
    const specifier = { ...devDependencies, ...dependencies }[name]
    const [, archive] = /^file:(.+\.tgz)$/.exec(specifier ?? '') ?? []
    if (archive !== undefined) return `file:${await pathTo(resolve(above, archive), folder)}`
    if (specifier !== undefined) break
  }
  return `^${version}`
}
interface Dependent {
  readonly dependencies: Versions
  readonly devDependencies: Versions
}

const readManifest = async <T>(folder: string): Promise<T> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as T

const pathTo = async (file: string, folder: string): Promise<string> =>
  relative(await realpath(folder), await realpath(file)).replaceAll(sep, '/')
