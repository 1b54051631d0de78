// Assembles authentication: keys, tokens, sessions, API keys, denials and their endpoints. (contract 4.12, 5.1, 5.2, 5.3)

import type { DataCipher } from '../encryption/data-cipher.ts'
import type { Mail } from '../mail/mailer.ts'
import type { Model } from '../resource/model/model.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import type { Program } from '../store/store.ts'
import { withAccessCodes } from './access-code.ts'
import { type Account, accountTable, createAccountStore } from './account/account-store.ts'
import { createPasswords } from './account/password.ts'
import { createReplacePassword } from './account/replace-password.ts'
import { createSecurityEvents } from './account/security-events.ts'
import { createApiKeyStore } from './api-key/api-key-store.ts'
import { createApiKeys } from './api-key/api-keys.ts'
import { type AuthEndpoints, createAuthEndpoints } from './endpoints.ts'
import { createGuard, type Guard } from './guard.ts'
import { createIdentify, type Identify } from './identify.ts'
import { secretTable } from './installation-secret.ts'
import { createOutsideAccountStore, outsideAccountTable } from './issuer/outside-account-store.ts'
import { createOutsideIssuer, type OutsideIssuer, type TrustedIssuer } from './issuer/outside-issuer.ts'
import { readProvision } from './issuer/provision.ts'
import { claimedAccount, createFindAccount, type FindAccount } from './issuer/provisioning.ts'
import type { KeyRing } from './key/key-ring.ts'
import { keyTable } from './key/key-storage.ts'
import { type ComposeMail, createMailSender } from './mail/mail-sender.ts'
import { createMailStore, mailTable } from './mail/mail-store.ts'
import type { Links } from './method/compose-mails.ts'
import type { RemovedMethods } from './method/factor/remove-methods.ts'
import { createMethodStores, methodTables } from './method/method-stores.ts'
import { createMethods, type Methods } from './method/methods.ts'
import { createWaysWithoutPassword } from './method/ways-without-password.ts'
import { createOpaqueToken, type OpaqueTokenPrefix } from './opaque-token.ts'
import type { Parts } from './parts.ts'
import { createCeremony } from './passkey/ceremony.ts'
import { type RelyingPartyOptions, relyingParty } from './passkey/relying-party.ts'
import { type AccountChange, createRevocation, type Revocation } from './revocation.ts'
import { createPasswordReset } from './session/password-reset.ts'
import { createPasswordResetStore, passwordResetTable } from './session/password-reset-store.ts'
import { SessionStore, sessionTables } from './session/session-store.ts'
import { createSignIn, type SignInCounts } from './session/sign-in.ts'
import { createRevocationSync } from './sync.ts'
import { mailTexts } from './text/texts.ts'
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
  mailTable,
  denialTable,
  secretTable,
  outsideAccountTable,
  ...(accounts.methods === null ? [] : methodTables(accounts.methods)),
]

type FromService = 'model' | 'store' | 'serviceName' | 'issuer' | 'basePath' | 'isSameOrigin' | 'findReturnUrl'
export interface AuthenticationOptions
  extends Pick<Parts, FromService | 'createAccount' | 'changeAccount' | 'clock' | 'log' | 'limits'> {
  readonly cipher: DataCipher | null
  readonly keys: KeyRing
  readonly audience: string
  readonly issuers: readonly TrustedIssuer[]
  readonly refreshTokenIn: 'body' | 'cookie'
  readonly sendMail: (mail: Mail) => Promise<void>
  readonly passwordResetUrl: string | null
  readonly links: Links
  readonly relyingParty: RelyingPartyOptions
  readonly readJson: ReadJson
}
export interface Authentication extends Pick<Revocation, 'changed' | 'committed'> {
  readonly identify: Identify
  readonly guard: Guard
  readonly endpoints: AuthEndpoints
  readonly counts: Readonly<SignInCounts>
  readonly denials: number
  readonly hashPassword: (password: string) => Promise<string>
  readonly unusableHash: string
  makeToken(prefix: string): { readonly token: string; readonly hash: string }
  /**
   * Reads changes of other instances, stores last uses of API keys, and at times deletes expired rows. To be called every
   * `noticesMs`. Never rejects: logs failures and retries.
   */
  refresh(now: Date): Promise<void>
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
  const replacePassword = createReplacePassword({ ...options, ...stores, revocation, apply })
  const texts = mailTexts(model.accounts.texts)
  const parts = { ...options, ...stores, texts, passwords, denylist, apply, replacePassword }
  const waysWithoutPassword = createWaysWithoutPassword(model.accounts, stores.methods, texts)
  const passwordReset = createPasswordReset({ ...parts, waysWithoutPassword, linkTemplate: options.passwordResetUrl })
  const accessTokens = createAccessTokens(parts)
  const signIn = createSignIn({ ...parts, accessTokens })
  const issuers = outsideIssuers(parts)
  const identify = createIdentify({ model, accessTokens, apiKeys, issuers, log })
  const wakeMails = () => sender.wake()
  const ceremony = model.accounts.methods?.passkeys ? createCeremony(relyingParty(options.relyingParty)) : null
  const methodParts = { ...parts, ceremony, passwordReset, identify, signIn, accessTokens, revocation, wakeMails }
  const methods = stores.methods === null ? null : await createMethods(methodParts, stores.methods)
  const compose = { ...noMethods, ...methods?.compose, reset: passwordReset.compose }
  const sender = createMailSender({ ...parts, compose, send: options.sendMail })
  const sync = createRevocationSync({
    store,
    denials,
    keys,
    apiKeys,
    sweeps: [sessions, resets, denials, ...(stores.methods?.sweeps ?? [])],
    afterSweep: wakeMails,
    apply,
    limits,
    log,
  })
  await sync.start(clock())
  return {
    ...changeHooks(methodParts, methods),
    counts: signIn.counts,
    get denials() {
      return denylist.size
    },
    identify: withAccessCodes(identify, model),
    guard: createGuard(model),
    endpoints: createAuthEndpoints({
      ...options,
      signIn,
      passwordReset,
      methods: methods?.endpoints ?? (() => ({})),
      pages: methods?.pages ?? { GET: {}, POST: {} },
      wakeMails,
    }),
    hashPassword: passwords.hash,
    unusableHash: passwords.unusableHash,
    makeToken(prefix) {
      const { text, hash } = createOpaqueToken(prefix as OpaqueTokenPrefix)
      return { token: text, hash }
    },
    refresh: sync.refresh,
    async close() {
      await sender.close()
      await sync.close(clock())
    },
  }
}

