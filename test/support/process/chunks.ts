// Programs of this repository with Duet in chunks, as its package has it: they start in half of the time that the sources take.

import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

/** Makes them in `dist/` of the folder. `programs`: paths, by their names in `dist/` without endings. */
export function makeChunks(root: string, folder: string, programs: Readonly<Record<string, string>>): void {
  const outdir = join(folder, 'dist')
  rmSync(outdir, { recursive: true, force: true })
  buildSync({
    absWorkingDir: root,
    entryPoints: { ...programs, 'store/sqlite/question-worker': 'src/store/sqlite/question-worker.ts' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    alias: { 'duet-api': './src/index.ts' },
    logLevel: 'error',
  })
  cpSync(join(root, 'src/explorer/browser'), join(outdir, 'explorer/browser'), { recursive: true })
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'))
}
