// Revokes tokens and keys when accounts, sessions and keys change: decided in the transaction that changes them, and
// applied to this instance after its commit. (contract 3.4.2)

import type { Limits } from '../limits.ts'
import type { Model, ResourceModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'
import type { AccountStore } from './account/account-store.ts'
import type { SessionStore } from './session/session-store.ts'
import type { DenialStore, Notice } from './token/denial-store.ts'

type Values = Readonly<Record<string, unknown>>

/** What a write changed, as far as revocation depends on it. */
export interface AccountChange {
  /** Null where the service itself acted. */
  readonly action: { readonly resource: ResourceModel; readonly kind: string } | null
  readonly records: readonly {
    readonly id: string
    readonly before: Values | null
    readonly after: Values
    /** Names of the secret fields that were written. */
    readonly secrets: readonly string[]
  }[]
  /** Records that effects changed, or that were deleted with one they require: then `change` is null. */
  readonly others: readonly { readonly resource: ResourceModel; readonly id: string; readonly change: Values | null }[]
}

export interface Revocation {
  changed(change: AccountChange, now: Date): Program<void>
  /** After the commit: applies the denials to this instance. */
  committed(change: AccountChange, now: Date): void
  /** Refuses every token of these users, access and refresh; their accounts are locked. */
  revokeUsers(userIds: readonly string[], now: Date): Program<readonly Notice[]>
}

export interface RevocationDependencies {
  readonly model: Model
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly denials: DenialStore
  /** Applies a notice to this instance. */
  readonly apply: (notice: Notice, now: Date) => void
  /** The longest lifetime of an access token, those of outside issuers included. */
  readonly lifetimeSeconds: number
  readonly limits: Pick<Limits, 'clockSkewSeconds'>
}

export function createRevocation(dependencies: RevocationDependencies): Revocation {
  const { model, accounts, sessions, denials, apply: take, lifetimeSeconds, limits } = dependencies
  const pending = new WeakMap<AccountChange, readonly Notice[]>()
  const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)
  // A token may have been issued by a clock that is ahead of this one.
  const lastExpiry = (now: Date) => after(now, lifetimeSeconds + limits.clockSkewSeconds)
  const lastIssue = (now: Date) => after(now, limits.clockSkewSeconds)

  function* refuseAccess(userIds: readonly string[], now: Date): Program<readonly Notice[]> {
    const notices: Notice[] = []
    for (const userId of userIds) {
      const epoch = yield* accounts.raiseAccessEpoch(userId)
      notices.push({ kind: 'user', userId, epoch, at: lastIssue(now), until: lastExpiry(now) })
    }
    yield* denials.add(notices, now)
    return notices
  }
  function* revokeUsers(userIds: readonly string[], now: Date): Program<readonly Notice[]> {
    yield* sessions.revokeAll(userIds, now)
    return yield* refuseAccess(userIds, now)
  }

  function* decide(change: AccountChange, now: Date): Program<readonly Notice[]> {
    const { ended: endedIds, moved: changedRoleIds } = accountsIn(change, model)
    const deletedIds = (name: string) => deletedIn(change, model.byName.get(name)!)
    const notices: Notice[] = []
    if (endedIds.length > 0) notices.push(...(yield* revokeUsers(endedIds, now)))
    if (changedRoleIds.length > 0) notices.push(...(yield* refuseAccess(changedRoleIds, now)))
    // The denial of an account covers its sessions and keys.
    if (endedIds.length > 0) return notices
    const sessionIds = deletedIds('Session')
    if (sessionIds.length > 0) yield* sessions.forget(sessionIds)
    const endNotices: readonly Notice[] = [
      ...sessionIds.map((sessionId): Notice => ({ kind: 'session', sessionId, until: lastExpiry(now) })),
      ...deletedIds('ApiKey').map((keyId): Notice => ({ kind: 'apiKey', keyId, until: lastExpiry(now) })),
    ]
    yield* denials.add(endNotices, now)
    return [...notices, ...endNotices]
  }

  const watched = new Set([model.accounts.resource, model.byName.get('Session'), model.byName.get('ApiKey')])
  /** Most writes are of other records, and are to cost nothing here. */
  const concerned = ({ action, others }: AccountChange): boolean => others.length > 0 || watched.has(action?.resource)

  return {
    revokeUsers,
    *changed(change, now) {
      if (!concerned(change)) return
      const notices = yield* decide(change, now)
      if (notices.length > 0) pending.set(change, notices)
    },
    committed(change, now) {
      for (const notice of pending.get(change) ?? []) take(notice, now)
    },
  }
}

/** The accounts that may no longer sign in, or only with another password; and those whose role has changed. */
function accountsIn({ action, records, others }: AccountChange, { accounts }: Model) {
  const { resource, role, status, activeState, password } = accounts
  const endedIds = new Set<string>()
  const changedRoleIds = new Set<string>()
  if (action?.resource === resource) {
    for (const { id, before, after, secrets } of records) {
      if (before === null) continue
      const isSuspended = before[status.field] === activeState && after[status.field] !== activeState
      if (action.kind === 'delete' || isSuspended || secrets.includes(password.field)) endedIds.add(id)
      else if (before[role.field] !== after[role.field]) changedRoleIds.add(id)
    }
  }
  for (const { id, change } of others.filter((each) => each.resource === resource)) {
    // The previous value is unknown here; a needless denial only costs the client a renewal.
    if (change === null || (status.field in change && change[status.field] !== activeState)) endedIds.add(id)
    else if (role.field in change) changedRoleIds.add(id)
  }
  return { ended: [...endedIds].sort(), moved: [...changedRoleIds].filter((id) => !endedIds.has(id)).sort() }
}

const deletedIn = ({ action, records, others }: AccountChange, resource: ResourceModel): readonly string[] => [
  ...(action?.resource === resource && action.kind === 'delete' ? records.map(({ id }) => id) : []),
  ...others.filter((each) => each.resource === resource && each.change === null).map(({ id }) => id),
]
