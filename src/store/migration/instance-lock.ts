// Whether instances of a service are running on a PostgreSQL database: each holds a lock of the schema that they share,
// and loses it with its connection, however it ends. On SQLite there is one instance: whoever asks.

import { bind, type Engine, type Program, query, type Value } from '../store.ts'

/** The number is only ours to know. */
const instances = `${0x64756574}, hashtext(current_schema())`

/** Sent by every instance over the connection on which it listens. */
export const holdSchema = `select pg_advisory_lock_shared(${instances})`

const tryAlone = query(`select pg_try_advisory_xact_lock(${instances})`)

/** Whether nobody else is there, and then nobody comes until the transaction ends. */
export function* isAlone(engine: Engine): Program<boolean> {
  if (engine === 'sqlite') return true
  const [[isIt]] = (yield bind(tryAlone)) as [[Value]]
  return isIt === true
}
