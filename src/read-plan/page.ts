// One page of a list: which of the rows that were read are on it, and what is before and after it.

import type { Dialect } from '../store/sql/dialect.ts'
import type { ListShape } from '../store/sql/list-shape.ts'
import type { StoredRow, Value } from '../store/store.ts'
import { type CursorDirection, cursorAt, encodeCursor } from './cursor.ts'

/** A value, or one so long after the moment of the request. */
export type BoundValue = { readonly value: Value } | { readonly shiftMs: number; readonly type: 'timestamp' | 'date' }

/** The arguments of one list. */
export interface ListArguments {
  /** The page size. */
  readonly size: number
  readonly offset: number
  readonly cursor: readonly Value[] | null
  readonly filter: readonly Value[]
  /** What the page's cursors are bound to; null where nobody asked for cursors. */
  readonly binding: string | null
  /** The most that a total counts to; beyond it is null. */
  readonly countMax: number
  /** The checked arguments of a query, by the names of its definition. */
  readonly args?: Readonly<Record<string, unknown>>
  /** What it is asked by compares with. */
  readonly where?: readonly BoundValue[]
  /** What its search is bound to. */
  readonly search?: readonly Value[]
  /** What its scope compares with, or the ids that it found. */
  readonly scope?: readonly Value[]
  readonly foundIds?: readonly string[]
}

export interface Page {
  /** In the order of the list, however they were read. */
  readonly rows: readonly StoredRow[]
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  /** The length of the whole list, where this page tells it. */
  readonly length: number | null
}

/** The page that was read as `rows`: they are one more than it has records where there are more in the same direction. */
export function pageOf(
  rows: readonly StoredRow[],
  { size, cursor, offset }: ListArguments,
  { backward }: Pick<ListShape, 'backward'>,
): Page {
  const hasMore = rows.length > size
  const page = hasMore ? rows.slice(0, size) : rows
  const hasSkipped = cursor !== null || offset > 0
  if (backward) return { rows: page.toReversed(), hasNext: hasSkipped, hasPrevious: hasMore, length: null }
  // The last page of a list that was counted from its beginning tells how long the list is.
  const isLast = !hasMore && cursor === null && (rows.length > 0 || offset === 0)
  return { rows: page, hasNext: hasMore, hasPrevious: hasSkipped, length: isLast ? offset + rows.length : null }
}

/** Writes the cursors of one list. */
export interface CursorWriter {
  readonly of: (direction: CursorDirection, row: StoredRow) => string
  /** The cursor of the place that the page was asked for with. */
  readonly again: (direction: 'next' | 'previous') => string | null
}
export function createCursorWriter(
  { binding, cursor }: ListArguments,
  { sort, seek }: Pick<ListShape, 'sort' | 'seek'>,
  places: readonly number[],
  dialect: Dialect,
): CursorWriter {
  const sortValues = { places, sort, dialect }
  return {
    of: (direction, row) => encodeCursor(binding ?? '', direction, row, sortValues),
    again(direction) {
      if (binding === null || cursor === null) return null
      return cursorAt(binding, seek?.inclusive === true ? direction : `${direction}From`, cursor, sortValues)
    },
  }
}

/** The cursor of the page after or before this one; null where there is none. */
export function neighbourCursor(
  { rows, hasNext, hasPrevious }: Page,
  direction: 'next' | 'previous',
  cursors: CursorWriter,
): string | null {
  if (!(direction === 'next' ? hasNext : hasPrevious)) return null
  const row = direction === 'next' ? rows.at(-1) : rows[0]
  // An empty page has no record to lead on from, but its neighbour ends where the cursor stands that led here.
  return row === undefined ? cursors.again(direction) : cursors.of(direction, row)
}
