// What the runner is given: everything that is not the call itself.

import type { Limits } from '../limits.ts'
import type { PlanCache } from '../read-plan/plan-cache.ts'
import type { Model, ResourceModel } from '../resource/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { Program, Store } from '../store/store.ts'

export interface RunnerContext {
  readonly model: Model
  readonly store: Store
  readonly dialect: Dialect
  readonly plans: PlanCache
  readonly limits: Limits
  readonly clock: () => Date
  /** A new id, such as `post_01J…`. */
  readonly newId: (resource: ResourceModel, now: Date) => string
  readonly secrets: Secrets
  /** Writes events into the transaction that they belong to. */
  readonly emit: (events: readonly EmittedEvent[], now: Date) => Program<void>
  /** Told inside the transaction when accounts were deleted, or their role or state changed. */
  readonly accountsChanged: (change: AccountsChanged, now: Date) => Program<void>
  /** Called after the commit of a transaction that emitted events or changed accounts. */
  readonly committed: (happened: {
    readonly events: readonly EmittedEvent[]
    readonly accounts: AccountsChanged | null
  }) => void
}
export interface Secrets {
  /** Hashes a password off the main thread. SERVICE_UNAVAILABLE when too many wait. */
  hashPassword(password: string): Promise<string>
  makeToken(prefix: string): { readonly token: string; readonly hash: string }
  /** A keyed hash of a request body's canonical text. */
  fingerprint(text: string): string
}
export interface EmittedEvent {
  readonly name: string
  readonly resource: string
  readonly id: string
  /** The id of the record that subscribers name, for an event `by` a relation. */
  readonly by: string | null
}
export interface AccountsChanged {
  readonly ids: readonly string[]
  /** `ended`: deleted or no longer in the state in which an account may sign in. */
  readonly kind: 'role' | 'ended'
}