type HookParts = Pick<Parts, 'model' | 'revocation' | 'events' | 'apply' | 'wakeMails'>
function changeHooks(
  { model, revocation, events, apply, wakeMails }: HookParts,
  methods: Methods | null,
): Pick<Authentication, 'changed' | 'committed'> {
  const names = ['Session', 'ApiKey', 'SignInMethod']
  const watched = new Set([model.accounts.resource, ...names.map((name) => model.byName.get(name))])
  const newAddresses = new WeakSet<AccountChange>()
  const removals = new WeakMap<AccountChange, RemovedMethods>()
  return {
    *changed(change, now) {
      const { action, others } = change
      if (others.length === 0 && !watched.has(action?.resource)) return
      yield* revocation.changed(change, now)
      if (methods?.removeMethods) removals.set(change, yield* methods.removeMethods(change, now))
      if (methods?.noteNewAddresses && (yield* methods.noteNewAddresses(change, now))) newAddresses.add(change)
    },
    committed(change, now) {
      revocation.committed(change, now)
      const removed = removals.get(change) ?? nothingRemoved
      for (const notice of removed.notices) apply(notice, now)
      for (const event of removed.events) events.log(event)
      if (newAddresses.has(change) || removed.events.length > 0) wakeMails()
    },
  }
}

const nothing: ComposeMail = async () => null
const noMethods = {
  verify: nothing,
  change: nothing,
  magic: nothing,
  page_magic: nothing,
  password_changed: nothing,
  address_changed: nothing,
  method_added: nothing,
  method_removed: nothing,
  recovery_code_used: nothing,
  second_factor_blocked: nothing,
}

const nothingRemoved: RemovedMethods = { notices: [], events: [] }
function* nothingToRemove(): Program<void> {}

function createStores({ model, store, cipher, limits, log }: AuthenticationOptions) {
  const dialect = dialectOf(store.engine)
  const accounts = createAccountStore(model.accounts, dialect)
  const events = createSecurityEvents(model.byName.get('SecurityEvent')!, dialect, log)
  const resource = model.byName.get('Session')!
  const methods = createMethodStores(model, dialect, { cipher, limits })
  const requiresProof = model.accounts.methods?.requireVerified ?? false
  const isUnproved = ({ isVerified }: Account): boolean => requiresProof && !isVerified
  return {
    accounts,
    events,
    methods,
    isUnproved,
    addressTokens: methods?.addressTokens ?? null,
    flows: methods?.pending ?? [],
    removeMethods: methods?.removeAll ?? nothingToRemove,
    apiKeys: createApiKeyStore(model, dialect),
    mails: createMailStore(dialect, limits),
    sessions: new SessionStore({
      resource,
      accounts,
      events,
      limits,
      dialect,
      authentications: methods?.authentications ?? null,
      isUnproved,
      secondFactorFor: model.accounts.methods?.secondFactorFor ?? new Set(),
    }),
    resets: createPasswordResetStore(accounts, limits, dialect),
    denials: createDenialStore(dialect),
  }
}

function outsideIssuers(
  parts: AuthenticationOptions & Pick<Parts, 'accounts' | 'events'> & { readonly denylist: Denylist },
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
