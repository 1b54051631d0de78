// What becomes of tokens and keys when accounts, sessions and keys change: decided inside the transaction that changes
// them, and put to use here as soon as it is committed. (contract 3)

import type { Limits } from '../limits.ts'
import type { Model, ResourceModel } from '../resource/model.ts'
import type { Program } from '../store/store.ts'
import type { AccountStore } from './account-store.ts'
import type { DenialStore, Notice } from './denial-store.ts'
import type { SessionStore } from './session-store.ts'

type Values = Readonly<Record<string, unknown>>

/** A write as revocation sees it. */
export interface AccountChange {
  /** Null where the service itself acted. */
  readonly action: { readonly resource: ResourceModel; readonly kind: string } | null
  readonly records: readonly {
    readonly id: string
    readonly before: Values | null
    readonly after: Values
    /** Which of its secrets were written. */
    readonly secrets: readonly string[]
  }[]
  /** What effects changed, and what was deleted because it required what was: then `change` is null. */
  readonly others: readonly { readonly resource: ResourceModel; readonly id: string; readonly change: Values | null }[]
}

export interface Revocation {
  changed(change: AccountChange, now: Date): Program<void>
  /** After the commit: this instance refuses what the transaction denied. */
  committed(change: AccountChange, now: Date): void
  /** Refuses every token of these users, access and refresh; their accounts are locked. */
  revokeUsers(userIds: readonly string[], now: Date): Program<readonly Notice[]>
}

export interface RevocationGiven {
  readonly model: Model
  readonly accounts: AccountStore
  readonly sessions: SessionStore
  readonly denials: DenialStore
  /** Puts a notice to use in this instance. */
  readonly take: (notice: Notice, now: Date) => void
  /** The longest that any access token lives, those of outside issuers included. */
  readonly lifetimeSeconds: number
  readonly limits: Pick<Limits, 'clockSkewSeconds'>
}

export function createRevocation(given: RevocationGiven): Revocation {
  const { model, accounts, sessions, denials, take, lifetimeSeconds, limits } = given
  const pending = new WeakMap<AccountChange, readonly Notice[]>()
  const after = (now: Date, seconds: number) => new Date(now.getTime() + seconds * 1000)
  // Tokens that concern us may have been issued by a clock that is ahead of this one.
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
    const { ended, moved } = accountsIn(change, model)
    const deleted = (name: string) => deletedIn(change, model.byName.get(name)!)
    const notices: Notice[] = []
    if (ended.length > 0) notices.push(...(yield* revokeUsers(ended, now)))
    if (moved.length > 0) notices.push(...(yield* refuseAccess(moved, now)))
    // What goes with its account is refused with it.
    if (ended.length > 0) return notices
    const sessionIds = deleted('Session')
    if (sessionIds.length > 0) yield* sessions.forget(sessionIds)
    const gone: readonly Notice[] = [
      ...sessionIds.map((sessionId): Notice => ({ kind: 'session', sessionId, until: lastExpiry(now) })),
      ...deleted('ApiKey').map((keyId): Notice => ({ kind: 'apiKey', keyId, until: lastExpiry(now) })),
    ]
    yield* denials.add(gone, now)
    return [...notices, ...gone]
  }

  return {
    revokeUsers,
    *changed(change, now) {
      const notices = yield* decide(change, now)
      if (notices.length > 0) pending.set(change, notices)
    },
    committed(change, now) {
      for (const notice of pending.get(change) ?? []) take(notice, now)
    },
  }
}

/** Accounts that may not sign in any more, or only with another password; and those whose role is another now. */
function accountsIn({ action, records, others }: AccountChange, { accounts }: Model) {
  const { resource, role, status, active, password } = accounts
  const ended = new Set<string>()
  const moved = new Set<string>()
  if (action?.resource === resource) {
    for (const { id, before, after, secrets } of records) {
      if (before === null) continue
      const stops = before[status.field] === active && after[status.field] !== active
      if (action.kind === 'delete' || stops || secrets.includes(password.field)) ended.add(id)
      else if (before[role.field] !== after[role.field]) moved.add(id)
    }
  }
  for (const { id, change } of others.filter((each) => each.resource === resource)) {
    // What it was before is not known here: to refuse once too often only costs a renewal.
    if (change === null || (status.field in change && change[status.field] !== active)) ended.add(id)
    else if (role.field in change) moved.add(id)
  }
  return { ended: [...ended].sort(), moved: [...moved].filter((id) => !ended.has(id)).sort() }
}

const deletedIn = ({ action, records, others }: AccountChange, resource: ResourceModel): readonly string[] => [
  ...(action?.resource === resource && action.kind === 'delete' ? records.map(({ id }) => id) : []),
  ...others.filter((each) => each.resource === resource && each.change === null).map(({ id }) => id),
]
