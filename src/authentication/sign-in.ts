// Signing in, renewing and signing out: the answers of /auth, whatever carries them. (contract 3.2, 4)

import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import type { Store } from '../store/store.ts'
import type { AccessTokens } from './access-token.ts'
import type { AccountStore } from './account-store.ts'
import { createOpaqueToken, hashOpaqueToken, isOpaqueToken } from './opaque-token.ts'
import type { Passwords } from './password.ts'
import type { Origin, SecurityEvents } from './security-events.ts'
import type { Granted, SessionStore } from './session-store.ts'

/** A pair of tokens, as the source shows them. */
export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
}
export interface SignInGiven {
  readonly store: Store
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
  readonly events: SecurityEvents
  readonly log: Pick<Log, 'warn'>
}
/** Since the start. */
export interface SignInCounts {
  /** Sign-ins. */
  accepted: number
  refused: number
  /** Refresh tokens shown, by what came of it; reused ones also where they were shown to sign out. */
  renewed: number
  reused: number
  expired: number
  invalid: number
}
export interface SignIn {
  readonly counts: Readonly<SignInCounts>
  /** Fails with INVALID_CREDENTIALS: the same, in the same time, for an unknown address, a wrong password and a user not active. */
  signIn(login: string, password: string, origin: Origin, now: Date): Promise<TokenPair>
  /** Fails with INVALID_TOKEN, TOKEN_EXPIRED or TOKEN_REUSED; after the last, every session of the user has ended. */
  renew(refreshToken: string, origin: Origin, now: Date): Promise<TokenPair>
  /** Ends the session of a refresh token. Says nothing about whether there was one. */
  signOut(refreshToken: string, origin: Origin, now: Date): Promise<void>
}

export function createSignIn(given: SignInGiven): SignIn {
  const { store, accounts, sessions, accessTokens, passwords, events, log } = given

  function tokenPair({ userId, role, sessionId, accessEpoch }: Granted, refreshToken: string, now: Date): TokenPair {
    const grant = { subject: userId, role, sessionId, epoch: accessEpoch }
    const { text, expiresInSeconds } = accessTokens.issue(grant, now)
    return { accessToken: text, refreshToken, expiresInSeconds }
  }

  const counts: SignInCounts = { accepted: 0, refused: 0, renewed: 0, reused: 0, expired: 0, invalid: 0 }
  return {
    counts,
    async signIn(login, password, origin, now) {
      const account = await store.read(accounts.byLogin(login.toLowerCase()))
      const fits = await passwords.verify(account?.passwordHash ?? null, password)
      if (account !== null && fits && account.isActive) {
        const next = createOpaqueToken('rt_')
        const granted = await store.write(() => sessions.open(account, next.hash, origin, now))
        if (granted !== null) {
          counts.accepted++
          return tokenPair(granted, next.text, now)
        }
      }
      counts.refused++
      // Who it was is told by id only: a mistyped address may be somebody else's, or a password.
      const { ip, requestId } = origin
      log.warn('A sign-in was refused.', { event: 'sign_in_refused', userId: account?.id ?? null, ip, requestId })
      throw new Failure('INVALID_CREDENTIALS')
    },

    async renew(refreshToken, origin, now) {
      if (!isOpaqueToken('rt_', refreshToken)) {
        counts.invalid++
        throw new Failure('INVALID_TOKEN')
      }
      const next = createOpaqueToken('rt_')
      const hash = hashOpaqueToken(refreshToken)
      const rotated = await store.write(() => sessions.rotate(hash, next.hash, origin, now))
      counts[rotated.kind === 'granted' ? 'renewed' : rotated.kind]++
      switch (rotated.kind) {
        case 'granted':
          return tokenPair(rotated.granted, next.text, now)
        case 'reused':
          events.tell(rotated.event)
          throw new Failure('TOKEN_REUSED')
        case 'expired':
          throw new Failure('TOKEN_EXPIRED')
        case 'invalid':
          throw new Failure('INVALID_TOKEN')
      }
    },

    async signOut(refreshToken, origin, now) {
      if (!isOpaqueToken('rt_', refreshToken)) return
      const hash = hashOpaqueToken(refreshToken)
      const event = await store.write(() => sessions.close(hash, origin, now))
      if (event === null) return
      counts.reused++
      events.tell(event)
    },
  }
}
