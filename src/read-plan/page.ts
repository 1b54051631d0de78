// One page of a list: its rows, and whether there are others before and after.

import type { RequestMoment } from '../resource/language/placeholder.ts'
import type { ListShape } from '../store/sql/condition/list-shape.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { StoredRow, Value } from '../store/store.ts'
import { type CursorDirection, cursorAt, encodeCursor } from './cursor.ts'

/** A value, or an offset from the time of the request. */
export type BoundValue = { readonly value: Value } | (RequestMoment & { readonly type: 'timestamp' | 'date' })

export interface ListArguments {
  readonly size: number
  readonly offset: number
  readonly cursor: readonly Value[] | null
  readonly filter: readonly Value[]
  readonly binding: string | null
  readonly countMax: number
  /** Checked, by their names in the definition. */
  readonly args?: Readonly<Record<string, unknown>>
  readonly where?: readonly BoundValue[]
  readonly search?: readonly Value[]
  /** Parameters of its scope, or the ids that it found. */
  readonly scope?: readonly Value[]
  readonly foundIds?: readonly string[]
}

export interface Page {
  readonly rows: readonly StoredRow[]
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  readonly length: number | null
}

/** `rows` has one more than the page if more follow in its direction. */
export function pageOf(
  rows: readonly StoredRow[],
  { size, cursor, offset }: ListArguments,
  { backward }: Pick<ListShape, 'backward'>,
): Page {
  const hasMore = rows.length > size
  const page = hasMore ? rows.slice(0, size) : rows
  const hasSkipped = cursor !== null || offset > 0
  if (backward) return { rows: page.toReversed(), hasNext: hasSkipped, hasPrevious: hasMore, length: null }
  // The last page, counted from the start, reveals the total.
  const isLast = !hasMore && cursor === null && (rows.length > 0 || offset === 0)
  return { rows: page, hasNext: hasMore, hasPrevious: hasSkipped, length: isLast ? offset + rows.length : null }
}

export interface CursorWriter {
  readonly of: (direction: CursorDirection, row: StoredRow) => string
  /** The cursor that the page was requested with. */
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

export function neighbourCursor(
  { rows, hasNext, hasPrevious }: Page,
  direction: 'next' | 'previous',
  cursors: CursorWriter,
): string | null {
  if (!(direction === 'next' ? hasNext : hasPrevious)) return null
  const row = direction === 'next' ? rows.at(-1) : rows[0]
  // An empty page has no record, so its neighbour starts at the cursor of the request.
  return row === undefined ? cursors.again(direction) : cursors.of(direction, row)
}
