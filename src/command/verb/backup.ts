// `duet backup`: copies a SQLite database, also while the service runs.

import { resolve } from 'node:path'
import { invariant } from '../../failure/failure.ts'
import { readConfiguration } from '../../service/configuration/configuration.ts'
import { asCommandError, type Command, CommandError, readArguments } from '../service/command.ts'
import { databaseFile, openDatabase } from '../service/open-database.ts'

export const backupCommand: Command = async (args, environment) => {
  const { positionals } = readArguments(args, [], ['The file'])
  if (/^postgres(ql)?:/.test(readConfiguration(environment.variables).databaseUrl)) {
    throw new CommandError('PostgreSQL makes its own backups: pg_dump --format=custom --file=<file> <DATABASE_URL>.')
  }
  // Prints the name, and refuses databases of other programs.
  await (await openDatabase(environment)).close()
  const path = databaseFile(environment)
  invariant(path !== null, 'a database that another process can open has a file')
  const target = resolve(environment.folder, positionals[0])
  // Imported here, as only SQLite needs it.
  const { BackupRefused, backUp } = await import('../../store/sqlite/backup.ts')
  const bytes = await backUp(path, target).catch(asCommandError(BackupRefused))
  environment.write(`${target} has everything that was committed: ${bytes.toLocaleString('en')} bytes.\n`)
  return 0
}
