// Sign-ins that a browser has begun and not ended, each bound to a cookie and used once. (contract 5.16.3)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import { createSecretRows, type SecretRows, secretTable } from '../secret-rows.ts'

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
export const flowTable = secretTable(
  'duet_flow',
  'issuer text, purpose text not null, return_to text not null, challenge text not null',
)

export interface FlowStore extends Pick<SecretRows, 'use' | 'sweep'> {
  /** False, and nothing is stored, if `limit` others wait. */
  add(hash: string, flow: Flow, expiresAt: Date, limit: number): Program<boolean>
  /** Null if there is none, or it has expired. */
  find(hash: string, now: Date): Program<Flow | null>
}

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
  const { use, sweep } = createSecretRows('duet_flow', dialect)
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
    use,
    sweep,
  }
}
