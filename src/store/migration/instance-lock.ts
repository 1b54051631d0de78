// Each instance on PostgreSQL holds a shared advisory lock of its schema, which ends with its connection. SQLite has a single
// instance.

import { bind, type Engine, type Program, query, type Value } from '../store.ts'

/** Arbitrary application-specific advisory-lock key: "duet" in ASCII. */
const instances = `${0x64756574}, hashtext(current_schema())`

/** Sent over the instance's LISTEN connection. */
export const holdSchema = `select pg_advisory_lock_shared(${instances})`

const tryExclusive = query(`select pg_try_advisory_xact_lock(${instances})`)

/** If true, no other instance can start until the transaction ends. */
export function* isOnlyInstance(engine: Engine): Program<boolean> {
  if (engine === 'sqlite') return true
  const [[isLocked]] = (yield bind(tryExclusive)) as [[Value]]
  return isLocked === true
}
