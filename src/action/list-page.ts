// Which page of a list a caller may ask for: one meaning of sizes and page numbers for every face. (contract 4.4)

import type { Limits } from '../limits.ts'

export type PageLimits = Pick<
  Limits,
  'pageSize' | 'defaultPageSize' | 'offset' | 'searchLength' | 'searchWords' | 'searchRanked'
>

export type PageRequest =
  | {
      readonly by: 'offset'
      readonly size: number
      readonly offset: number
      /** Whether the statement has an offset at all: a face that always says so has one plan for all of its pages. */
      readonly hasOffset: boolean
    }
  | {
      readonly by: 'cursor'
      readonly size: number
      /** As it was sent; null for the first page. */
      readonly cursor: string | null
      /** What the face calls the parameter that holds it. */
      readonly parameter: string
      /** Whether a cursor that leads either way is the end of the page, not its beginning. */
      readonly isEnd: boolean
      /** Reads from the end of the list; a cursor that knows its way decides this itself. */
      readonly backward: boolean
    }

/** How many records a page has where nobody says. */
export const usualSize = ({ pageSize, defaultPageSize }: PageLimits): number => Math.min(defaultPageSize, pageSize)

/** What is wrong with a size, as a sentence; null for nothing. */
export function sizeProblem(size: number, { pageSize }: PageLimits): string | null {
  if (size < 1) return 'At least 1.'
  return size > pageSize ? `At most ${pageSize}.` : null
}

/** What is wrong with the number of a page of this size, as a sentence; null for nothing. */
export function pageProblem(page: number, size: number, { offset }: PageLimits): string | null {
  if (page < 1) return 'At least 1.'
  if ((page - 1) * size <= offset) return null
  const last = Math.floor(offset / size) + 1
  return `The last page of this size that can be asked for is ${last}; use a cursor to go further.`
}
