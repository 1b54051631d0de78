// Changes the password of a signed-in account. (contract 5.10.5)

import { Failure } from '../../failure/failure.ts'
import type { Origin, SecurityEvent } from '../account/security-events.ts'
import type { Parts } from '../parts.ts'
import type { SessionCaller } from './session-caller.ts'

/** Ends all other sessions. Fails with INVALID_TOKEN if the account or the session has ended, or SERVICE_UNAVAILABLE. */
export type ChangePassword = (caller: SessionCaller, password: string, origin: Origin, now: Date) => Promise<void>

type Used = 'store' | 'accounts' | 'sessions' | 'passwords' | 'mails' | 'events' | 'revocation' | 'apply'

export function createChangePassword(parts: Pick<Parts, Used>): ChangePassword {
  const { store, accounts, sessions, passwords, mails, events, revocation, apply } = parts
  return async ({ userId, sessionId }, password, origin, now) => {
    const hash = await passwords.hash(password)
    const event: SecurityEvent = { type: 'password_changed', userId, origin, details: {} }
    const notices = await store.write(function* () {
      const account = yield* accounts.lock(userId)
      if (account === null || !account.isActive || !(yield* sessions.isOpen(sessionId)))
        throw new Failure('INVALID_TOKEN')
      yield* accounts.changePassword(userId, hash, now)
      yield* events.record(event, now)
      yield* mails.add({ kind: 'password_changed', address: account.login, userId }, now)
      return yield* revocation.endOtherSessions(userId, sessionId, now)
    })
    for (const notice of notices) apply(notice, now)
    events.log(event)
  }
}
