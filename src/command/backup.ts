// `duet backup`: a copy of a SQLite database, taken while the service runs.

import { resolve } from 'node:path'
import { invariant } from '../failure/failure.ts'
import { readConfiguration } from '../service/configuration.ts'
import { type Command, CommandError, readArguments } from './command.ts'
import { databaseFile, openDatabase } from './open-database.ts'

/** Copies the file that DATABASE_URL names, whether or not the service is running. */
export const backupCommand: Command = async (args, environment) => {
  const { positionals } = readArguments(args, { options: {}, names: ['The file'] })
  if (/^postgres(ql)?:/.test(readConfiguration(environment.variables).databaseUrl)) {
    throw new CommandError('PostgreSQL makes its own backups: pg_dump --format=custom --file=<file> <DATABASE_URL>.')
  }
  // Says which database it is, and refuses one that is not Duet's.
  await (await openDatabase(environment)).close()
  const path = databaseFile(environment)
  invariant(path !== null, 'a database that somebody else can open has a file')
  const target = resolve(environment.folder, positionals[0])
  // Only here, where the database is one of SQLite, and could be opened.
  const { BackupRefused, backUp } = await import('../store/sqlite/backup.ts')
  try {
    const bytes = await backUp(path, target)
    environment.write(`${target} has everything that was committed: ${bytes.toLocaleString('en')} bytes.\n`)
    return 0
  } catch (error) {
    if (error instanceof BackupRefused) throw new CommandError(error.message, { cause: error })
    throw error
  }
}
