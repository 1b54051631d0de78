// Password reset tokens in the database: hashed, valid for half an hour, and for one use. (contract 4.13.3, 4.13.4)

import type { Limits } from '../../limits.ts'
import type { Dialect } from '../../store/sql/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'

export const passwordResetTable = { create: { sqlite: table('text'), postgres: table('timestamptz(3)') } }
function table(moment: string): readonly string[] {
  return [
    `create table if not exists duet_password_reset (hash text primary key, user_id text not null, expires_at ${moment} not null)`,
    'create index if not exists duet_password_reset_user on duet_password_reset (user_id)',
    'create index if not exists duet_password_reset_expiry on duet_password_reset (expires_at)',
  ]
}

export interface PasswordResetStore {
  /** Stores a token for this account, beside a few earlier ones. False if the account is not active. */
  add(tokenHash: string, userId: string, now: Date): Program<boolean>
  /** The account of this token, locked; null if the token is unknown or used, or the account not active. */
  owner(tokenHash: string, now: Date): Program<Account | 'expired' | null>
  /** Deletes every token of this account. */
  forget(userId: string): Program<void>
  /** Deletes a number of expired tokens. */
  sweep(now: Date): Program<void>
}
/** Rows deleted by one sweep. */
const chunk = 1_000

export function createPasswordResetStore(
  accounts: AccountStore,
  limits: Pick<Limits, 'passwordResetSeconds' | 'passwordResetsAtOnce'>,
  dialect: Dialect,
): PasswordResetStore {
  const p = (number: number) => dialect.parameter(number)
  const moment = (at: Date) => dialect.encode(at, 'timestamp')
  const lockOwner = accounts.lockOwner(`select user_id from duet_password_reset where hash = ${p(1)}`)
  const expiry = query(`select expires_at from duet_password_reset where hash = ${p(1)}`)
  const insert = command(
    `insert into duet_password_reset (hash, user_id, expires_at) values (${p(1)}, ${p(2)}, ${p(3)})`,
  )
  const newest = `select hash from duet_password_reset where user_id = ${p(1)} order by expires_at desc limit ${p(2)}`
  const forgetOlder = command(`delete from duet_password_reset where user_id = ${p(1)} and hash not in (${newest})`)
  const forget = command(`delete from duet_password_reset where user_id = ${p(1)}`)
  const expiredHashes = `select hash from duet_password_reset where expires_at <= ${p(1)} limit ${p(2)}`
  const sweep = command(`delete from duet_password_reset where hash in (${expiredHashes})`)
  return {
    *add(tokenHash, userId, now) {
      const account = yield* accounts.lock(userId)
      if (account === null || !account.isActive) return false
      yield bind(forgetOlder, userId, limits.passwordResetsAtOnce - 1)
      const expiresAt = new Date(now.getTime() + limits.passwordResetSeconds * 1000)
      yield bind(insert, tokenHash, userId, moment(expiresAt))
      return true
    },
    *owner(tokenHash, now) {
      const account = yield* lockOwner(tokenHash)
      // Read after the lock: whoever held it may have used the token.
      const [row] = yield bind(expiry, tokenHash)
      if (account === null || row === undefined || !account.isActive) return null
      return (dialect.decode(row[0]!, 'timestamp') as Date) <= now ? 'expired' : account
    },
    *forget(userId) {
      yield bind(forget, userId)
    },
    *sweep(now) {
      yield bind(sweep, moment(now), chunk)
    },
  }
}
