// Challenges of passkeys: hashed, used once, for five minutes; those to register are bound to an account. (contract 5.15.1)

import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, type Program, query } from '../../store/store.ts'
import { createSecretRows, type SecretRows, secretTable } from '../secret-rows.ts'

export const passkeyChallengeTable = secretTable('duet_passkey_challenge', 'user_id text, handle text, epoch integer')

/** Whose registration it is for. */
export interface Registrant {
  readonly userId: string
  readonly handle: string
  /** The access epoch, which later revocations raise. */
  readonly epoch: number
}

export interface PasskeyChallengeStore extends Pick<SecretRows, 'sweep'> {
  /** Null: to sign in. False if too many are waiting. */
  add(hash: string, registrant: Registrant | null, now: Date): Program<boolean>
  /** False if it was used, has expired, or is for a registration. */
  useToSignIn(hash: string, now: Date): Program<boolean>
  /** Null if it was used, has expired, or is not for this account. */
  useToRegister(hash: string, userId: string, now: Date): Program<Registrant | null>
}
const seconds = 300

export function createPasskeyChallengeStore(dialect: Dialect, waitingMax: number): PasskeyChallengeStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const [text, int, time] = dialect.engine === 'postgres' ? ['::text', '::integer', '::timestamptz'] : ['', '', '']
  const waiting = `select 1 from duet_passkey_challenge where expires_at > ${p(6)}${time} limit ${waitingMax}`
  const add = query(
    'insert into duet_passkey_challenge (hash, user_id, handle, epoch, expires_at) ' +
      `select ${p(1)}${text}, ${p(2)}${text}, ${p(3)}${text}, ${p(4)}${int}, ${p(5)}${time} ` +
      `where (select count(*) from (${waiting}) waiting) < ${waitingMax} returning 1`,
  )
  const use = `delete from duet_passkey_challenge where hash = ${p(1)} and expires_at > ${p(2)} and`
  const useToSignIn = query(`${use} user_id is null returning 1`)
  const useToRegister = query(`${use} user_id = ${p(3)} returning handle, epoch`)
  return {
    *add(hash, registrant, now) {
      const { userId, handle, epoch } = registrant ?? { userId: null, handle: null, epoch: null }
      const expiresAt = new Date(now.getTime() + seconds * 1000)
      const rows = yield bind(add, hash, userId, handle, epoch, moment(expiresAt), moment(now))
      return rows.length > 0
    },
    *useToSignIn(hash, now) {
      const rows = yield bind(useToSignIn, hash, moment(now))
      return rows.length > 0
    },
    *useToRegister(hash, userId, now) {
      const [row] = yield bind(useToRegister, hash, moment(now), userId)
      return row === undefined ? null : { userId, handle: String(row[0]), epoch: Number(row[1]) }
    },
    sweep: createSecretRows('duet_passkey_challenge', dialect).sweep,
  }
}
