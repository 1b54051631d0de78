// What the runner is given: everything that is not the call itself.

import type { Limits } from '../limits.ts'
import type { PlanCache } from '../read-plan/plan-cache.ts'
import type { ActionModel, Model, ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { Program, Store } from '../store/store.ts'
import type { Write, WriteOutcome } from './call.ts'
import type { CodeFaces } from './code-face.ts'
import type { Cipher } from './encrypted-value.ts'

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
  readonly cipher: Cipher
  /** How code reads records inside of a transaction. */
  readonly codeFaces: CodeFaces
  /** Writes events into the transaction that they belong to. */
  readonly emit: (events: readonly EmittedEvent[], now: Date) => Program<void>
  /** Refuses what no rule of a definition can say: what API keys must not write. Fails with FORBIDDEN. (contract 5.3.7) */
  readonly beforeValidation: (call: Write) => void
  /** The same of what is well formed and means nothing: scopes that there are not. Fails with BUSINESS_RULE_VIOLATION. */
  readonly afterValidation: (call: Write) => void
  /** Told inside the transaction what a write changed, so that what depends on it changes with it or not at all. */
  readonly changed: (change: Change, now: Date) => Program<void>
  /** Called after the commit. Must not throw, and is not waited for. */
  readonly committed: (change: Change) => void
}
export interface Written {
  readonly outcome: WriteOutcome
  /** Null where nothing was written, because an idempotency key was seen before. */
  readonly change: Change | null
}
/** What one write did. */
export interface Change {
  /** Null where the service itself acted; then all that it did stands in `others` and `events`. */
  readonly action: ActionModel | null
  readonly records: readonly ChangedRecord[]
  /** What effects changed beside them, and what was deleted because it required one of them. */
  readonly others: readonly OtherChange[]
  readonly events: readonly EmittedEvent[]
}
export interface ChangedRecord {
  readonly id: string
  /** Fields by name; null for a new record. */
  readonly before: Readonly<Record<string, unknown>> | null
  /** As it was, where the record was deleted. */
  readonly after: Readonly<Record<string, unknown>>
  /** Which of its secrets were written. */
  readonly secrets: readonly string[]
}
export interface OtherChange {
  readonly resource: ResourceModel
  readonly id: string
  /** The fields that were written; null where the record was deleted. */
  readonly change: Readonly<Record<string, unknown>> | null
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
  /** For reactions alone: tokens of the record that was made; null where its event names none. */
  readonly tokens: Readonly<Record<string, string>> | null
  /** What the fields were before that it tells of, as the outbox keeps it; null where it tells of none. */
  readonly previous: string | null
}
