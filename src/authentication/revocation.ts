// Revokes tokens and keys when accounts, sessions and keys change: in the transaction, and on this instance after its commit.
// (contract 3.4.2)

import type { Limits } from '../limits.ts'
import type { Caller } from '../resource/actor.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'
import type { AccountStore } from './account/account-store.ts'
import type { ApiKeyStore } from './api-key/api-key-store.ts'
import type { AddressTokenStore } from './method/address-token-store.ts'
import type { PasswordResetStore } from './session/password-reset-store.ts'
import type { SessionStore } from './session/session-store.ts'
import type { DenialStore, Notice } from './token/denial-store.ts'

type Values = Readonly<Record<string, unknown>>

export interface AccountChange {
  readonly action: { readonly resource: ResourceModel; readonly kind: string } | null
  readonly records: readonly {
    readonly id: string
    readonly before: Values | null
    readonly after: Values
    readonly secrets: readonly string[]
  }[]
  /** Records changed by effects, or deleted with another (`change` is then null). */
  readonly others: readonly { readonly resource: ResourceModel; readonly id: string; readonly change: Values | null }[]
  readonly caller?: Caller
  readonly request?: { readonly id: string; readonly address: string; readonly agent: string | null } | null
}

export interface Revocation {
  changed(change: AccountChange, now: Date): Program<void>
  /** Called after the commit; applies the denials to this instance. */
  committed(change: AccountChange, now: Date): void
  /** Refuses all tokens of these users, whose accounts are locked. */
  revokeUsers(userIds: readonly string[], now: Date): Program<readonly Notice[]>
  /** Deletes the API keys and webhooks of this account. */
  endKeys(userId: string, now: Date): Program<readonly Notice[]>
  /** The account is locked. Also ends its reset tokens and challenges. */
  endOtherSessions(userId: string, sessionId: string, now: Date): Program<readonly Notice[]>
}

export interface RevocationDependencies {
  readonly model: Model
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly resets: Pick<PasswordResetStore, 'forget'>
  /** Null: the service has no sign-in methods. */
  readonly addressTokens: Pick<AddressTokenStore, 'forget'> | null
  readonly flows: readonly { forget(userId: string): Program<void> }[]
  readonly denials: DenialStore
  readonly apiKeys: Pick<ApiKeyStore, 'endOf'>
  readonly apply: (notice: Notice, now: Date) => void
  /** Including outside issuers. */
  readonly lifetimeSeconds: number
  readonly limits: Pick<Limits, 'clockSkewSeconds'>
}

