// The query string of a list: filters, order, page and fields. (contract 4.3, 4.4)

import type { ListInput, ListRoot } from '../../action/call.ts'
import { ListRequest } from '../../action/question/list-request.ts'
import { queryArguments } from '../../action/question/parameter/argument.ts'
import { narrowing, readNarrowing } from '../../action/question/parameter/narrowing.ts'
import { textNames } from '../../action/question/parameter/parameter.ts'
import { sort } from '../../action/question/parameter/sort.ts'
import { linksOf, makeSelection, nameParts, type RecordParts } from '../../action/record-selection.ts'
import type { RootCache } from '../../action/root-cache.ts'
import { type BoundedCache, createBoundedCache } from '../../cache/bounded-cache.ts'
import type { Detail } from '../../failure/failure.ts'
import { listParameters, readQuery, requireKnown } from '../../http/message/query.ts'
import type { Limits } from '../../limits.ts'
import { type Dialect, isShown, type ListShape } from '../../read-plan/selection.ts'
import type { Requester } from '../../resource/actor.ts'
import { isOwnLink } from '../route/caching.ts'
import type { ResourceEndpoint } from '../route/routes.ts'
import { pageParameters, pageRequest, type RequestedPage, readPage } from './page.ts'
import { readFields } from './selection.ts'

/** `holderId`: the record that the list is within. Never fails. */
type ReadList = (query: string, actor: Requester, holderId: string | null) => ListReading
export interface ListReading {
  readonly input: ListInput
  readonly page: RequestedPage
  /** The same for every actor. */
  readonly isShared: boolean
  /** Private to the reader: has `can`, a condition, or content that depends on other access. */
  readonly isOwn: boolean
}
export interface ListQueryDependencies {
  readonly limits: Limits
  readonly dialect: Dialect
  readonly roots: RootCache
  readonly parsedQueries: ParsedQueries
}

/** Cached by list and query string, as clients repeat queries. */
export type ParsedQueries = BoundedCache<ParsedQuery>
export const createParsedQueries = ({
  queryStrings,
  queryStringBytes,
}: Pick<Limits, 'queryStrings' | 'queryStringBytes'>): ParsedQueries =>
  createBoundedCache(queryStrings, queryStringBytes)

/** Approximate memory of an entry, as measured. */
const bytesOf = (key: string): number => 1_000 + 8 * key.length

/** Independent of the actor. */
interface ParsedQuery {
  readonly request: ListRequest
  readonly page: RequestedPage
  /** Null for all fields. */
  readonly parts: RecordParts | null
  /** Cached unless a cursor affects it. */
  root: ListRoot | null
}

export function createListQuery(endpoint: ResourceEndpoint, dependencies: ListQueryDependencies): ReadList {
  const { limits, roots, parsedQueries } = dependencies
  const { resource, within, version, query: queryModel } = endpoint
  const { vocabulary } = version
  const context = { ...dependencies, vocabulary, form: 'text' } as const
  const listNames = new Set(textNames([...narrowing, sort, queryArguments], endpoint, vocabulary))
  const names = new Set([...pageParameters, 'fields', ...listNames])
  const place = [version.name, within?.holder.path, within?.relation.field, resource.path, queryModel?.name].join('/')

  function read(query: string, actor: Requester, holderId: string | null): ListReading {
    const key = `${place}?${query}`
    const problems: Detail[] = []
    const earlier = parsedQueries.get(key)
    const parsed = earlier ?? parse(query, problems)
    const { request, page, parts } = parsed
    const { filters, args, sort } = request.question
    const isShared = sort === null || sort.every(isShown)
    const { links, can } = parts ?? { links: linksOf(resource), can: false }
    const bound = request.bind(actor, { list: ['rest', place, holderId], args: args === null ? [] : [args] }, problems)
    const answer = { page, isShared, isOwn: can || bound.isPrivate || links.some(isOwnLink) }
    if (problems.length > 0) return { input: { problems, filters: filters.map(({ filter }) => filter) }, ...answer }
    if (bound.list.cursor !== null) return { input: { root: rootOf(parsed, bound), list: bound.list }, ...answer }
    parsed.root ??= rootOf(parsed, bound)
    if (earlier === undefined) parsedQueries.set(key, parsed, bytesOf(key))
    return { input: { root: parsed.root, list: bound.list }, ...answer }
  }

  function parse(query: string, problems: Detail[]): ParsedQuery {
    const parameters = readQuery(query, problems, listParameters)
    requireKnown(parameters, (name) => names.has(name), problems)
    const sent = (name: string) => (names.has(name) ? parameters.get(name) : undefined)
    const narrowed = readNarrowing(sent, endpoint, context, problems)
    const order = sort.read(sent, endpoint, context, problems)
    const fieldsText = parameters.get('fields') || undefined
    const parts = fieldsText === undefined ? null : readFields(fieldsText, resource, vocabulary, problems)
    const args = queryArguments.read(sent, endpoint, context, problems)
    // A cursor is checked against its list only if sort and filters are valid.
    const isSound = !problems.some(({ field }) => listNames.has(field))
    const page = readPage(parameters, limits, problems)
    const list = { resource, query: queryModel, of: within?.relation, ...narrowed, args, sort: order }
    const question = { ...list, page: pageRequest(page), isSound }
    return { request: new ListRequest(question, context), page, parts, root: null }
  }

  function rootOf({ page, parts }: ParsedQuery, { key, shape }: { key: string; shape: ListShape }): ListRoot {
    const names = parts === null ? '*' : nameParts(parts)
    return roots.get(`${place}|${page.mode}|${names}|${key}`, () => ({
      kind: 'list',
      list: shape,
      within,
      parts: { as: 'array', of: makeSelection(resource, vocabulary, parts ?? undefined) },
      total: page.mode === 'offset',
    }))
  }

  return read
}
