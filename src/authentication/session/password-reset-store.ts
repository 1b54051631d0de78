// Password reset tokens in the database: hashed, valid for half an hour, usable once. (contract 4.13.3, 4.13.4)

import type { Limits } from '../../limits.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import { createSecretRows, type SecretRows, secretTable } from '../secret-rows.ts'

export const passwordResetTable = secretTable('duet_password_reset', 'user_id text not null')

export interface PasswordResetStore extends Pick<SecretRows, 'sweep'> {
  /**
   * Keeps a few earlier tokens, but not the one of the mail's last attempt. False if the account is not active or its login has
   * changed.
   */
  replace(
    tokenHash: string,
    formerHash: string | null,
    account: Pick<Account, 'id' | 'login'>,
    now: Date,
  ): Program<boolean>
  /** Locks the account; null if the token is unknown or used, or the account is not active. */
  owner(tokenHash: string, now: Date): Program<Account | 'expired' | null>
  /** The account must be locked. */
  forget(userId: string): Program<void>
}

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
  const remove = command(`delete from duet_password_reset where hash = ${p(1)}`)
  const { forget, sweep } = createSecretRows('duet_password_reset', dialect)
  return {
    *replace(tokenHash, formerHash, { id, login }, now) {
      const account = yield* accounts.lock(id)
      if (account === null || !account.isActive || account.login !== login) return false
      if (formerHash !== null) yield bind(remove, formerHash)
      yield bind(forgetOlder, id, limits.passwordResetsAtOnce - 1)
      const expiresAt = new Date(now.getTime() + limits.passwordResetSeconds * 1000)
      yield bind(insert, tokenHash, id, moment(expiresAt))
      return true
    },
    *owner(tokenHash, now) {
      const account = yield* lockOwner(tokenHash)
      // Read after the lock, as another transaction may have used the token.
      const [row] = yield bind(expiry, tokenHash)
      if (account === null || row === undefined || !account.isActive) return null
      return (dialect.decode(row[0]!, 'timestamp') as Date) <= now ? 'expired' : account
    },
    forget,
    sweep,
  }
}
