// What was sent, once its form is known to be well.

import type { AcceptedList, ActionModel } from '../resource/model/model.ts'
import type { AcceptedChildren } from '../resource/model/nested.ts'
import type { KeyedReference } from './keyed-reference.ts'

/** What was sent, by field, as a record holds it. `also` are the moves that shall follow. */
export interface ValidInput {
  readonly fields: Readonly<Record<string, unknown>>
  readonly also: readonly ActionModel[]
  /** The records that are named by keys, whose ids are not among the fields yet. */
  readonly keyed: readonly KeyedReference[]
  readonly lists: ListInput
}

/** The records that a record is to be linked with, and no others that the writer may read. */
export interface LinkInput {
  readonly list: AcceptedList
  /** What the client calls the list. */
  readonly path: string
  readonly ids: readonly string[]
}
/** A child that is to be made, or changed. */
export interface ChildInput {
  readonly list: AcceptedChildren
  /** Where it stands in the input of its parent: `lines[2]`. */
  readonly path: string
  readonly action: ActionModel
  /** Null for a new one. */
  readonly id: string | null
  readonly input: ValidInput
}
/** The children that a stored record shall have: those that are named, new ones, and no others that the writer may read. */
export interface ReplacedList {
  readonly list: AcceptedChildren
  /** What the client calls the list. */
  readonly path: string
  /** Those that stay, with where each stands. */
  readonly named: readonly { readonly id: string; readonly path: string }[]
}
export interface ListInput {
  readonly links: readonly LinkInput[]
  readonly children: readonly ChildInput[]
  readonly replaced: readonly ReplacedList[]
}