export function createRevocation(dependencies: RevocationDependencies): Revocation {
  const { model, accounts, sessions, resets, addressTokens, flows, apiKeys, denials, lifetimeSeconds, limits } =
    dependencies
  const take = dependencies.apply
  const pending = new WeakMap<AccountChange, readonly Notice[]>()
  const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)
  // The issuing clock may be ahead of this one.
  const lastExpiry = (now: Date) => after(now, lifetimeSeconds + limits.clockSkewSeconds)
  const lastIssue = (now: Date) => after(now, limits.clockSkewSeconds)
  const sessionNotices = (ids: readonly string[], now: Date) =>
    ids.map((sessionId): Notice => ({ kind: 'session', sessionId, until: lastExpiry(now) }))
  const keyNotices = (ids: readonly string[], now: Date) =>
    ids.map((keyId): Notice => ({ kind: 'apiKey', keyId, until: lastExpiry(now) }))

  function* deny(notices: readonly Notice[], now: Date): Program<readonly Notice[]> {
    yield* denials.add(notices, now)
    return notices
  }
  function* refuseAccess(userIds: readonly string[], now: Date): Program<readonly Notice[]> {
    const notices: Notice[] = []
    for (const userId of userIds) {
      const epoch = yield* accounts.raiseAccessEpoch(userId)
      notices.push({ kind: 'user', userId, epoch, at: lastIssue(now), until: lastExpiry(now) })
    }
    return yield* deny(notices, now)
  }
  function* forgetTokens(userId: string): Program<void> {
    yield* resets.forget(userId)
    if (addressTokens !== null) yield* addressTokens.forget(userId)
    for (const each of flows) yield* each.forget(userId)
  }
  function* revokeUsers(userIds: readonly string[], now: Date): Program<readonly Notice[]> {
    yield* sessions.revokeAll(userIds, now)
    for (const userId of userIds) yield* forgetTokens(userId)
    return yield* refuseAccess(userIds, now)
  }

  function* decide(change: AccountChange, now: Date): Program<readonly Notice[]> {
    const { endedIds, changedRoleIds, changedLoginIds } = accountsIn(change, model)
    const deletedIds = (name: string) => deletedIn(change, model.byName.get(name)!)
    const revoked = endedIds.length === 0 ? [] : yield* revokeUsers(endedIds, now)
    for (const userId of changedLoginIds) yield* forgetTokens(userId)
    const refused = changedRoleIds.length === 0 ? [] : yield* refuseAccess(changedRoleIds, now)
    const notices = [...revoked, ...refused]
    // Denying an account covers its sessions and keys.
    if (endedIds.length > 0) return notices
    const sessionIds = deletedIds('Session')
    if (sessionIds.length > 0) yield* sessions.forget(sessionIds)
    const endNotices = [...sessionNotices(sessionIds, now), ...keyNotices(deletedIds('ApiKey'), now)]
    return [...notices, ...(yield* deny(endNotices, now))]
  }

  return {
    revokeUsers,
    *endKeys(userId, now) {
      return yield* deny(keyNotices(yield* apiKeys.endOf(userId, now), now), now)
    },
    *endOtherSessions(userId, sessionId, now) {
      const ids = yield* sessions.endOthers(userId, sessionId, now)
      yield* resets.forget(userId)
      for (const each of flows) yield* each.forget(userId)
      return yield* deny(sessionNotices(ids, now), now)
    },
    *changed(change, now) {
      const notices = yield* decide(change, now)
      if (notices.length > 0) pending.set(change, notices)
    },
    committed(change, now) {
      for (const notice of pending.get(change) ?? []) take(notice, now)
    },
  }
}

/** Accounts that can no longer sign in, or only with another password; and those with a changed role or login. */
function accountsIn({ action, records, others }: AccountChange, { accounts }: Model) {
  const { resource, login, role, status, activeState, password } = accounts
  const endedIds = new Set<string>()
  const changedRoleIds = new Set<string>()
  const changedLoginIds = new Set<string>()
  if (action?.resource === resource) {
    for (const { id, before, after, secrets } of records) {
      if (before === null) continue
      const isSuspended = before[status.field] === activeState && after[status.field] !== activeState
      if (action.kind === 'delete' || isSuspended || secrets.includes(password.field)) endedIds.add(id)
      if (before[role.field] !== after[role.field]) changedRoleIds.add(id)
      if (before[login.field] !== after[login.field]) changedLoginIds.add(id)
    }
  }
  for (const { id, change } of others.filter((each) => each.resource === resource)) {
    // Unknown before; a needless denial only costs a renewal or another mail.
    const isSuspended = change !== null && status.field in change && change[status.field] !== activeState
    if (change === null || isSuspended) endedIds.add(id)
    if (change !== null && role.field in change) changedRoleIds.add(id)
    if (change !== null && login.field in change) changedLoginIds.add(id)
  }
  const withoutEnded = (ids: ReadonlySet<string>) => [...ids].filter((id) => !endedIds.has(id)).sort()
  return {
    endedIds: [...endedIds].sort(),
    changedRoleIds: withoutEnded(changedRoleIds),
    changedLoginIds: withoutEnded(changedLoginIds),
  }
}

const deletedIn = ({ action, records, others }: AccountChange, resource: ResourceModel): readonly string[] => [
  ...(action?.resource === resource && action.kind === 'delete' ? records.map(({ id }) => id) : []),
  ...others.filter((each) => each.resource === resource && each.change === null).map(({ id }) => id),
]
