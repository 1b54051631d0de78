// Puts authentication together: keys, tokens, sessions, API keys, denials, and the endpoints over them. (contract 5)

import type { IncomingHttpHeaders } from 'node:http'
import type { Limits } from '../limits.ts'
import type { Mail } from '../mail/mailer.ts'
import type { Log } from '../observation/log.ts'
import type { Model } from '../resource/model.ts'
import { dialectOf } from '../store/sql/dialect.ts'
import type { Store } from '../store/store.ts'
import { createAccessTokens } from './access-token.ts'
import { accountTable, createAccountStore } from './account-store.ts'
import { createApiKeys } from './api-keys.ts'
import { createDenialStore, denialTable, type Notice } from './denial-store.ts'
import { createDenylist } from './denylist.ts'
import { type AuthEndpoints, createAuthEndpoints } from './endpoints.ts'
import { createGuard, type Guard } from './guard.ts'
import { createIdentify, type Identify } from './identify.ts'
import { secretTable } from './installation-secret.ts'
import type { KeyRing } from './key-ring.ts'
import { keyTable } from './key-storage.ts'
import { createNewsReader } from './news-reader.ts'
import { createOpaqueToken, type OpaqueTokenPrefix } from './opaque-token.ts'
import { createOutsideIssuer, type TrustedIssuer } from './outside-issuer.ts'
import { createPasswords } from './password.ts'
import { createPasswordReset } from './password-reset.ts'
import { createPasswordResetStore, passwordResetTable } from './password-reset-store.ts'
import { createRevocation, type Revocation } from './revocation.ts'
import { createSecurityEvents } from './security-events.ts'
import { createSessionStore, sessionTables } from './session-store.ts'
import { createSignIn, type SignInCounts } from './sign-in.ts'
import type { ReadJson } from './signed-text.ts'

/** The tables that authentication needs besides those of its resources. */
export const authenticationTables = [
  keyTable,
  accountTable,
  sessionTables,
  passwordResetTable,
  denialTable,
  secretTable,
]

export interface AuthenticationOptions {
  /** With the library's own resources, listed or not. */
  readonly model: Model
  readonly store: Store
  readonly keys: KeyRing
  readonly issuer: string
  readonly audience: string
  /** Whose tokens are believed beside our own. */
  readonly issuers: readonly TrustedIssuer[]
  readonly refreshTokenIn: 'body' | 'cookie'
  readonly isSameOrigin: (headers: IncomingHttpHeaders) => boolean
  readonly sendMail: (mail: Mail) => Promise<void>
  /** `PASSWORD_RESET_URL`. */
  readonly passwordResetUrl: string | null
  readonly limits: Limits
  readonly readJson: ReadJson
  readonly clock: () => Date
  readonly log: Log
}
export interface Authentication extends Pick<Revocation, 'changed' | 'committed'> {
  readonly identify: Identify
  readonly guard: Guard
  readonly endpoints: AuthEndpoints
  /** For metrics. */
  readonly counts: Readonly<SignInCounts>
  /** Credentials that are refused before they expire. */
  readonly denials: number
  readonly hashPassword: (password: string) => Promise<string>
  makeToken(prefix: string): { readonly token: string; readonly hash: string }
  /**
   * Learns what other instances denied and which keys they made, writes down when API keys were used, and now and then
   * sweeps away what has expired. Call it every `noticesMs`. Never rejects: what fails is in the log, and tried again.
   */
  refresh(now: Date): Promise<void>
  /** Finishes what nobody waits for. */
  close(): Promise<void>
}

/** Opens authentication, with every denial that still counts. Its tables are there already. */
export async function openAuthentication(options: AuthenticationOptions): Promise<Authentication> {
  const { model, store, keys, limits, clock, log } = options
  const dialect = dialectOf(store.engine)
  const denylist = createDenylist(limits.denials, log)
  const denials = createDenialStore(dialect)
  const apiKeys = createApiKeys(model, store, limits)
  const take = (notice: Notice, now: Date): void => {
    if (notice.kind !== 'apiKey') denylist.deny(notice, now)
    apiKeys.take(notice)
  }

  const accounts = createAccountStore(model.accounts, dialect)
  const events = createSecurityEvents(model.byName.get('SecurityEvent')!, dialect, log)
  const sessions = createSessionStore(model.byName.get('Session')!, accounts, events, limits, dialect)
  const resets = createPasswordResetStore(accounts, limits, dialect)
  const passwords = await createPasswords(limits, log)
  const accessTokens = createAccessTokens({ ...options, denylist })
  const lifetimeSeconds = Math.max(limits.accessTokenSeconds, ...options.issuers.map((each) => each.lifetimeSeconds))
  const revocation = createRevocation({ model, accounts, sessions, denials, take, lifetimeSeconds, limits })
  const passwordReset = createPasswordReset({
    store,
    accounts,
    resets,
    passwords,
    events,
    take,
    clock,
    log,
    limits,
    revokeUsers: revocation.revokeUsers,
    send: options.sendMail,
    linkTemplate: options.passwordResetUrl,
  })
  // Somebody who was suspended or deleted here does not come in by another door.
  const admits = async (actorId: string) => (await store.read(accounts.status(actorId))) !== 'refused'
  const { readJson } = options
  const issuers = options.issuers.map((each) =>
    createOutsideIssuer({ ...each, admits, denylist, fetch: globalThis.fetch, readJson, log, limits }),
  )

  const news = createNewsReader({
    store,
    denials,
    keys,
    apiKeys,
    sweeps: [sessions, resets, denials],
    take,
    limits,
    log,
  })
  await news.start(clock())
  const signIn = createSignIn({ store, accounts, sessions, accessTokens, passwords, events, log })
  return {
    counts: signIn.counts,
    get denials() {
      return denylist.size
    },
    changed: revocation.changed,
    committed: revocation.committed,
    identify: createIdentify({ model, accessTokens, apiKeys, issuers }),
    guard: createGuard(model),
    endpoints: createAuthEndpoints({
      ...options,
      signIn,
      passwordReset,
      password: model.accounts.password.spec,
    }),
    hashPassword: passwords.hash,
    makeToken(prefix) {
      const { text, hash } = createOpaqueToken(prefix as OpaqueTokenPrefix)
      return { token: text, hash }
    },
    refresh: news.refresh,
    async close() {
      await passwordReset.close()
      await news.close(clock())
    },
  }
}
