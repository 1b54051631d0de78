// Assembles authentication: keys, tokens, sessions, API keys, denials and their endpoints. (contract 4.12, 5.1, 5.2, 5.3)

import type { IncomingHttpHeaders } from 'node:http'
import type { Limits } from '../limits.ts'
import type { Mail } from '../mail/mailer.ts'
import type { Log } from '../observation/log.ts'
import type { Model } from '../resource/model/model.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import type { Store } from '../store/store.ts'
import { withAccessCodes } from './access-code.ts'
import { type AccountStore, accountTable, createAccountStore } from './account/account-store.ts'
import { createPasswords } from './account/password.ts'
import { createSecurityEvents, type SecurityEvents } from './account/security-events.ts'
import { createApiKeys } from './api-key/api-keys.ts'
import { type AuthEndpoints, createAuthEndpoints, type EndpointDependencies } from './endpoints.ts'
import { createGuard, type Guard } from './guard.ts'
import { createIdentify, type Identify } from './identify.ts'
import { secretTable } from './installation-secret.ts'
import { createOutsideAccountStore, outsideAccountTable } from './issuer/outside-account-store.ts'
import { createOutsideIssuer, type OutsideIssuer, type TrustedIssuer } from './issuer/outside-issuer.ts'
import { readProvision } from './issuer/provision.ts'
import { type CreateAccount, claimedAccount, createFindAccount, type FindAccount } from './issuer/provisioning.ts'
import type { KeyRing } from './key/key-ring.ts'
import { keyTable } from './key/key-storage.ts'
import { type ChangePasswordDependencies, createChangePassword } from './method/change-password.ts'
import { createMethodEndpoints, type MethodEndpointDependencies } from './method/endpoints.ts'
import { createReauthenticate, type ReauthenticateDependencies } from './method/reauthenticate.ts'
import {
  createSessionAuthentications,
  type SessionAuthentications,
  sessionAuthenticationTable,
} from './method/session-authentication.ts'
import { createOpaqueToken, type OpaqueTokenPrefix } from './opaque-token.ts'
import { createRefusalLog } from './refusal-log.ts'
import { createRevocation, type Revocation } from './revocation.ts'
import { createPasswordReset } from './session/password-reset.ts'
import { createPasswordResetStore, passwordResetTable } from './session/password-reset-store.ts'
import { createSessionStore, sessionTables } from './session/session-store.ts'
import { createSignIn, type SignInCounts } from './session/sign-in.ts'
import { createRevocationSync } from './sync.ts'
import { createAccessTokens } from './token/access-token.ts'
import { createDenialStore, denialTable, type Notice } from './token/denial-store.ts'
import { createDenylist, type Denylist } from './token/denylist.ts'
import type { ReadJson } from './token/signed-text.ts'

/** Those of sign-in methods only if the service has some. */
export const authenticationTables = ({ accounts }: Pick<Model, 'accounts'>) => [
  keyTable,
  accountTable,
  sessionTables,
  passwordResetTable,
  denialTable,
  secretTable,
  outsideAccountTable,
  ...(accounts.methods === null ? [] : [sessionAuthenticationTable]),
]

export interface AuthenticationOptions {
  /** Including the library's own resources. */
  readonly model: Model
  readonly store: Store
  readonly keys: KeyRing
  readonly issuer: string
  readonly audience: string
  readonly issuers: readonly TrustedIssuer[]
  /** For provisioning; resolves when the runner exists. */
  readonly createAccount: Promise<CreateAccount>
  readonly refreshTokenIn: 'body' | 'cookie'
  readonly basePath: string
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
  readonly counts: Readonly<SignInCounts>
  /** The number of credentials denied before they expire. */
  readonly denials: number
  readonly hashPassword: (password: string) => Promise<string>
  readonly unusableHash: string
  makeToken(prefix: string): { readonly token: string; readonly hash: string }
  /**
   * Reads denials and signing keys of other instances, stores last uses of API keys, and at times deletes expired rows. To be
   * called every `noticesMs`. Never rejects: logs failures and retries at the next call.
   */
  refresh(now: Date): Promise<void>
  /** Sends queued mails and stores pending last uses. */
  close(): Promise<void>
}

