// Makes `dist/`, or the named folder: declarations of every module, the client as modules for browsers and bundlers, and the rest in
// chunks, which Node loads in less than half the time that the modules take.

import { execFileSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const [folder = 'dist'] = process.argv.slice(2)
const clients = ['src/client/index.ts', 'src/client/subscription/index.ts']
const entries = ['src/index.ts', 'src/command/duet.ts', 'src/store/sqlite/question-worker.ts']
const options = { bundle: true, format: 'esm', platform: 'node', packages: 'external', outdir: folder }

rmSync(folder, { recursive: true, force: true })
const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', folder]
execFileSync(process.execPath, compiler, { stdio: 'inherit' })
const { metafile } = await build({ ...options, entryPoints: clients, metafile: true, write: false })
const ofClient = new Set(Object.keys(metafile.inputs).map((path) => path.replace(/^src\/(.*)\.ts$/, '$1.js')))
for (const path of globSync('**/*.js', { cwd: folder }))
  if (!path.startsWith('client/') && !ofClient.has(path)) rmSync(join(folder, path))
await build({
  ...options,
  entryPoints: entries,
  outbase: 'src',
  splitting: true,
  target: 'node22.18',
  chunkNames: 'chunk/[hash]',
})
cpSync('src/explorer/browser', join(folder, 'explorer/browser'), { recursive: true })
