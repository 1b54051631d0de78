// The files that the pages for developers are made of: a fixed list, so that no path leads anywhere else.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPackageJSON, stripTypeScriptTypes } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { getOrInsert } from '../cache/get-or-insert.ts'
import { bodyETag, matchesNone } from '../http/message/conditional.ts'
import type { Reply } from '../http/message/exchange.ts'

interface Asset {
  /** Null for a file of ours. */
  readonly package: string | null
  /** Where the package is to be looked for: beside this one, which needs it. */
  readonly beside?: string
  readonly file: string
}
const own = (file: string): Asset => ({ package: null, file: join('browser', file) })
/** The ending of modules here: that of the build, or of the sources. */
const ending = extname(import.meta.filename)
/** A module that pages load as it was built, with the modules that it imports beside it: no bundler is needed. */
const ownModule = (name: string): readonly [address: string, Asset] => [
  `${name}.js`,
  { package: null, file: join('..', name + ending) },
]
const from = (name: string, file: string, beside?: string): Asset => ({
  package: name,
  file,
  ...(beside === undefined ? {} : { beside }),
})

/** By what follows `/docs/assets/` in their address. */
const assets: Readonly<Record<string, Asset>> = {
  'explorer.css': own('explorer.css'),
  'sign-in.js': own('sign-in.js'),
  'overview.css': own('overview.css'),
  'overview.js': own('overview.js'),
  'rest.css': own('rest.css'),
  'rest.js': own('rest.js'),
  'graphiql.css': own('graphiql.css'),
  'accessible.js': own('accessible.js'),
  'graphiql.js': own('graphiql.js'),
  'swagger-ui.css': from('swagger-ui-dist', 'swagger-ui.css'),
  'swagger-ui-bundle.js': from('swagger-ui-dist', 'swagger-ui-bundle.js'),
  'graphiql.min.css': from('graphiql', 'graphiql.min.css'),
  'graphiql.min.js': from('graphiql', 'graphiql.min.js'),
  'react.min.js': from('react', 'umd/react.production.min.js', 'graphiql'),
  'react-dom.min.js': from('react-dom', 'umd/react-dom.production.min.js', 'graphiql'),
  'graphql-ws.min.js': from('graphql-ws', 'umd/graphql-ws.min.js'),
  ...Object.fromEntries(
    ['answer', 'error', 'send', 'session', 'storage', 'surroundings', 'tab-storage', 'wire-form']
      .map((name) => `client/${name}`)
      .concat('resource/naming/casing')
      .map(ownModule),
  ),
}
export interface Assets {
  /** The reply with this file, or 304; null where there is none of that name. */
  reply(name: string, ifNoneMatch: string | undefined): Promise<Reply | null>
  /** The packages of these files that are not installed, or not in a version that has them, as npm would be asked. */
  missing(names: readonly string[]): Promise<readonly string[]>
}

export function createAssets(): Assets {
  const read = new Map<string, Promise<CachedFile>>()
  return {
    async reply(name, ifNoneMatch) {
      const asset = Object.hasOwn(assets, name) ? assets[name]! : null
      if (asset === null || !isThere(asset)) return null
      // Read when it is first asked for, and kept: these files change only with their packages.
      const { body, etag } = await getOrInsert(read, name, () => readBody(pathOf(asset)!).then(cachedFile))
      const headers = {
        'Content-Type': typeOf(name),
        'Cache-Control': asset.package === null ? 'public, no-cache' : 'public, max-age=3600',
        ETag: etag,
      }
      return ifNoneMatch !== undefined && matchesNone(ifNoneMatch, etag)
        ? { status: 304, headers, body: null }
        : { status: 200, headers, body }
    },
    async missing(names) {
      const absent = names.map((name) => assets[name]!).filter((asset) => !isThere(asset))
      if (absent.length === 0) return []
      const manifest = JSON.parse(await readFile(findPackageJSON('.', import.meta.url)!, 'utf8'))
      const packages = new Set(absent.map(({ package: name, beside }) => beside ?? name!))
      return [...packages].map((name) => `${name}@${manifest.peerDependencies[name]}`)
    },
  }
}

function isThere(asset: Asset): boolean {
  const path = pathOf(asset)
  return path !== null && existsSync(path)
}

interface CachedFile {
  readonly body: Uint8Array
  readonly etag: string
}
const cachedFile = (body: Uint8Array): CachedFile => ({ body, etag: bodyETag(body) })

/** As a browser can run it. */
async function readBody(path: string): Promise<Uint8Array> {
  if (!path.endsWith('.ts')) return readFile(path)
  const script = stripTypeScriptTypes(await readFile(path, 'utf8'))
  return Buffer.from(script.replaceAll(/( from '\.[^']+)\.ts'/g, "$1.js'"))
}

const typeOf = (name: string): string => `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`

function pathOf({ package: name, file, beside }: Asset): string | null {
  if (name === null) return join(import.meta.dirname, file)
  const folder = folderOf(name, beside)
  return folder === null ? null : join(folder, file)
}

/** Where a package is installed, whatever it exports; null where it is not. */
function folderOf(name: string, beside?: string): string | null {
  const base = beside === undefined ? import.meta.filename : folderOf(beside)
  if (base === null) return null
  try {
    const manifest = findPackageJSON(name, beside === undefined ? base : join(base, 'package.json'))
    return manifest === undefined ? null : dirname(manifest)
  } catch {
    // It throws where there is no such package: these are for developers, and may be left out.
    return null
  }
}
