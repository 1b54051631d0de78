// What the runner depends on.

import type { Limits } from '../limits.ts'
import type { PlanCache } from '../read-plan/plan-cache.ts'
import type { Caller } from '../resource/actor.ts'
import type { ActionModel, Model, ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { Program, Store } from '../store/store.ts'
import type { RequestOrigin, Write, WriteOutcome } from './call.ts'
import type { CodeFaces } from './code-face.ts'
import type { Cipher } from './encrypted-value.ts'

export interface RunnerContext {
  readonly model: Model
  readonly store: Store
  readonly dialect: Dialect
  readonly plans: PlanCache
  readonly limits: Limits
  readonly clock: () => Date
  readonly newId: (resource: ResourceModel, now: Date) => string
  readonly secrets: Secrets
  readonly cipher: Cipher
  readonly codeFaces: CodeFaces
  readonly emit: (events: readonly EmittedEvent[], now: Date) => Program<void>
  /** Refuses what API keys must not write. Fails with FORBIDDEN. (contract 5.3.7) */
  readonly beforeValidation: (call: Write) => void
  /** Refuses scopes that do not exist. Fails with BUSINESS_RULE_VIOLATION. */
  readonly afterValidation: (call: Write) => void
  /** Runs in the transaction, so that what depends on the change commits with it. */
  readonly changed: (change: Change, now: Date) => Program<void>
  /** Runs after the commit, is not awaited, and must not throw. */
  readonly committed: (change: Change) => void
}
export interface Written {
  readonly outcome: WriteOutcome
  readonly change: Change | null
}
export interface Change {
  /** Null if the service itself acted: `others` and `events` hold everything. */
  readonly action: ActionModel | null
  readonly records: readonly ChangedRecord[]
  /** By effects, and of records deleted with another. */
  readonly others: readonly OtherChange[]
  readonly events: readonly EmittedEvent[]
  readonly caller: Caller
  readonly request: RequestOrigin | null
}
export interface ChangedRecord {
  readonly id: string
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>>
  readonly secrets: readonly string[]
}
export interface OtherChange {
  readonly resource: ResourceModel
  readonly id: string
  /** The written fields; null for a deleted record. */
  readonly change: Readonly<Record<string, unknown>> | null
}
export interface Secrets {
  /** Hashes off the main thread. Fails with SERVICE_UNAVAILABLE if the queue is full. */
  hashPassword(password: string): Promise<string>
  makeToken(prefix: string): { readonly token: string; readonly hash: string }
  fingerprint(text: string): string
}
export interface EmittedEvent {
  readonly name: string
  readonly resource: string
  readonly id: string
  /** The record that subscribers name, for an event `by` a relation. */
  readonly by: string | null
  /** For reactions: the tokens of the created record, or null. */
  readonly tokens: Readonly<Record<string, string>> | null
  /** As the outbox stores them; null if it has none. */
  readonly previous: string | null
}
