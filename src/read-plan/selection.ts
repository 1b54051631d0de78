// A request as a tree: REST's path and `fields=`, or GraphQL's selection set. Keys are response keys, opaque below the face.

import type {
  ActionModel,
  LinkRelation,
  ManyRelation,
  OneRelation,
  ResourceModel,
  SortModel,
} from '../resource/model/model.ts'
import type { ListShape } from '../store/sql/condition/list-shape.ts'
import type { Aggregate } from '../store/sql/list/aggregate.ts'
import type { Measurement } from '../store/sql/list/summary.ts'
import type { AsOf } from '../store/sql/text/sql-text.ts'

export {
  type FilterUse,
  isShown,
  keyName,
  type ListShape,
  type SortKey,
  sortKey,
  totalOrder,
} from '../store/sql/condition/list-shape.ts'
// Re-exported, so that faces need not import the store.
export type { Dialect } from '../store/sql/text/dialect.ts'
export type { Value } from '../store/store.ts'

export interface Selection {
  readonly resource: ResourceModel
  readonly parts: readonly Part[]
  /** A hidden field is omitted, or refused with an error at its path. (contract 2.7.8, 2.7.9) */
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
      /** Set if other parts have this key: that of the set relation is printed. */
      readonly either?: { readonly field: string; readonly branches: readonly OneRelation[] }
      readonly of: Selection
      readonly nullable: boolean
    }
  | {
      readonly kind: 'list'
      readonly key: string
      readonly relation: ManyRelation | LinkRelation
      readonly list: ListShape
      readonly slot: number
      readonly of: Selection
      readonly nullable: boolean
    }
  /** Of a new record, from the run's arguments; hidden in others. */
  | { readonly kind: 'token'; readonly key: string; readonly field: string }
  /** Readable linked ids; omitted if there are more than a request can write. */
  | { readonly kind: 'links'; readonly key: string; readonly relation: LinkRelation }
  /** The actions that the reader may begin. */
  | { readonly kind: 'can'; readonly key: string; readonly parts: readonly CanPart[] }
  | { readonly kind: 'self'; readonly key: string; readonly of: Selection }
  /** Previous values from the run's arguments; null if hidden. */
  | { readonly kind: 'previous'; readonly key: string; readonly parts: readonly PreviousPart[] }
export type PreviousPart =
  | { readonly key: string; readonly field: string; readonly shape?: ValueShape }
  | { readonly key: string; readonly field: null; readonly json: string }
export type CanPart =
  | { readonly key: string; readonly action: ActionModel }
  | { readonly key: string; readonly action: null; readonly json: string }

export type ValueShape = ObjectShape | WordShape
export interface ObjectShape {
  readonly parts: readonly {
    readonly key: string
    readonly part: string | null
    readonly constant?: string
    readonly shape?: ValueShape
  }[]
}
export interface WordShape {
  readonly words: ReadonlyMap<string, string>
}

/** A whole answer: a record, several by id, or a list. */
export type Root =
  | { readonly kind: 'record'; readonly of: Selection; readonly etag: boolean }
  /** Unscoped: for the answer of an authorized write; fields stay protected. */
  | {
      readonly kind: 'records'
      readonly of: Selection
      readonly etag: boolean
      readonly scoped: boolean
      /** For records deleted at the time of the run, as they were before. */
      readonly asOf?: AsOf
      /** References whose previous ids are printed. */
      readonly previous?: readonly OneRelation[]
    }
  | {
      readonly kind: 'list'
      readonly list: ListShape
      readonly within: { readonly relation: ManyRelation | LinkRelation; readonly holder: ResourceModel } | null
      readonly parts: ListParts
      readonly total: boolean
      readonly aggregate?: Aggregate
    }

export type ListParts<Of = Selection> =
  | { readonly as: 'array'; readonly of: Of }
  | { readonly as: 'connection'; readonly parts: readonly ConnectionPart<Of>[] }
export type ConnectionPart<Of = Selection> =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | { readonly kind: 'totalCount'; readonly key: string }
  | { readonly kind: 'nodes'; readonly key: string; readonly of: Of }
  | { readonly kind: 'edges'; readonly key: string; readonly parts: readonly EdgePart<Of>[] }
  | { readonly kind: 'pageInfo'; readonly key: string; readonly parts: readonly PageInfoPart[] }
export type EdgePart<Of = Selection> =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | { readonly kind: 'cursor'; readonly key: string }
  | { readonly kind: 'node'; readonly key: string; readonly of: Of }
export type PageInfoPart =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | { readonly kind: 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'; readonly key: string }

export type GroupPart =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | { readonly kind: 'count'; readonly key: string }
  /** Null unless it is grouped by. */
  | { readonly kind: 'group'; readonly key: string; readonly path: SortModel; readonly shape?: ValueShape }
  | { readonly kind: Measurement; readonly key: string; readonly parts: readonly GroupValuePart[] }
  | { readonly kind: 'distinct'; readonly key: string; readonly parts: readonly GroupValuePart[] }
export type GroupValuePart =
  | { readonly key: string; readonly path: SortModel }
  | { readonly key: string; readonly path: null; readonly json: string }

export function elementsOf<Of>(parts: ListParts<Of>): readonly Of[] {
  if (parts.as === 'array') return [parts.of]
  return parts.parts.flatMap((part) => {
    if (part.kind === 'nodes') return [part.of]
    return part.kind === 'edges' ? part.parts.flatMap((each) => (each.kind === 'node' ? [each.of] : [])) : []
  })
}
