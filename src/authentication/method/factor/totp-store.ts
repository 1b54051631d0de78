// Secrets of authenticator apps, encrypted, with the last accepted step and the attempts of the hour. (contract 5.14)

import type { DataCipher } from '../../../encryption/data-cipher.ts'
import type { Dialect } from '../../../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Value } from '../../../store/store.ts'

export const totpTables = { create: { sqlite: tables('text'), postgres: tables('timestamptz(3)') } }
function tables(moment: string): readonly string[] {
  return [
    'create table if not exists duet_totp (user_id text primary key, method_id text not null, secret text not null, ' +
      `last_step integer not null, attempts integer not null, window_at ${moment} not null)`,
    'create index if not exists duet_totp_method on duet_totp (method_id)',
    `create table if not exists duet_totp_setup (user_id text primary key, secret text not null, expires_at ${moment} not null)`,
    'create index if not exists duet_totp_setup_expiry on duet_totp_setup (expires_at)',
  ]
}
/** What `about` of their encryption begins with; the id of the account follows. */
export const totpAbout = 'TOTP secret of '
export const totpSecretTables: readonly string[] = ['duet_totp', 'duet_totp_setup']

export interface TotpStore {
  /** Replaces a setup that was begun before. */
  begin(userId: string, secret: string, expiresAt: Date): Program<void>
  pending(userId: string, now: Date): Program<string | null>
  /** Ends the setup. `step` is the one that confirmed it. */
  add(userId: string, methodId: string, secret: string, step: number, now: Date): Program<void>
  /**
   * Counts an attempt before it is judged, so that many at once are not more than `attemptsPerHour`. Null: the account has
   * none.
   */
  attempt(userId: string, now: Date): Program<TotpAttempt | 'blocked' | null>
  /** Null if that step or a later one was accepted already. Returns the id of the method. */
  accept(userId: string, step: number): Program<string | null>
  forget(userId: string): Program<void>
  sweep(now: Date): Program<void>
}
export interface TotpAttempt {
  readonly secret: string
  /** This one included. */
  readonly attempts: number
}
export const attemptsPerHour = 10
const windowMs = 3_600_000
const chunk = 1_000

export function createTotpStore(dialect: Dialect, cipher: DataCipher): TotpStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const cast = dialect.engine === 'postgres' ? '::timestamptz' : ''
  const begin = command(
    `insert into duet_totp_setup (user_id, secret, expires_at) values (${p(1)}, ${p(2)}, ${p(3)}) ` +
      'on conflict (user_id) do update set secret = excluded.secret, expires_at = excluded.expires_at',
  )
  const pending = query(`select secret from duet_totp_setup where user_id = ${p(1)} and expires_at > ${p(2)}`)
  const forget = command(`delete from duet_totp_setup where user_id = ${p(1)}`)
  const insert = command(
    'insert into duet_totp (user_id, method_id, secret, last_step, attempts, window_at) ' +
      `values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}, 0, ${p(5)})`,
  )
  const isOver = `window_at <= ${p(2)}${cast}`
  const attempt = query(
    `update duet_totp set attempts = case when ${isOver} then 1 else attempts + 1 end, ` +
      `window_at = case when ${isOver} then ${p(3)}${cast} else window_at end ` +
      `where user_id = ${p(1)} and (attempts < ${attemptsPerHour} or ${isOver}) returning secret, attempts`,
  )
  const exists = query(`select 1 from duet_totp where user_id = ${p(1)}`)
  const accept = query(
    `update duet_totp set last_step = ${p(2)}, attempts = attempts - 1 ` +
      `where user_id = ${p(1)} and last_step < ${p(2)} returning method_id`,
  )
  const expired = `select user_id from duet_totp_setup where expires_at <= ${p(1)} limit ${p(2)}`
  const sweep = command(`delete from duet_totp_setup where user_id in (${expired})`)
  const clear = (stored: Value | undefined, userId: string) => cipher.decrypt(String(stored), totpAbout + userId)
  return {
    *begin(userId, secret, expiresAt) {
      yield bind(begin, userId, cipher.encrypt(secret, totpAbout + userId), moment(expiresAt))
    },
    *pending(userId, now) {
      const [row] = yield bind(pending, userId, moment(now))
      return row === undefined ? null : clear(row[0], userId)
    },
    *add(userId, methodId, secret, step, now) {
      yield bind(forget, userId)
      yield bind(insert, userId, methodId, cipher.encrypt(secret, totpAbout + userId), step, moment(now))
    },
    *attempt(userId, now) {
      const [row] = yield bind(attempt, userId, moment(new Date(now.getTime() - windowMs)), moment(now))
      if (row !== undefined) return { secret: clear(row[0], userId), attempts: Number(row[1]) }
      const rows = yield bind(exists, userId)
      return rows.length === 0 ? null : 'blocked'
    },
    *accept(userId, step) {
      const [row] = yield bind(accept, userId, step)
      return row === undefined ? null : String(row[0])
    },
    *forget(userId) {
      yield bind(forget, userId)
    },
    *sweep(now) {
      yield bind(sweep, moment(now), chunk)
    },
  }
}
