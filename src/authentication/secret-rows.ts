// Internal tables of secrets that expire. A row is found by the hash of the secret.

import type { TableDefinition } from '../store/sql/schema/schema.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../store/store.ts'

/** `columns` besides those of all. With `user_id`, rows are also found by their account. */
export function secretTable(name: string, columns: string): TableDefinition {
  const table = (moment: string) => [
    `create table if not exists ${name} (hash text primary key, ${columns}, expires_at ${moment} not null)`,
    ...(columns.includes('user_id text not null')
      ? [`create index if not exists ${name}_user on ${name} (user_id)`]
      : []),
    `create index if not exists ${name}_expiry on ${name} (expires_at)`,
  ]
  return { create: { sqlite: table('text'), postgres: table('timestamptz(3)') } }
}

export interface SecretRows {
  /** False if it was used or ended before. Of concurrent calls, one succeeds. */
  use(hash: string): Program<boolean>
  /** Ends those of the account. */
  forget(userId: string): Program<void>
  sweep(now: Date): Program<void>
}
const sweepMax = 1_000

export function createSecretRows(name: string, dialect: Dialect): SecretRows {
  const [first, second] = [dialect.parameter(1), dialect.parameter(2)]
  const use = query(`delete from ${name} where hash = ${first} returning 1`)
  const forget = command(`delete from ${name} where user_id = ${first}`)
  const expired = `select hash from ${name} where expires_at <= ${first} limit ${second}`
  const sweep = command(`delete from ${name} where hash in (${expired})`)
  return {
    *use(hash) {
      const rows = yield bind(use, hash)
      return rows.length > 0
    },
    *forget(userId) {
      yield bind(forget, userId)
    },
    *sweep(now) {
      yield bind(sweep, dialect.encode(now, 'timestamp'), sweepMax)
    },
  }
}
