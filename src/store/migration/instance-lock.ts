// Whether other instances of the service are running on a PostgreSQL database: each holds a shared advisory lock of the schema,
// and loses it with its connection, however it ends. On SQLite there is only one instance.

import { bind, type Engine, type Program, query, type Value } from '../store.ts'

/** Arbitrary application-specific advisory-lock key: "duet" in ASCII. */
const instances = `${0x64756574}, hashtext(current_schema())`

/** Sent by every instance over the connection on which it listens. */
export const holdSchema = `select pg_advisory_lock_shared(${instances})`

const tryExclusive = query(`select pg_try_advisory_xact_lock(${instances})`)

/** Whether no other instance is running; if so, none starts until the transaction ends. */
export function* isOnlyInstance(engine: Engine): Program<boolean> {
  if (engine === 'sqlite') return true
  const [[isLocked]] = (yield bind(tryExclusive)) as [[Value]]
  return isLocked === true
}
