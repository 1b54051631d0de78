// Changes the password of a signed-in account. (contract 5.10.5)

import { Failure } from '../../failure/failure.ts'
import type { Store } from '../../store/store.ts'
import type { AccountStore } from '../account/account-store.ts'
import type { Passwords } from '../account/password.ts'
import type { Origin, SecurityEvent, SecurityEvents } from '../account/security-events.ts'
import { type MailStore, noticeSeconds } from '../mail/mail-store.ts'
import type { Revocation } from '../revocation.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { Notice } from '../token/denial-store.ts'
import type { SessionCaller } from './session-caller.ts'

/** Ends all other sessions. Fails with INVALID_TOKEN if the account or the session has ended, or SERVICE_UNAVAILABLE. */
export type ChangePassword = (caller: SessionCaller, password: string, origin: Origin, now: Date) => Promise<void>

export interface ChangePasswordDependencies {
  readonly store: Store
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly passwords: Passwords
  readonly mails: MailStore
  readonly endOtherSessions: Revocation['endOtherSessions']
  readonly events: SecurityEvents
  readonly apply: (notice: Notice, now: Date) => void
}

export function createChangePassword(dependencies: ChangePasswordDependencies): ChangePassword {
  const { store, accounts, sessions, passwords, mails, events } = dependencies
  return async ({ userId, sessionId }, password, origin, now) => {
    const hash = await passwords.hash(password)
    const event: SecurityEvent = { type: 'password_changed', userId, origin, details: {} }
    const notices = await store.write(function* () {
      const account = yield* accounts.lock(userId)
      if (account === null || !account.isActive || !(yield* sessions.isOpen(sessionId)))
        throw new Failure('INVALID_TOKEN')
      yield* accounts.changePassword(userId, hash, now)
      yield* events.record(event, now)
      const notice = { kind: 'password_changed', address: account.login, userId } as const
      yield* mails.add({ ...notice, lifetimeSeconds: noticeSeconds }, now)
      return yield* dependencies.endOtherSessions(userId, sessionId, now)
    })
    for (const notice of notices) dependencies.apply(notice, now)
    events.log(event)
  }
}
