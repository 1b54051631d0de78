// Where the package itself is, whether its modules are the sources or the chunks of the build.

import { extname } from 'node:path'

const { url } = import.meta
const [, root, folder] = /^(.+\/)(src|dist)\//.exec(url) ?? [url, url, 'dist']

export const ownRoot = new URL('./', root)

/** A file of `src/`, or its copy in `dist/`. */
export const ownFile = (path: string): URL => new URL(`${folder}/${path}`, ownRoot)

/** A module that is loaded by its address. `path` has no ending. */
export const ownModule = (path: string): URL => ownFile(path + extname(url))
