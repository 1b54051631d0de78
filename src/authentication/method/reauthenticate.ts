// Proves again who the caller of a session is. (contract 5.10.4)

import { Failure } from '../../failure/failure.ts'
import type { Store } from '../../store/store.ts'
import type { AccountStore } from '../account/account-store.ts'
import type { Origin } from '../account/security-events.ts'
import type { SessionStore } from '../session/session-store.ts'
import type { SignIn } from '../session/sign-in.ts'
import type { AccessTokens, IssuedToken } from '../token/access-token.ts'
import type { SessionAuthentications } from './session-authentication.ts'
import type { SessionCaller } from './session-caller.ts'

/** Fails with INVALID_CREDENTIALS, also for the right credentials of another account, or INVALID_TOKEN. */
export type Reauthenticate = (
  caller: SessionCaller,
  credentials: { readonly email: string; readonly password: string },
  origin: Origin,
  now: Date,
) => Promise<IssuedToken>

export interface ReauthenticateDependencies {
  readonly store: Store
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly authentications: SessionAuthentications
  readonly accessTokens: AccessTokens
  readonly signIn: Pick<SignIn, 'requireAccount'>
}

export function createReauthenticate(dependencies: ReauthenticateDependencies): Reauthenticate {
  const { store, accounts, sessions, authentications, accessTokens, signIn } = dependencies
  return async ({ userId, sessionId }, { email, password }, origin, now) => {
    const account = await signIn.requireAccount(email, password, origin)
    if (account.id !== userId) throw new Failure('INVALID_CREDENTIALS')
    const authentication = { at: now, methods: ['pwd'] }
    const grant = await store.write(function* () {
      const current = yield* accounts.lock(userId)
      if (current === null || !current.isActive || current.passwordHash !== account.passwordHash)
        throw new Failure('INVALID_CREDENTIALS')
      if (!(yield* sessions.isOpen(sessionId))) throw new Failure('INVALID_TOKEN')
      yield* authentications.put(sessionId, authentication)
      const { access } = yield* accounts.epochs(userId)
      return { subject: userId, role: current.role, sessionId, epoch: access, authentication }
    })
    return accessTokens.issue(grant, now)
  }
}
