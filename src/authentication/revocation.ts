// What becomes of tokens when accounts and sessions change: decided inside the transaction that changes them. (contract 3)

import type { Limits } from '../limits.ts'
import type { Model, ResourceModel } from '../resource/model.ts'
import type { Program } from '../store/store.ts'
import type { DenialStore } from './denial-store.ts'
import type { Denial, Denylist } from './denylist.ts'
import type { SessionStore } from './session-store.ts'

/** A write as revocation sees it. */
export interface AccountChange {
  readonly action: { readonly resource: ResourceModel; readonly kind: string }
  readonly records: readonly {
    readonly id: string
    readonly before: Readonly<Record<string, unknown>> | null
    readonly after: Readonly<Record<string, unknown>>
  }[]
}

export interface Revocation {
  changed(change: AccountChange, now: Date): Program<void>
  /** After the commit: this instance refuses what the transaction denied. */
  committed(change: AccountChange, now: Date): void
  /** Refuses every token of these users, access and refresh; for password resets. */
  revokeUsers(userIds: readonly string[], now: Date): Program<readonly Denial[]>
}

export function createRevocation(
  model: Model,
  sessions: SessionStore,
  denials: DenialStore,
  denylist: Denylist,
  limits: Pick<Limits, 'accessTokenSeconds'>,
): Revocation {
  const { resource: accounts, role, status, active } = model.accounts
  const pending = new WeakMap<AccountChange, readonly Denial[]>()
  const lastExpiry = (now: Date) => new Date(now.getTime() + limits.accessTokenSeconds * 1000)

  function* refuseAccess(userIds: readonly string[], now: Date): Program<readonly Denial[]> {
    const epochs = yield* sessions.refuseAccess(userIds)
    const made = userIds.map(
      (userId): Denial => ({ kind: 'user', userId, epoch: epochs.get(userId)!, at: now, until: lastExpiry(now) }),
    )
    yield* denials.add(made, now)
    return made
  }
  function* revokeUsers(userIds: readonly string[], now: Date): Program<readonly Denial[]> {
    yield* sessions.revokeAll(userIds, now)
    return yield* refuseAccess(userIds, now)
  }

  function* decide({ action, records }: AccountChange, now: Date): Program<readonly Denial[]> {
    const isRemoved = action.kind === 'delete'
    if (action.resource === accounts) {
      const isEnded = ({ before, after }: AccountChange['records'][number]) =>
        before !== null && (isRemoved || (before[status.field] === active && after[status.field] !== active))
      const ended = records.filter(isEnded).map((each) => each.id)
      const moved = records.filter(
        (each) => each.before !== null && !isEnded(each) && each.before[role.field] !== each.after[role.field],
      )
      const made = ended.length === 0 ? [] : yield* revokeUsers(ended, now)
      return moved.length === 0
        ? made
        : [
            ...made,
            ...(yield* refuseAccess(
              moved.map((each) => each.id),
              now,
            )),
          ]
    }
    if (action.resource.name === 'Session' && isRemoved) {
      const made = records.map(({ id }): Denial => ({ kind: 'session', sessionId: id, until: lastExpiry(now) }))
      yield* denials.add(made, now)
      return made
    }
    return []
  }

  return {
    revokeUsers,
    *changed(change, now) {
      const made = yield* decide(change, now)
      if (made.length > 0) pending.set(change, made)
    },
    committed(change, now) {
      for (const denial of pending.get(change) ?? []) denylist.deny(denial, now)
    },
  }
}
