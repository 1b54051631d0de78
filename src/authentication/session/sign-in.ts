// Signs in, renews and signs out, with the refresh token in body or cookie. (contract 3.5, 4.12)

import { Failure } from '../../failure/failure.ts'
import type { Log } from '../../observation/log.ts'
import type { Store } from '../../store/store.ts'
import type { Account, AccountStore } from '../account/account-store.ts'
import type { Passwords } from '../account/password.ts'
import type { Origin, SecurityEvents } from '../account/security-events.ts'
import { createOpaqueToken, hashOpaqueToken, isOpaqueToken } from '../opaque-token.ts'
import type { AccessTokens } from '../token/access-token.ts'
import type { SessionStore, TokenGrant } from './session-store.ts'

export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
}
export interface SignInDependencies {
  readonly store: Store
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
  readonly events: SecurityEvents
  /** Whether the account gets no tokens, since its address is not proved. */
  readonly isUnproved: (account: Account) => boolean
  readonly log: Pick<Log, 'warn'>
}
const countOf = {
  granted: 'renewed',
  unproved: 'invalid',
  reused: 'reused',
  expired: 'expired',
  invalid: 'invalid',
} as const
const codeOf = {
  reused: 'TOKEN_REUSED',
  unproved: 'VERIFICATION_REQUIRED',
  expired: 'TOKEN_EXPIRED',
  invalid: 'INVALID_TOKEN',
} as const
/** Counts since the start. */
export interface SignInCounts {
  accepted: number
  refused: number
  /** Refresh tokens by outcome. `reused` includes attempts to sign out. */
  renewed: number
  reused: number
  expired: number
  invalid: number
}
export interface SignIn {
  readonly counts: Readonly<SignInCounts>
  /**
   * Fails with VERIFICATION_REQUIRED, or with INVALID_CREDENTIALS: in the same time for an unknown address, a wrong password
   * and an inactive user.
   */
  signIn(login: string, password: string, origin: Origin, now: Date): Promise<TokenPair>
  tokensOf(grant: TokenGrant, refreshToken: string, now: Date): TokenPair
  refuse(userId: string | null, origin: Origin, code?: 'INVALID_CREDENTIALS' | 'INVALID_TOKEN'): never
  requireAccount(login: string, password: string, origin: Origin): Promise<Account>
  /** Fails with INVALID_TOKEN, TOKEN_EXPIRED or TOKEN_REUSED; the last ends every session of the user. */
  renew(refreshToken: string, origin: Origin, now: Date): Promise<TokenPair>
  /** Does not reveal whether there was a session. */
  signOut(refreshToken: string, origin: Origin, now: Date): Promise<void>
}

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { store, accounts, sessions, accessTokens, passwords, events, isUnproved, log } = dependencies

  function tokenPair(
    { userId, role, sessionId, accessEpoch, authentication }: TokenGrant,
    refreshToken: string,
    now: Date,
  ): TokenPair {
    const grant = { subject: userId, role, sessionId, epoch: accessEpoch, authentication }
    const { text, expiresInSeconds } = accessTokens.issue(grant, now)
    return { accessToken: text, refreshToken, expiresInSeconds }
  }

  async function requireAccount(login: string, password: string, origin: Origin): Promise<Account> {
    const account = await store.read(accounts.byLogin(login.toLowerCase()))
    const fits = await passwords.verify(account?.passwordHash ?? null, password)
    if (account === null || !fits || !account.isActive) return refuse(account?.id ?? null, origin)
    if (isUnproved(account)) throw new Failure('VERIFICATION_REQUIRED')
    return account
  }
  /** Logs the id only: a mistyped address may be another person's, or a password. */
  function refuse(
    userId: string | null,
    { ip, requestId }: Origin,
    code: 'INVALID_CREDENTIALS' | 'INVALID_TOKEN' = 'INVALID_CREDENTIALS',
  ): never {
    counts.refused++
    log.warn('A sign-in was refused.', { event: 'sign_in_refused', userId, ip, requestId })
    throw new Failure(code)
  }
  function tokensOf(grant: TokenGrant, refreshToken: string, now: Date): TokenPair {
    counts.accepted++
    return tokenPair(grant, refreshToken, now)
  }

  const counts: SignInCounts = { accepted: 0, refused: 0, renewed: 0, reused: 0, expired: 0, invalid: 0 }
  return {
    counts,
    requireAccount,
    tokensOf,
    refuse,
    async signIn(login, password, origin, now) {
      const account = await requireAccount(login, password, origin)
      const next = createOpaqueToken('rt_')
      const grant = await store.write(() => sessions.open(account, ['pwd'], next.hash, origin, now))
      return grant === null ? refuse(account.id, origin) : tokensOf(grant, next.text, now)
    },

    async renew(refreshToken, origin, now) {
      if (!isOpaqueToken('rt_', refreshToken)) {
        counts.invalid++
        throw new Failure('INVALID_TOKEN')
      }
      const next = createOpaqueToken('rt_')
      const hash = hashOpaqueToken(refreshToken)
      const rotation = await store.write(() => sessions.rotate(hash, next.hash, origin, now))
      counts[countOf[rotation.kind]]++
      if (rotation.kind === 'granted') return tokenPair(rotation.grant, next.text, now)
      if (rotation.kind === 'reused') events.log(rotation.event)
      throw new Failure(codeOf[rotation.kind])
    },

    async signOut(refreshToken, origin, now) {
      if (!isOpaqueToken('rt_', refreshToken)) return
      const hash = hashOpaqueToken(refreshToken)
      const event = await store.write(() => sessions.close(hash, origin, now))
      if (event === null) return
      counts.reused++
      events.log(event)
    },
  }
}