/** Loads every unexpired denial. The tables must exist. */
export async function openAuthentication(options: AuthenticationOptions): Promise<Authentication> {
  const { model, store, keys, limits, clock, log } = options
  const stores = createStores(options)
  const { sessions, resets, denials } = stores
  const denylist = createDenylist(limits.denials, log)
  const apiKeys = createApiKeys(model, store, limits)
  const apply = (notice: Notice, now: Date): void => {
    if (notice.kind !== 'apiKey') denylist.deny(notice, now)
    apiKeys.apply(notice)
  }

  const lifetimeSeconds = Math.max(limits.accessTokenSeconds, ...options.issuers.map((each) => each.lifetimeSeconds))
  const revocation = createRevocation({ ...stores, model, apply, lifetimeSeconds, limits })
  const passwords = await createPasswords(limits, log)
  const parts = { ...options, ...stores, passwords, denylist, apply }
  const passwordReset = createPasswordReset({
    ...parts,
    revokeUsers: revocation.revokeUsers,
    send: options.sendMail,
    linkTemplate: options.passwordResetUrl,
  })
  const accessTokens = createAccessTokens(parts)
  const signIn = createSignIn({ ...parts, accessTokens })
  const sync = createRevocationSync({
    store,
    denials,
    keys,
    apiKeys,
    sweeps: [sessions, resets, denials],
    apply,
    limits,
    log,
  })
  const identify = createIdentify({
    model,
    accessTokens,
    apiKeys,
    issuers: outsideIssuers(parts),
    logRefusal: createRefusalLog(log),
  })
  await sync.start(clock())
  return {
    counts: signIn.counts,
    get denials() {
      return denylist.size
    },
    changed: revocation.changed,
    committed: revocation.committed,
    identify: withAccessCodes(identify, model),
    guard: createGuard(model),
    endpoints: createAuthEndpoints({
      ...options,
      signIn,
      passwordReset,
      password: model.accounts.password.spec,
      methods: methodsOf({ ...parts, identify, signIn, accessTokens, endOtherSessions: revocation.endOtherSessions }),
    }),
    hashPassword: passwords.hash,
    unusableHash: passwords.unusableHash,
    makeToken(prefix) {
      const { text, hash } = createOpaqueToken(prefix as OpaqueTokenPrefix)
      return { token: text, hash }
    },
    refresh: sync.refresh,
    async close() {
      await passwordReset.close()
      await sync.close(clock())
    },
  }
}

function createStores({ model, store, limits, log }: AuthenticationOptions) {
  const dialect = dialectOf(store.engine)
  const accounts = createAccountStore(model.accounts, dialect)
  const events = createSecurityEvents(model.byName.get('SecurityEvent')!, dialect, log)
  const resource = model.byName.get('Session')!
  const authentications = model.accounts.methods === null ? null : createSessionAuthentications(dialect)
  return {
    accounts,
    events,
    authentications,
    sessions: createSessionStore({ resource, accounts, events, limits, dialect, authentications }),
    resets: createPasswordResetStore(accounts, limits, dialect),
    denials: createDenialStore(dialect),
  }
}

interface MethodParts
  extends ChangePasswordDependencies,
    Omit<ReauthenticateDependencies, 'authentications'>,
    Pick<MethodEndpointDependencies, 'identify' | 'limits'> {
  readonly model: Model
  readonly authentications: SessionAuthentications | null
}

function methodsOf({ authentications, ...parts }: MethodParts): EndpointDependencies['methods'] {
  if (authentications === null) return {}
  return createMethodEndpoints({
    ...parts,
    password: parts.model.accounts.password.spec,
    reauthenticate: createReauthenticate({ ...parts, authentications }),
    changePassword: createChangePassword(parts),
  })
}

function outsideIssuers(
  parts: AuthenticationOptions & {
    readonly accounts: AccountStore
    readonly events: SecurityEvents
    readonly denylist: Denylist
  },
): readonly OutsideIssuer[] {
  const { model, store, accounts, denylist, readJson, log, limits } = parts
  const links = createOutsideAccountStore(model.accounts, dialectOf(store.engine))
  // A suspended or deleted account may not act with an outside token either.
  const admits = async (actorId: string) => (await store.read(accounts.status(actorId))) !== 'refused'
  const findAccountBy = ({ issuer, actorFrom }: TrustedIssuer): FindAccount =>
    typeof actorFrom === 'function'
      ? claimedAccount(actorFrom, admits)
      : createFindAccount(readProvision(actorFrom, issuer, model), { ...parts, links })
  return parts.issuers.map((each) => {
    const findAccount = findAccountBy(each)
    return createOutsideIssuer({ ...each, findAccount, denylist, fetch: globalThis.fetch, readJson, log, limits })
  })
}
