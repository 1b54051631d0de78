// Each instance on PostgreSQL holds a shared advisory lock of its schema, which ends with its connection. SQLite has a single
// instance.

import { bind, type Engine, type Program, query, type Value } from '../store.ts'

/** Arbitrary application-specific advisory-lock key: "duet" in ASCII. */
const instances = `${0x64756574}, hashtext(current_schema())`

/** Sent over the instance's LISTEN connection, the version first. */
export const holdSchema = (fingerprint: string): readonly string[] => [
  `select pg_advisory_lock_shared(${versionKey(fingerprint)})`,
  `select pg_advisory_lock_shared(${instances})`,
]
const versionKey = (fingerprint: string): string => `${0x64756574}, hashtext(current_schema() || '${fingerprint}')`

const tryExclusive = query(`select pg_try_advisory_xact_lock(${instances})`)

/** If true, no other instance can start until the transaction ends. */
export function* isOnlyInstance(engine: Engine): Program<boolean> {
  if (engine === 'sqlite') return true
  const [[isLocked]] = (yield bind(tryExclusive)) as [[Value]]
  return isLocked === true
}

/** How many instances of other versions run. Takes no lock. */
export function* otherInstances(engine: Engine, fingerprint: string): Program<number> {
  if (engine === 'sqlite') return 0
  const holds = (key: string) => {
    const [first, second] = key.split(/, (.*)/)
    const own =
      "locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())"
    return `${own} and classid = ${first} and objid::bigint = ${second}::bigint & 4294967295`
  }
  const isThis = `select 1 from pg_locks where ${holds(versionKey(fingerprint))} and pid = l.pid`
  const count = `select count(*) from pg_locks l where ${holds(instances)} and not exists (${isThis})`
  const [[others]] = (yield bind(query(count))) as [[Value]]
  return Number(others)
}
