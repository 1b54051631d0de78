// Programs as users run them: with Duet in chunks, as its package has it, which start faster and take less memory than the sources.

import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const made = new Set<string>()

/**
 * Makes the chunks of a program of this folder, or of that of another build. Returns its path: the same each time, so that Node finds
 * what it compiled.
 */
export function inChunks(program: URL): string {
  const path = fileURLToPath(program)
  const root = path.slice(0, path.lastIndexOf('/bench/') + 1)
  const name = basename(path, '.ts')
  const outdir = join(root, 'node_modules/.cache/bench', name, 'dist')
  if (!made.has(outdir))
    buildSync({
      absWorkingDir: root,
      entryPoints: { [name]: path, 'store/sqlite/question-worker': 'src/store/sqlite/question-worker.ts' },
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      alias: { 'duet-api': './src/index.ts' },
      logLevel: 'error',
    })
  made.add(outdir)
  return join(outdir, `${name}.js`)
}
