// `duet dev`: starts the service and starts it again whenever one of its files changes.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, CommandError, readArguments } from './command.ts'

/** Runs `main.ts` of the current folder, or the file that `--main` names, until it is told to end. */
export const devCommand: Command = async (args, { folder, runNode }) => {
  const { values } = readArguments(args, { options: { main: { type: 'string' } }, names: [] })
  const file = values.main ?? ['main.ts', 'main.js'].find((name) => existsSync(join(folder, name)))
  if (file === undefined) throw new CommandError('There is no main.ts here: say what starts the service with --main.')
  if (!existsSync(join(folder, file))) throw new CommandError(`There is no file ${file}.`)
  // What was printed before a restart is often why it was needed.
  return runNode(['--watch', '--watch-preserve-output', file])
}
