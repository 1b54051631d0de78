// Programs of this folder as users run them, which take less memory than from the sources.

import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeChunks } from '../test/support/process/chunks.ts'

const made = new Set<string>()

/**
 * Makes the chunks of a program of this folder, or of that of another build. Returns its path: the same each time, so that Node finds
 * what it compiled.
 */
export function inChunks(program: URL): string {
  const path = fileURLToPath(program)
  const root = path.slice(0, path.lastIndexOf('/bench/') + 1)
  const name = basename(path, '.ts')
  const folder = join(root, 'node_modules/.cache/bench', name)
  if (!made.has(folder)) makeChunks(root, folder, { [name]: path })
  made.add(folder)
  return join(folder, 'dist', `${name}.js`)
}
