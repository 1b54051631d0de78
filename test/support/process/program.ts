// Programs of this repository that tests start: from the sources, or in a whole `npm run test:all` in chunks, made once for all.

import { globSync } from 'node:fs'
import { join } from 'node:path'
import { makeChunks } from './chunks.ts'
import { repository } from './command.ts'

const folder = join(repository, 'node_modules/.cache/programs')
const programs = ['reference/main.ts', 'test/support/process/*-{main,process}.ts', 'test/conformance/gallery/main.ts']

/** The environment of tests that start programs in chunks. Makes the chunks. */
export function programsInChunks(): Readonly<Record<string, string>> {
  const paths = globSync(programs, { cwd: repository })
  makeChunks(repository, folder, Object.fromEntries(paths.map((path) => [path.replace(/\.ts$/, ''), path])))
  return { TEST_PROGRAMS: 'chunks' }
}

/** The arguments with which Node starts the program at this path in the repository. */
export const programArguments = (path: string): readonly string[] =>
  process.env['TEST_PROGRAMS'] === 'chunks'
    ? [join(folder, 'dist', path.replace(/\.ts$/, '.js'))]
    : ['--conditions=duet-source', join(repository, path)]
