// What decides the SQL text of a list: what it is narrowed by, its order, and where its page begins.

import type { Column } from '../../resource/model/column.ts'
import type { SearchShape, SearchSight } from '../../resource/model/condition.ts'
import type { FilterModel, ResourceModel, SortModel } from '../../resource/model/model.ts'
import type { QueryUse, ScopeCondition } from '../../resource/model/query-condition.ts'
import type { Sight } from '../../resource/model/sight.ts'
import type { WhereTree } from '../../resource/model/where.ts'

/** A filter in use. Its value is bound at the same index, but whether a field must be present is part of the text. */
export interface FilterUse {
  readonly filter: FilterModel
  readonly present: boolean | null
}
export interface SortKey {
  readonly column: Column
  readonly descending: boolean
  /** What it sorts by, where that is not a value of the record itself that every reader sees … */
  readonly by?: SortModel
  /** … and as the class of actors sees it that the plan is made for. */
  readonly sight?: Sight
  /** True where it is no column of a table, but one that the statement makes. */
  readonly isMade?: true
  /** The search whose relevance it is, for the same class. */
  readonly search?: SearchSight
}
/** The key of what lists can be sorted by. */
export const sortKey = (by: SortModel, descending: boolean): SortKey =>
  by.isHideable ? { column: by.column, descending, by } : { column: by.column, descending }
/** Whether a row can have null for it. */
export const isNullable = ({ column, by }: SortKey): boolean => column.nullable || by !== undefined
/** Whether all who read a record see what it is sorted by. */
export const isShown = ({ by }: SortKey): boolean => by === undefined
/** What it is called, by the names of the definition. */
export const keyName = ({ column, descending, by }: SortKey): string =>
  `${descending ? '-' : ''}${by?.name ?? column.field}`
/** Whether it is made of more than a column of the record: no index has its order. */
export const isDerived = ({ sight, search, isMade }: SortKey): boolean =>
  sight !== undefined || search !== undefined || isMade === true

/** Everything about a list that decides its SQL text. What it is run with comes later. */
export interface ListShape {
  readonly resource: ResourceModel
  readonly filters: readonly FilterUse[]
  /** Ends with the id. */
  readonly sort: readonly SortKey[]
  /** Where a cursor was given: which way, and which of its values are null. */
  readonly seek: Seek | null
  /** Reads from the end of the list, as `last` without a cursor does. */
  readonly backward: boolean
  readonly offset: boolean
  /** The query whose list this is, if it is one's … */
  readonly query?: QueryUse
  /** What is asked of each record beside … */
  readonly where?: WhereTree | null
  /** … what is searched … */
  readonly search?: SearchShape | null
  /** … and what all of it asks, for the class of actors that the plan is made for. */
  readonly scope?: ScopeCondition | null
}

export interface Seek {
  readonly backward: boolean
  readonly nulls: readonly boolean[]
  /** The record that the cursor stands for is among the rows, where it is still there. */
  readonly inclusive?: boolean
  /** Only the rows that tie with the cursor in the first key, or those beyond it: where one list is made of both. */
  readonly part?: 'tie' | 'beyond'
}

/** `sort` with the id as its last key, in the last key's direction, so that the order is total. (contract 4.4.11) */
export function totalOrder(resource: ResourceModel, sort: readonly SortKey[]): readonly SortKey[] {
  const ends = sort.findIndex((key) => key.column.field === 'id' && key.by === undefined)
  if (ends !== -1) return sort.slice(0, ends + 1)
  return [...sort, { column: resource.column.get('id')!, descending: sort.at(-1)?.descending ?? true }]
}
