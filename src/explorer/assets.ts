// The files of the developer pages: a fixed list, so that no other path is accessible.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPackageJSON, stripTypeScriptTypes } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getOrInsert } from '../cache/get-or-insert.ts'
import { ownFile, ownRoot } from '../dependency/own-package.ts'
import { bodyETag } from '../http/message/conditional.ts'
import type { Reply } from '../http/message/exchange.ts'

interface Asset {
  readonly package: string | null
  /** The package whose dependencies include this one. */
  readonly beside?: string | undefined
  readonly file: string
}
/** `.js` in the build, `.ts` in the sources. */
const ending = extname(import.meta.filename)
/** A module loaded with its imports, without a bundler. */
const moduleFile = (name: string): readonly [address: string, Asset] => [
  `${name}.js`,
  { package: null, file: name + ending },
]
const from = (name: string, file: string, beside?: string): Asset => ({ package: name, file, beside })

const assets: Readonly<Record<string, Asset>> = {
  ...Object.fromEntries(
    ['explorer.css', 'sign-in.js', 'overview.css', 'overview.js', 'rest.css', 'rest.js']
      .concat('graphiql.css', 'accessible.js', 'graphiql.js')
      .map((file): [string, Asset] => [file, { package: null, file: `explorer/browser/${file}` }]),
  ),
  'swagger-ui.css': from('swagger-ui-dist', 'swagger-ui.css'),
  'swagger-ui-bundle.js': from('swagger-ui-dist', 'swagger-ui-bundle.js'),
  'graphiql.min.css': from('graphiql', 'graphiql.min.css'),
  'graphiql.min.js': from('graphiql', 'graphiql.min.js'),
  'react.min.js': from('react', 'umd/react.production.min.js', 'graphiql'),
  'react-dom.min.js': from('react-dom', 'umd/react-dom.production.min.js', 'graphiql'),
  'graphql-ws.min.js': from('graphql-ws', 'umd/graphql-ws.min.js'),
  ...Object.fromEntries(
    ['answer', 'error', 'login', 'passkey', 'send', 'session', 'storage', 'surroundings', 'tab-storage', 'wire-form']
      .map((name) => `client/send/${name}`)
      .concat('resource/naming/casing', 'resource/naming/plural')
      .map(moduleFile),
  ),
}
export interface Assets {
  reply(name: string): Promise<Reply | null>
  /** Packages that are not installed, or lack these files, in the form of `npm install`. */
  missing(names: readonly string[]): Promise<readonly string[]>
}

export function createAssets(): Assets {
  const read = new Map<string, Promise<CachedFile>>()
  return {
    async reply(name) {
      const asset = Object.hasOwn(assets, name) ? assets[name]! : null
      if (asset === null || !isThere(asset)) return null
      // Files change only with their packages.
      const { body, etag } = await getOrInsert(read, name, () => readBody(pathOf(asset)!).then(cachedFile))
      const headers = {
        'Content-Type': typeOf(name),
        'Cache-Control': asset.package === null ? 'public, no-cache' : 'public, max-age=3600',
        ETag: etag,
      }
      return { status: 200, headers, body }
    },
    async missing(names) {
      const absent = names.map((name) => assets[name]!).filter((asset) => !isThere(asset))
      if (absent.length === 0) return []
      const manifest = JSON.parse(await readFile(new URL('package.json', ownRoot), 'utf8'))
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

/** Strips types for the browser. */
async function readBody(path: string): Promise<Uint8Array> {
  if (!path.endsWith('.ts')) return readFile(path)
  const script = stripTypeScriptTypes(await readFile(path, 'utf8'))
  return Buffer.from(script.replaceAll(/( from '\.[^']+)\.ts'/g, "$1.js'"))
}

const typeOf = (name: string): string => `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`

function pathOf({ package: name, file, beside }: Asset): string | null {
  if (name === null) return fileURLToPath(ownFile(file))
  const folder = folderOf(name, beside)
  return folder === null ? null : join(folder, file)
}

/** Independent of the package's exports; null if it is not installed. */
function folderOf(name: string, beside?: string): string | null {
  const base = beside === undefined ? import.meta.filename : folderOf(beside)
  if (base === null) return null
  try {
    const manifest = findPackageJSON(name, beside === undefined ? base : join(base, 'package.json'))
    return manifest === undefined ? null : dirname(manifest)
  } catch {
    // The optional package is not installed.
    return null
  }
}
