// Validates sizes and page numbers, the same for every face. (contract 4.4)

import type { Detail } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { type Cursor, readCursor } from '../../read-plan/cursor.ts'
import type { Dialect, SortKey } from '../../read-plan/selection.ts'

export type PageLimits = Pick<
  Limits,
  'pageSize' | 'defaultPageSize' | 'offset' | 'searchLength' | 'searchWords' | 'searchRanked'
>

export type PageRequest =
  | {
      readonly by: 'offset'
      readonly size: number
      readonly offset: number
      /** False if the statement has no offset. A face that always sends one has one plan for all pages. */
      readonly hasOffset: boolean
    }
  | {
      readonly by: 'cursor'
      readonly size: number
      /** Null for the first page. */
      readonly cursor: string | null
      /** The face's name of the parameter. */
      readonly parameter: string
      /** A cursor without direction is the end of the page. */
      readonly isEnd: boolean
      /** Reads from the end of the list, unless the cursor has a direction. */
      readonly backward: boolean
    }

export const usualSize = ({ pageSize, defaultPageSize }: PageLimits): number => Math.min(defaultPageSize, pageSize)

/** A sentence, or null. */
export function sizeProblem(size: number, { pageSize }: PageLimits): string | null {
  if (size < 1) return 'At least 1.'
  return size > pageSize ? `At most ${pageSize}.` : null
}

/** A sentence, or null. */
export function pageProblem(page: number, size: number, { offset }: PageLimits): string | null {
  if (page < 1) return 'At least 1.'
  if ((page - 1) * size <= offset) return null
  const last = Math.floor(offset / size) + 1
  return `The last page of this size is ${last}; use a cursor to go further.`
}

/** Null for the first page, and with a problem if it is that of another list. */
export function readPageCursor(
  page: PageRequest,
  binding: string,
  sort: readonly SortKey[],
  dialect: Dialect,
  problems: Detail[],
): Cursor | null {
  if (page.by === 'offset' || page.cursor === null) return null
  const cursor = readCursor(page.cursor, binding, sort, dialect)
  if (typeof cursor !== 'string') return cursor
  problems.push({ field: page.parameter, message: cursor })
  return null
}
