// What tests start in processes of their own: from the sources, or in a whole `npm run test:all` in chunks, made once for all.

import { globSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './command.ts'

const folder = join(repository, 'node_modules/.cache/programs')
const programs = [
  'reference/main.ts',
  'test/support/process/{*-main,patient}.ts',
  'test/support/process/{applying,instance,migrating,reacting,sending,writing}-process.ts',
  'test/conformance/gallery/main.ts',
]
const ofPackage = ['index', 'command/duet', 'client/index', 'client/subscription/index']
const isInChunks = process.env['TEST_PROGRAMS'] === 'chunks'

/** The environment of tests that start programs in chunks. Makes the chunks. */
export async function programsInChunks(): Promise<Readonly<Record<string, string>>> {
  // Other runs do without the bundler.
  const { makeChunks } = await import('./chunks.ts')
  const paths = globSync(programs, { cwd: repository })
  makeChunks(repository, folder, {
    ...Object.fromEntries(paths.map((path) => [path.replace(/\.ts$/, ''), path])),
    ...Object.fromEntries(ofPackage.map((name) => [name, `src/${name}.ts`])),
  })
  // With the condition `duet-source`, the package is the sources.
  rmSync(join(folder, 'src'), { force: true })
  symlinkSync(join(repository, 'src'), join(folder, 'src'))
  return { TEST_PROGRAMS: 'chunks' }
}

/** Where Node finds the program at this path in the repository. */
export const programPath = (path: string): string =>
  isInChunks ? join(folder, 'dist', path.replace(/\.ts$/, '.js')) : join(repository, path)
/** The arguments with which Node starts it. */
export const programArguments = (path: string): readonly string[] => [...duetConditions, programPath(path)]
/** What Node needs besides for a program that imports `duetPackage`. */
export const duetConditions: readonly string[] = isInChunks ? [] : ['--conditions=duet-source']
export const duetPackage = isInChunks ? folder : repository
/** The arguments with which Node starts the command `duet`. */
export const duetCommand: readonly string[] = isInChunks
  ? [join(folder, 'dist/command/duet.js')]
  : [...duetConditions, join(repository, 'src/command/main.ts')]
