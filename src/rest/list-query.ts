// Reads the query string of a list: which records, in which order, which page of them, which of their fields. (contract 4.3, 4.4)

import type { ListInput, ListRoot } from '../action/call.ts'
import type { PageLimits } from '../action/list-page.ts'
import { ListRequest } from '../action/list-request.ts'
import { readSearchText } from '../action/list-search.ts'
import { readSort } from '../action/list-sort.ts'
import { linksOf, makeSelection, nameParts, type RecordParts } from '../action/record-selection.ts'
import type { RootCache } from '../action/root-cache.ts'
import type { WhereLimits } from '../action/where/meter.ts'
import { readWhere } from '../action/where/read.ts'
import { type BoundedCache, createBoundedCache } from '../cache/bounded-cache.ts'
import type { Detail } from '../failure/failure.ts'
import { readQuery, requireKnown } from '../http/message/query.ts'
import type { Limits } from '../limits.ts'
import type { CursorBindings } from '../read-plan/cursor.ts'
import { type Dialect, isShown, type ListShape } from '../read-plan/selection.ts'
import type { Requester } from '../resource/actor.ts'
import { isOwnLink } from './caching.ts'
import { filterNames, readFilters } from './filter.ts'
import { pageParameters, pageRequest, type RequestedPage, readPage } from './page.ts'
import { queryParameters, readArguments } from './query-arguments.ts'
import type { ResourceEndpoint } from './routes.ts'
import { readFields } from './selection.ts'

/** What is read with the query strings of one endpoint. */
export interface ListQuery {
  /** What a query string asks for, for this actor; `holderId` names the record that the list is within. Never fails. */
  read(query: string, actor: Requester, holderId: string | null): ListReading
}
export interface ListReading {
  readonly input: ListInput
  readonly page: RequestedPage
  /** Whether it holds the same in one order for all who ask. */
  readonly isShared: boolean
  /** Whether it is for its reader alone: it tells what that may do, or follows from a condition or from what else that may read. */
  readonly isOwn: boolean
}
export interface ListQueryDependencies {
  readonly limits: PageLimits & WhereLimits
  readonly dialect: Dialect
  readonly roots: RootCache
  readonly parsedQueries: ParsedQueries
  readonly bindings: CursorBindings
}

/** What query strings mean, by the list and the query string: many clients ask for the same. */
export type ParsedQueries = BoundedCache<ParsedQuery>
export const createParsedQueries = ({
  queryStrings,
  queryStringBytes,
}: Pick<Limits, 'queryStrings' | 'queryStringBytes'>): ParsedQueries =>
  createBoundedCache(queryStrings, queryStringBytes)

/** About how much memory it takes to keep what a query string says, as measured. */
const bytesOf = (key: string): number => 1_000 + 8 * key.length

/** What a query string says, whoever sends it. */
interface ParsedQuery {
  readonly request: ListRequest
  readonly page: RequestedPage
  /** Null for all fields there are. */
  readonly parts: RecordParts | null
  /** Made where no cursor has a say in it. */
  root: ListRoot | null
}

export function createListQuery(endpoint: ResourceEndpoint, dependencies: ListQueryDependencies): ListQuery {
  const { limits, roots, parsedQueries } = dependencies
  const { resource, within, version, query: queryModel } = endpoint
  const { vocabulary } = version
  const filters = filterNames(resource, vocabulary)
  const argumentNames = queryModel === undefined ? null : queryParameters(queryModel, vocabulary)
  const narrowingNames = [...(resource.where === null ? [] : ['where']), ...(resource.search === null ? [] : ['q'])]
  const names = new Set([
    ...pageParameters,
    'sort',
    'fields',
    ...narrowingNames,
    ...filters.keys(),
    ...(argumentNames?.keys() ?? []),
  ])
  const place = [version.name, within?.holder.path, within?.relation.field, resource.path, queryModel?.name].join('/')

  function read(query: string, actor: Requester, holderId: string | null): ListReading {
    const key = `${place}?${query}`
    const problems: Detail[] = []
    const earlier = parsedQueries.get(key)
    const parsed = earlier ?? parse(query, problems)
    const { request, page, parts } = parsed
    const { filters: narrowings, args, sort, where, search } = request.question
    const isShared = search == null && (sort === null || sort.every(isShown))
    const { links, can } = parts ?? { links: linksOf(resource), can: false }
    const answer = { page, isShared, isOwn: can || where != null || search != null || links.some(isOwnLink) }
    const bound = request.bind(actor, { list: ['rest', place, holderId], args: args === null ? [] : [args] }, problems)
    if (problems.length > 0) return { input: { problems, filters: narrowings.map(({ filter }) => filter) }, ...answer }
    if (bound.list.cursor !== null) return { input: { root: rootOf(parsed, bound), list: bound.list }, ...answer }
    parsed.root ??= rootOf(parsed, bound)
    if (earlier === undefined) parsedQueries.set(key, parsed, bytesOf(key))
    return { input: { root: parsed.root, list: bound.list }, ...answer }
  }

  function parse(query: string, problems: Detail[]): ParsedQuery {
    const parameters = readQuery(query, problems)
    requireKnown(parameters, (name) => names.has(name), problems)
    const narrowings = readFilters(parameters, filters, vocabulary, problems)
    const text = resource.where === null ? undefined : parameters.get('where') || undefined
    const sent = { is: 'text', sent: text, parameter: 'where' } as const
    const where = readWhere(sent, resource, { ...dependencies, vocabulary, textVocabulary: vocabulary }, problems)
    const tell = (message: string) => void problems.push({ field: 'q', message })
    const search = resource.search === null ? null : readSearchText(parameters.get('q'), resource, limits, tell)
    const sortText = parameters.get('sort') || undefined
    const sort = sortText === undefined ? null : readSort(sortText.split(','), resource, vocabulary, problems)
    const fieldsText = parameters.get('fields') || undefined
    const parts = fieldsText === undefined ? null : readFields(fieldsText, resource, vocabulary, problems)
    const args = argumentNames === null ? null : readArguments(parameters, argumentNames, vocabulary, problems)
    // A cursor can be compared with its list only where sort and filters say which list that is.
    const isSound = !problems.some(
      ({ field }) => ['sort', 'where', 'q'].includes(field) || filters.has(field) || argumentNames?.has(field),
    )
    const page = readPage(parameters, limits, problems)
    const narrowed = { resource, query: queryModel, filters: narrowings, where, search, args }
    const question = { ...narrowed, sort, page: pageRequest(page), isSound }
    return { request: new ListRequest(question, { ...dependencies, vocabulary }), page, parts, root: null }
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

  return { read }
}
