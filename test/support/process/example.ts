// An example as its readers have it: a package of its own, with this repository as the `duet-api` that it has installed.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repository } from './command.ts'
import { duetPackage } from './program.ts'

export const examples = join(repository, 'examples')

/** Answers its folder, which whoever asked for it removes. */
export function copyExample(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'duet-example-'))
  cpSync(join(examples, name), folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const each of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', each)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(each === 'duet-api' ? duetPackage : join(repository, 'node_modules', each), link)
  }
  return folder
}
