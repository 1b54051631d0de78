// `onWrite`: code that runs for every write of a service.

import type { Records } from './action.ts'
import type { CallerAccount } from './rule/rule.ts'

/** A write in progress, as the hook receives it. */
export interface WriteMoment {
  readonly resource: string
  /** `create`, `update`, `delete` or a move; null if code writes fields without an action. */
  readonly action: string | null
  readonly id: string
  /** The fields to write, which the hook may change; null for a delete. No secrets. */
  readonly change: Record<string, unknown> | null
  /** Null for anonymous callers and for the service itself. */
  readonly actor: CallerAccount | null
  /** The request that writes; null for a reaction and for the service itself. */
  readonly request: WriteRequest | null
  readonly now: Date
  /** After the write; for a delete, before it. */
  readonly record: Readonly<Record<string, unknown>>
  /** Null for a new record. */
  readonly before: Readonly<Record<string, unknown>> | null
  /** Other records, as in an effect. Writes through it do not run the hook again. */
  readonly records: Records
}

/** A request of a client, as the hook receives it. */
export interface WriteRequest {
  /** Its `X-Request-ID`; of an operation over a WebSocket, that of the connection. */
  readonly id: string
  readonly address: string
  /** Its `User-Agent`; null without one. */
  readonly agent: string | null
  /** The API key of the caller; null without one. */
  readonly keyId: string | null
}

/** Returning a message answers 422 and undoes everything. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that refuses nothing returns nothing
export type OnWrite = (moment: WriteMoment) => Promise<void | string>
