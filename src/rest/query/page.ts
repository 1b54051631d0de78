// The page of a list, by number or cursor. (contract 4.4)

import {
  type PageLimits,
  type PageRequest,
  pageProblem,
  sizeProblem,
  usualSize,
} from '../../action/question/list-page.ts'
import type { Detail } from '../../failure/failure.ts'
import type { Parameters } from '../../http/message/query.ts'

export type RequestedPage =
  | { readonly mode: 'offset'; readonly page: number; readonly size: number }
  /** As sent; null for the first page. */
  | { readonly mode: 'cursor'; readonly cursor: string | null; readonly size: number }

/** Cursor metadata in `meta`, or flat next to `data`. */
export type CursorForm = 'envelope' | 'flat'

export const pageParameters: readonly string[] = ['page', 'per_page', 'limit', 'cursor']

/** Reads `page`, `per_page`, `limit` and `cursor`. Adds to `problems` values out of bounds and exclusive parameters. */
export function readPage(parameters: Parameters, limits: PageLimits, problems: Detail[]): RequestedPage {
  const problem = (field: string, message: string) => void problems.push({ field, message })
  const [page, perPage, limit, cursor] = pageParameters.map((name) => parameters.get(name) || undefined)
  if (page !== undefined && cursor !== undefined) problem('cursor', 'Cannot be combined with page.')
  if (limit !== undefined && perPage !== undefined) problem('limit', 'Cannot be combined with per_page.')
  const size =
    readSize('per_page', perPage, limits, problem) ?? readSize('limit', limit, limits, problem) ?? usualSize(limits)
  if (page === undefined && (cursor !== undefined || limit !== undefined)) {
    return { mode: 'cursor', cursor: cursor ?? null, size }
  }
  return { mode: 'offset', page: readPageNumber(page, size, limits, problem), size }
}

export const pageRequest = (page: RequestedPage): PageRequest =>
  page.mode === 'offset'
    ? { by: 'offset', size: page.size, offset: (page.page - 1) * page.size, hasOffset: true }
    : // A cursor of this face contains its direction.
      { by: 'cursor', size: page.size, cursor: page.cursor, parameter: 'cursor', isEnd: false, backward: false }

type Problem = (field: string, message: string) => void

function readSize(name: string, text: string | undefined, limits: PageLimits, problem: Problem): number | undefined {
  const size = readCount(name, text, problem)
  const wrong = size === undefined ? null : sizeProblem(size, limits)
  if (wrong === null) return size
  problem(name, wrong)
  return undefined
}

function readPageNumber(text: string | undefined, size: number, limits: PageLimits, problem: Problem): number {
  const page = readCount('page', text, problem) ?? 1
  const wrong = pageProblem(page, size, limits)
  if (wrong === null) return page
  problem('page', wrong)
  return 1
}

/** Digits only, in any number, from 1. */
function readCount(name: string, text: string | undefined, problem: Problem): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  problem(name, /^(?:-\d+|0+)$/.test(text) ? 'At least 1.' : 'Must be a whole number.')
  return undefined
}
