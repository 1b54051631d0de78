// Signing in, renewing and signing out: the answers of /auth, whatever carries them. (contract 3.2, 4)

import { type Detail, Failure } from '../failure/failure.ts'
import type { Json } from '../http/exchange.ts'
import type { Store } from '../store/store.ts'
import type { AccessTokens } from './access-token.ts'
import { createOpaqueToken, hashOpaqueToken, isOpaqueToken } from './opaque-token.ts'
import type { Passwords } from './password.ts'
import type { Device, Granted, SessionStore } from './session-store.ts'

/** A pair of tokens, as the source shows them. */
export interface TokenPair {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
}
export interface SignInContext {
  readonly store: Store
  readonly sessions: SessionStore
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
  /** Told after the commit. */
  readonly record: (event: SecurityNote) => void
}
/** Something that an auditor wants to know. */
export interface SecurityNote {
  readonly type: 'refresh_token_reused' | 'login_failed'
  readonly userId: string | null
  readonly details: Readonly<Record<string, string>>
}

/** Fails with INVALID_CREDENTIALS: the same, in the same time, for an unknown address, a wrong password and a user not active. */
export async function signIn(
  login: string,
  password: string,
  device: Device,
  now: Date,
  context: SignInContext,
): Promise<TokenPair> {
  const { store, sessions, passwords } = context
  const account = await store.read(sessions.account(login.toLowerCase()))
  const fits = await passwords.verify(account?.passwordHash ?? null, password)
  if (account === null || !fits || !account.isActive) throw new Failure('INVALID_CREDENTIALS')
  const next = createOpaqueToken('rt_')
  const granted = await store.write(() => sessions.open(account, next.hash, device, now))
  if (granted === null) throw new Failure('INVALID_CREDENTIALS')
  return tokenPair(granted, next.text, now, context)
}

/** Fails with INVALID_TOKEN, TOKEN_EXPIRED or TOKEN_REUSED; after the last, every session of the user has ended. */
export async function renew(refreshToken: string, now: Date, context: SignInContext): Promise<TokenPair> {
  if (!isOpaqueToken('rt_', refreshToken)) throw new Failure('INVALID_TOKEN')
  const next = createOpaqueToken('rt_')
  const hash = hashOpaqueToken(refreshToken)
  const refreshed = await context.store.write(() => context.sessions.rotate(hash, next.hash, now))
  switch (refreshed.kind) {
    case 'granted':
      return tokenPair(refreshed.granted, next.text, now, context)
    case 'reused':
      context.record({
        type: 'refresh_token_reused',
        userId: refreshed.userId,
        details: { session_id: refreshed.sessionId },
      })
      throw new Failure('TOKEN_REUSED')
    case 'expired':
      throw new Failure('TOKEN_EXPIRED')
    case 'invalid':
      throw new Failure('INVALID_TOKEN')
  }
}

/** Ends the session of a refresh token. Says nothing about whether there was one. */
export async function signOut(refreshToken: string, now: Date, { store, sessions }: SignInContext): Promise<void> {
  if (isOpaqueToken('rt_', refreshToken)) await store.write(() => sessions.close(hashOpaqueToken(refreshToken), now))
}

function tokenPair(
  { userId, role, sessionId, accessEpoch }: Granted,
  refreshToken: string,
  now: Date,
  { accessTokens }: SignInContext,
): TokenPair {
  const { text, expiresInSeconds } = accessTokens.issue({ subject: userId, role, sessionId, epoch: accessEpoch }, now)
  return { accessToken: text, refreshToken, expiresInSeconds }
}

/** The members of a body, each a text of 1 to 4,096 characters and nothing else. Fails with VALIDATION_ERROR. */
export function readTexts<const N extends string>(body: Json, names: readonly N[]): Readonly<Record<N, string>> {
  const details: Detail[] = []
  const members =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Readonly<Record<string, Json>>) : null
  if (members === null)
    throw new Failure('VALIDATION_ERROR', { details: [{ field: '', message: 'Must be an object.' }] })
  for (const name of Object.keys(members))
    if (!names.includes(name as N)) details.push({ field: name, message: 'There is no such field.' })
  for (const name of names) {
    const value = Object.hasOwn(members, name) ? members[name] : undefined
    if (value === undefined) details.push({ field: name, message: 'Is required.' })
    else if (typeof value !== 'string') details.push({ field: name, message: 'Must be text.' })
    else if (value === '') details.push({ field: name, message: 'Must not be empty.' })
    else if (value.length > 4_096) details.push({ field: name, message: 'At most 4096 characters.' })
  }
  if (details.length > 0) throw new Failure('VALIDATION_ERROR', { details })
  return members as Readonly<Record<N, string>>
}
