// Sign-ins that a browser has begun and not ended, each bound to a cookie and used once. (contract 5.16.3)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'

export type FlowPurpose = 'sign-in' | 'link'
export interface Flow {
  /** The issuer that was named at the beginning; null for the service's own pages. */
  readonly issuer: string | null
  readonly purpose: FlowPurpose
  readonly returnTo: string
  /** Of the client that exchanges the code in the end. */
  readonly challenge: string
}

/** Keyed by the hash of the cookie. */
export const flowTable = { create: { sqlite: table('text'), postgres: table('timestamptz(3)') } }
function table(moment: string): readonly string[] {
  return [
    'create table if not exists duet_flow (hash text primary key, issuer text, purpose text not null, return_to text not null, ' +
      `challenge text not null, expires_at ${moment} not null)`,
    'create index if not exists duet_flow_expiry on duet_flow (expires_at)',
  ]
}

export interface FlowStore {
  /** False, and nothing is stored, if `limit` others wait. */
  add(hash: string, flow: Flow, expiresAt: Date, limit: number): Program<boolean>
  /** Null if there is none, or it has expired. */
  find(hash: string, now: Date): Program<Flow | null>
  /** False if it was ended before. Of concurrent calls, one succeeds. */
  end(hash: string): Program<boolean>
  sweep(now: Date): Program<void>
}
const chunk = 1_000

export function createFlowStore(dialect: Dialect): FlowStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const count = query(`select count(*) from (select 1 from duet_flow limit ${p(1)}) n`)
  const insert = command(
    'insert into duet_flow (hash, issuer, purpose, return_to, challenge, expires_at) ' +
      `values (${[1, 2, 3, 4, 5, 6].map(p).join(', ')})`,
  )
  const find = query(
    `select issuer, purpose, return_to, challenge from duet_flow where hash = ${p(1)} and expires_at > ${p(2)}`,
  )
  const end = query(`delete from duet_flow where hash = ${p(1)} returning 1`)
  const expired = `select hash from duet_flow where expires_at <= ${p(1)} limit ${p(2)}`
  const sweep = command(`delete from duet_flow where hash in (${expired})`)
  return {
    *add(hash, { issuer, purpose, returnTo, challenge }, expiresAt, limit) {
      const [row] = yield bind(count, limit)
      if (Number(row![0]) >= limit) return false
      yield bind(insert, hash, issuer, purpose, returnTo, challenge, moment(expiresAt))
      return true
    },
    *find(hash, now) {
      const [row] = yield bind(find, hash, moment(now))
      if (row === undefined) return null
      const [issuer, purpose, returnTo, challenge] = row as [string | null, FlowPurpose, string, string]
      return { issuer, purpose, returnTo, challenge }
    },
    *end(hash) {
      const rows = yield bind(end, hash)
      return rows.length > 0
    },
    *sweep(now) {
      yield bind(sweep, moment(now), chunk)
    },
  }
}
