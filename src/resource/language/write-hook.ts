// `onWrite`: one piece of code for every write of a service, whatever the resource.

import type { Records } from './action.ts'
import type { Caller } from './rule.ts'

/** A write on its way, as the hook of the service is told of it. */
export interface WriteMoment {
  /** The name of its resource, such as `Invoice`. */
  readonly resource: string
  /** `create`, `update`, `delete` or a move; null where code writes fields without an action. */
  readonly action: string | null
  readonly id: string
  /** What is going to be written, by field, which the hook may change and add to; null for a delete. Secrets are not in it. */
  readonly change: Record<string, unknown> | null
  /** Null where nobody is signed in, and for the service itself. */
  readonly actor: Caller | null
  readonly now: Date
  /** As it is going to be; for a delete, as it was. */
  readonly record: Readonly<Record<string, unknown>>
  /** As it was; null for a new record. */
  readonly before: Readonly<Record<string, unknown>> | null
  /** Other records, as in an effect. What is written with them is not told to the hook again. */
  readonly records: Records
}

/** A returned sentence is 422 and undoes everything. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that refuses nothing returns nothing
export type OnWrite = (moment: WriteMoment) => Promise<void | string>
