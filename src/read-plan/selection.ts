// What a client requests, as a tree: REST's path and `fields=`, or GraphQL's selection set, in one form.
// Keys are what the asking face wants to read in the answer; nobody below a face interprets them.

import type { Column } from '../resource/model/column.ts'
import type { ActionModel, LinkRelation, ManyRelation, OneRelation, ResourceModel } from '../resource/model/model.ts'
import type { ListShape } from '../store/sql/list-shape.ts'
import type { Living } from '../store/sql/sql-text.ts'

// Faces write lists down and hand values over; they need not know of the store for that.
export type { Dialect } from '../store/sql/dialect.ts'
export {
  type FilterUse,
  isShown,
  keyName,
  type ListShape,
  type SortKey,
  sortKey,
  totalOrder,
} from '../store/sql/list-shape.ts'
export type { Value } from '../store/store.ts'

export interface Selection {
  readonly resource: ResourceModel
  readonly parts: readonly Part[]
  /** A field that this reader may not see is left out, or refused with an error at its path. (contract 2.7.8, 2.7.9) */
  readonly hidden: 'omit' | 'refuse'
}

export type Part =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | {
      readonly kind: 'field'
      readonly key: string
      readonly field: string
      readonly shape?: ValueShape
      readonly nullable: boolean
    }
  | {
      readonly kind: 'one'
      readonly key: string
      readonly relation: OneRelation
      readonly of: Selection
      readonly nullable: boolean
    }
  | {
      readonly kind: 'list'
      readonly key: string
      readonly relation: ManyRelation | LinkRelation
      readonly list: ListShape
      /** Which of the run's list arguments are this list's. */
      readonly slot: number
      readonly of: Selection
      readonly nullable: boolean
    }
  /** The ids of the records that it is linked with and the reader may read; left out where they are more than a request can write. */
  | { readonly kind: 'links'; readonly key: string; readonly relation: LinkRelation }
  /** Which of these actions the reader may begin with the record. */
  | { readonly kind: 'can'; readonly key: string; readonly parts: readonly CanPart[] }
  /** The record itself, as a part of what is told of it. */
  | { readonly kind: 'self'; readonly key: string; readonly of: Selection }
  /** What fields of it were before, as the run is given it; null where the reader may not see the field. */
  | { readonly kind: 'previous'; readonly key: string; readonly parts: readonly PreviousPart[] }
export type PreviousPart =
  | { readonly key: string; readonly field: string }
  | { readonly key: string; readonly field: null; readonly json: string }
export type CanPart =
  | { readonly key: string; readonly action: ActionModel }
  | { readonly key: string; readonly action: null; readonly json: string }

/** How the parts of an embedded object are written, and which of them. */
export interface ValueShape {
  readonly parts: readonly {
    readonly key: string
    readonly part: string | null
    readonly constant?: string
    readonly shape?: ValueShape
  }[]
}

/** A whole answer: one record, several by id, or a list with what it says of itself. */
export type Root =
  | { readonly kind: 'record'; readonly of: Selection; readonly etag: boolean }
  /** Unscoped: what a write answers, to an actor who was allowed to make it; fields stay protected. */
  | {
      readonly kind: 'records'
      readonly of: Selection
      readonly etag: boolean
      readonly scoped: boolean
      /** Those that were deleted at the moment that it is run with, as they were until then. */
      readonly living?: Living
      /** The references of which it prints what they named before. */
      readonly previous?: readonly OneRelation[]
    }
  | {
      readonly kind: 'list'
      readonly list: ListShape
      readonly within: { readonly relation: ManyRelation | LinkRelation; readonly holder: ResourceModel } | null
      readonly parts: ListParts
      readonly total: boolean
      /** In place of the total: the column whose values are added up. */
      readonly sum?: Column
    }

/** A list printed as an array, or as a connection. */
export type ListParts =
  | { readonly as: 'array'; readonly of: Selection }
  | { readonly as: 'connection'; readonly parts: readonly ConnectionPart[] }
export type ConnectionPart =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | { readonly kind: 'totalCount'; readonly key: string }
  | { readonly kind: 'nodes'; readonly key: string; readonly of: Selection }
  | { readonly kind: 'edges'; readonly key: string; readonly parts: readonly EdgePart[] }
  | { readonly kind: 'pageInfo'; readonly key: string; readonly parts: readonly PageInfoPart[] }
export type EdgePart =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | { readonly kind: 'cursor'; readonly key: string }
  | { readonly kind: 'node'; readonly key: string; readonly of: Selection }
export type PageInfoPart =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | { readonly kind: 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'; readonly key: string }
