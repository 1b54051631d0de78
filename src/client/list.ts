// Lists, fetched one page at a time. (contract 4.4)

import { snake } from '../resource/naming/casing.ts'
import { printWhere } from './send/where.ts'
import { camel, fromWire, type JsonFields } from './send/wire-form.ts'
import type { CallOptions } from './type/call.ts'
import type { List, NumberedPage, Page } from './type/query.ts'

export interface AnyQuery extends CallOptions {
  readonly args?: Readonly<Record<string, unknown>>
  readonly groupBy?: readonly string[]
  readonly timeZone?: string
  readonly filter?: Readonly<Record<string, unknown>>
  readonly where?: unknown
  readonly search?: string
  readonly sort?: string | readonly string[]
  readonly fields?: readonly string[]
  readonly limit?: number
  readonly cursor?: string | null
  readonly page?: number
}
type Meta = Readonly<Record<string, unknown>>
export type AnyPage = Page<unknown> | NumberedPage<unknown>

export function listOf(fetchPage: (cursor: string | null) => Promise<Page<unknown>>): List<unknown> {
  async function* pages(): AsyncGenerator<Page<unknown>> {
    let cursor: string | null = null
    do {
      const page: Page<unknown> = await fetchPage(cursor)
      yield page
      cursor = page.nextCursor
    } while (cursor !== null)
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data
    },
  }
}

export function queryOf({
  args = {},
  groupBy = [],
  timeZone,
  filter = {},
  where,
  search,
  sort = [],
  fields = [],
  limit,
  cursor,
  page,
}: AnyQuery): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...filter, ...args })) {
    if (value !== undefined) parameters.set(snake(name), value instanceof Date ? value.toISOString() : String(value))
  }
  if (where !== undefined) parameters.set('where', printWhere(where))
  if (search !== undefined) parameters.set('q', search)
  // A summary writes `assignee.name` as one word, as in its answer.
  if (groupBy.length > 0) parameters.set('group_by', groupBy.map((each) => snake(each).replaceAll('.', '_')).join(','))
  if (timeZone !== undefined) parameters.set('time_zone', timeZone)
  const order = [sort].flat()
  if (order.length > 0) parameters.set('sort', order.map(snake).join(','))
  if (fields.length > 0) parameters.set('fields', fields.map(snake).join(','))
  if (page !== undefined) parameters.set('page', String(page))
  // `limit` selects cursors; without it the service returns numbered pages.
  if (page === undefined && cursor) parameters.set('cursor', cursor)
  if (limit !== undefined || (page === undefined && !cursor))
    parameters.set(page === undefined ? 'limit' : 'per_page', String(limit ?? usualLimit))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}
const usualLimit = 20

/** Reads either form of cursors. */
export function pageOf(body: unknown, json: JsonFields): AnyPage {
  const { data, meta, ...flat } = body as { readonly data: readonly unknown[]; readonly meta?: Meta }
  const records = data.map((each) => fromWire(each, json))
  const members = Object.fromEntries(Object.entries(meta ?? flat).map(([name, value]) => [camel(name), value]))
  if ('page' in members) return { data: records, ...members } as unknown as NumberedPage<unknown>
  const {
    nextCursor = null,
    prevCursor = null,
    hasNext,
    hasMore,
  } = members as Partial<Page<unknown>> & { hasMore?: boolean }
  return { data: records, hasNext: hasNext ?? hasMore ?? nextCursor !== null, nextCursor, prevCursor }
}
