// Challenges of accounts that owe a second factor: hashed, used once, bound to account, purpose and access epoch. (contract 5.13.2)

import type { Dialect } from '../../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Value } from '../../../store/store.ts'
import { createSecretRows, type SecretRows, secretTable } from '../../secret-rows.ts'

export const challengeTable = secretTable(
  'duet_challenge',
  'user_id text not null, session_id text, methods text not null, epoch integer not null, attempts integer not null',
)

export interface Challenge {
  readonly userId: string
  /** The session that is reauthenticated; null: a sign-in. */
  readonly sessionId: string | null
  /** How the first factor was proved: values of `amr`. */
  readonly methods: readonly string[]
  readonly epoch: number
  readonly expiresAt: Date
}

export interface ChallengeStore extends SecretRows {
  /** Ends the oldest of the account if it has `pendingMax`. */
  add(hash: string, challenge: Challenge): Program<void>
  /** Counts an attempt before it is judged, so that many at once are not more than `attemptsMax`. Null: unknown, used or spent. */
  attempt(hash: string): Program<Challenge | null>
}
export const attemptsMax = 5
const pendingMax = 20

export function createChallengeStore(dialect: Dialect): ChallengeStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const insert = command(
    'insert into duet_challenge (hash, user_id, session_id, methods, epoch, attempts, expires_at) ' +
      `values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, ${p(5)}, 0, ${p(6)})`,
  )
  const newest = `select hash from duet_challenge where user_id = ${p(1)} order by expires_at desc limit ${pendingMax - 1}`
  const trim = command(`delete from duet_challenge where user_id = ${p(1)} and hash not in (${newest})`)
  const attempt = query(
    `update duet_challenge set attempts = attempts + 1 where hash = ${p(1)} and attempts < ${attemptsMax} ` +
      'returning user_id, session_id, methods, epoch, expires_at',
  )
  return {
    ...createSecretRows('duet_challenge', dialect),
    *add(hash, { userId, sessionId, methods, epoch, expiresAt }) {
      yield bind(trim, userId)
      yield bind(insert, hash, userId, sessionId, methods.join(' '), epoch, moment(expiresAt))
    },
    *attempt(hash) {
      const [row] = yield bind(attempt, hash)
      if (row === undefined) return null
      const [userId, sessionId, methods, epoch, expiresAt] = row as [string, string | null, string, Value, Value]
      const end = dialect.decode(expiresAt, 'timestamp') as Date
      return { userId, sessionId, methods: methods.split(' '), epoch: Number(epoch), expiresAt: end }
    },
  }
}
