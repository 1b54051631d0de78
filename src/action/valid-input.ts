// Input whose form is valid.

import type { KeyName } from '../resource/model/key.ts'
import type { AcceptedList, ActionModel, ResourceModel } from '../resource/model/model.ts'
import type { AcceptedChildren } from '../resource/model/nested.ts'

/** An id that no record has; null would mean that the input names none. */
export const unknownId = ''

export interface KeyedReference {
  readonly field: string
  readonly path: string
  readonly target: ResourceModel
  /** Without the tenant, which is the record's. */
  readonly name: KeyName
  /** Its place, if it is an element of a list of links. */
  readonly at?: number
}

/** Fields as a record stores them. `also`: the moves that follow. */
export interface ValidInput {
  readonly fields: Readonly<Record<string, unknown>>
  readonly also: readonly ActionModel[]
  /** References by key, whose ids are not in `fields` and `lists` yet. */
  readonly keyed: readonly KeyedReference[]
  readonly lists: ListInput
}

export interface CreateOnly {
  readonly action: ActionModel
  readonly input: ValidInput
}

/** Replaces the links to records that the writer may read. */
export interface LinkInput {
  readonly list: AcceptedList
  readonly path: string
  readonly ids: readonly string[]
  /** Elements that are named by key; `ids` has their places. */
  readonly keyed: readonly KeyedReference[]
}
export interface ChildInput {
  readonly list: AcceptedChildren
  /** Its place in the parent's input: `lines[2]`. */
  readonly path: string
  readonly action: ActionModel
  /** Null for a new child. */
  readonly id: string | null
  readonly input: ValidInput
}
/** Replaces a list of children: others that the writer may read are deleted. */
export interface ReplacedList {
  readonly list: AcceptedChildren
  readonly path: string
  readonly named: readonly { readonly id: string; readonly path: string }[]
}
export interface ListInput {
  readonly links: readonly LinkInput[]
  readonly children: readonly ChildInput[]
  readonly replaced: readonly ReplacedList[]
}
