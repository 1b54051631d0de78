// The time on which all instances agree: the clocks of machines may differ by minutes, their database is one.

import { bind, type Program, query } from '../../store.ts'
import type { Dialect } from './dialect.ts'

/** The clock of a service that was given none. */
export const systemClock = (): Date => new Date()

const statement = query('select statement_timestamp()::timestamptz(3)')

/** On PostgreSQL the database's time, unless the service was given a clock. SQLite has one process, and its time. */
export function* sharedTime(dialect: Dialect, clock: () => Date): Program<Date> {
  if (dialect.engine === 'sqlite' || clock !== systemClock) return clock()
  const [row] = yield bind(statement)
  return dialect.decode(row![0]!, 'timestamp') as Date
}
