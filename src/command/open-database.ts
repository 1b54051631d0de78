// Opens the database of DATABASE_URL for commands, beside the running service or without it.

import { readConfiguration } from '../configuration.ts'
import type { Limits } from '../limits.ts'
import { silentLog } from '../observation/log.ts'
import { openForReading, openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { type CommandEnvironment, CommandError } from './command.ts'

/** For commands that only look. Fails with CommandError where it cannot be opened. */
export async function openDatabase({ variables }: Pick<CommandEnvironment, 'variables'>): Promise<Store> {
  const { databaseUrl, limits } = readConfiguration(variables)
  try {
    return await openForReading(databaseUrl, { limits, log: { warn: () => {} } })
  } catch (cause) {
    // The sentence names DATABASE_URL and says what is wrong with it.
    throw new CommandError((cause as Error).message, { cause })
  }
}

/** For commands that write. Fails like `openDatabase`. */
export async function openForWriting(databaseUrl: string, limits: Limits): Promise<Store> {
  try {
    return await openStore(databaseUrl, { limits, log: silentLog })
  } catch (cause) {
    // As above.
    throw new CommandError((cause as Error).message, { cause })
  }
}
