// The parts of a list that determine its SQL text.

import type { Column } from '../../../resource/model/column.ts'
import type { FilterModel, ResourceModel, SortModel } from '../../../resource/model/model.ts'
import type { SearchShape, VisibleSearch } from '../../../resource/model/rule/condition.ts'
import type { QueryUse, ScopeCondition } from '../../../resource/model/rule/query-condition.ts'
import type { VisibleValue } from '../../../resource/model/rule/visible-value.ts'
import type { WhereTree } from '../../../resource/model/rule/where.ts'

/** Its value is bound at the same index; presence is part of the text. */
export interface FilterUse {
  readonly filter: FilterModel
  readonly present: boolean | null
}
export interface SortKey {
  readonly column: Column
  readonly descending: boolean
  /** Set unless it is a column of the record that every reader sees. */
  readonly by?: SortModel
  readonly visibleValue?: VisibleValue
  readonly isMade?: true
  readonly search?: VisibleSearch
}
export const sortKey = (by: SortModel, descending: boolean): SortKey =>
  by.isHideable ? { column: by.column, descending, by } : { column: by.column, descending }
export const isNullable = ({ column, by }: SortKey): boolean => column.nullable || by !== undefined
/** Whether every reader of the record sees the sort value. */
export const isShown = ({ by }: SortKey): boolean => by === undefined
export const keyName = ({ column, descending, by }: SortKey): string =>
  `${descending ? '-' : ''}${by?.name ?? column.field}`
export const isDerived = ({ visibleValue, search, isMade }: SortKey): boolean =>
  visibleValue !== undefined || search !== undefined || isMade === true

/** Without the values of a run. */
export interface ListShape {
  readonly resource: ResourceModel
  readonly filters: readonly FilterUse[]
  readonly sort: readonly SortKey[]
  /** Which of a cursor's values are null, and its direction. */
  readonly seek: Seek | null
  readonly backward: boolean
  readonly offset: boolean
  readonly query?: QueryUse
  readonly isAmong?: boolean
  readonly where?: WhereTree | null
  readonly search?: SearchShape | null
  /** Query, condition and search combined, for the plan's class of actors. */
  readonly scope?: ScopeCondition | null
}

export interface Seek {
  readonly backward: boolean
  readonly nulls: readonly boolean[]
  readonly inclusive?: boolean
  /** Rows equal to the cursor in the first key, or later ones: a list can be made of both. */
  readonly part?: 'tie' | 'beyond'
}

/** Adds the id in the last key's direction, so that the order is total. (contract 4.4.11) */
export function totalOrder(resource: ResourceModel, sort: readonly SortKey[]): readonly SortKey[] {
  const ends = sort.findIndex((key) => key.column.field === 'id' && key.by === undefined)
  if (ends !== -1) return sort.slice(0, ends + 1)
  return [...sort, { column: resource.column.get('id')!, descending: sort.at(-1)?.descending ?? true }]
}
