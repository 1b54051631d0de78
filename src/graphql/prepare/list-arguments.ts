// Reads the arguments of one paged list: its page, filter and order. (contract 4.4.10, 4.8.1)

import { type PageLimits, type PageRequest, sizeProblem, usualSize } from '../../action/list-page.ts'
import { type BoundList, ListRequest, type Narrowing } from '../../action/list-request.ts'
import { readSearchText } from '../../action/list-search.ts'
import { isNamed } from '../../action/list-sort.ts'
import { notZone, requireGroups, requireSorted } from '../../action/summary-names.ts'
import {
  type BoundSummary,
  type Grouping,
  isShared,
  type SummaryParts,
  SummaryRequest,
  withSums,
} from '../../action/summary-request.ts'
import { timeZone, utc } from '../../action/time-zone.ts'
import type { WhereQuestion } from '../../action/where/question.ts'
import { readWhere, type WhereContext } from '../../action/where/read.ts'
import { bindWriteSelection, type WriteSelectionContext } from '../../action/write-selection.ts'
import type { Detail } from '../../failure/failure.ts'
import { type SortKey, sortKey, totalOrder } from '../../read-plan/selection.ts'
import type { Requester } from '../../resource/actor.ts'
import { kindOf } from '../../resource/field/registry.ts'
import type { QueryModel, ResourceModel } from '../../resource/model/model.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { SortChoice } from '../schema/input-types.ts'
import { graphqlSummaryNames, type SummarySortChoice } from '../schema/summary-types.ts'
import type { Variables } from './field-collector.ts'
import type { ListSite } from './tree.ts'

/** What lists of this face are bound with. */
export type SiteContext = WriteSelectionContext & WhereContext

/** A list, or a summary; then its shape is that of the records. */
export interface BoundSite extends BoundList {
  readonly summary?: BoundSummary & { readonly isShared: boolean }
}

/** The list that these arguments, coerced already, ask for. Adds to `problems` what is out of bounds or does not fit together. */
export function bindList(
  site: ListSite,
  sent: Variables,
  actor: Requester,
  context: SiteContext,
  problems: Detail[],
): BoundSite {
  if (site.pages === 'summary') return bindSummary(site, sent, actor, context, problems)
  if (site.pages === 'none') return bindTargets(site, sent, actor, context, problems)
  const { resource, pages, query } = site
  const { limits, vocabulary } = context
  const problem = (field: string, message: string) => void problems.push({ field, message })
  const sort = readSort(sent['sort'] as readonly SortChoice[] | null | undefined, resource, problem)
  const args = query === undefined ? null : readArguments(query, sent, vocabulary, problem)
  const filters = readFilter(sent['filter'] as Variables | null | undefined, resource, vocabulary, problem)
  const where = readConditions(sent, resource, context, problems)
  const search = readSearchText(sent['search'] as string | null | undefined, resource, limits, (message) =>
    problem('search', message),
  )
  const isSound = problems.length === 0
  const page = pages === 'offset' ? readOffset(sent, limits, problem) : readConnection(sent, limits, problem)
  const request = new ListRequest({ resource, query, filters, where, search, sort, page, args, isSound }, context)
  const names = { list: ['graphql', resource.path], args: query === undefined ? [] : [query.name, args] }
  return request.bind(actor, names, problems)
}

/** The records that a write is about, where a condition says which. */
function bindTargets(
  { resource }: ListSite,
  { input }: Variables,
  actor: Requester,
  context: SiteContext,
  problems: Detail[],
): BoundSite {
  const where = readConditions((input ?? {}) as Variables, resource, context, problems)
  return bindWriteSelection(resource, where, actor, context, problems)
}

/** A summary is a list of groups: its `list` says which of them, its shape of records which of these. */
function bindSummary(
  { resource, parts }: ListSite,
  sent: Variables,
  actor: Requester,
  context: SiteContext,
  problems: Detail[],
): BoundSite {
  const { limits, vocabulary } = context
  const problem = (field: string, message: string) => void problems.push({ field, message })
  const names = graphqlSummaryNames(resource, vocabulary)
  const groups = (sent['groupBy'] ?? []) as readonly Grouping[]
  requireGroups(groups, names.of, 'groupBy', problems)
  const choices = (sent['sort'] ?? []) as readonly SummarySortChoice[]
  requireSorted(choices, groups, problem)
  const zone = timeZone((sent['timeZone'] ?? 'UTC') as string)
  if (zone === null) problem('timeZone', notZone)
  const filters = readFilter(sent['filter'] as Variables | null | undefined, resource, vocabulary, problem)
  const where = readConditions(sent, resource, context, problems)
  const search = readSearchText(sent['search'] as string | null | undefined, resource, limits, (message) =>
    problem('search', message),
  )
  const isSound = problems.length === 0
  const page = readConnection(sent, limits, problem)
  const sort = choices.length === 0 ? null : choices
  const summed = withSums(parts ?? nothing, choices)
  const question = { resource, groups, zone: zone ?? utc, parts: summed, filters, where, search, sort, page, isSound }
  const request = new SummaryRequest(question, context)
  const summary = request.bind(actor, { list: ['graphql', resource.path], args: [] }, problems)
  const { key, shape, list, points } = summary
  return {
    key,
    shape: shape.rows,
    list,
    points,
    summary: { ...summary, isShared: isShared(question) },
  }
}
const nothing: SummaryParts = { measures: [], distinct: [] }

/** Stands for a list whose arguments are wrong: of the same resource, its size counted as the nearest one that may be asked for. */
export function standInFor(site: ListSite, wrong: BoundSite, context: SiteContext): BoundSite {
  const plain = bindList(site, {}, null, context, [])
  const size = Math.min(Math.max(wrong.list.size, 1), context.limits.pageSize)
  return { ...plain, list: { ...plain.list, size } }
}

/** A condition is a tree or a text; null is neither, for nothing that is asked means everything. */
function readConditions(
  { where, whereText }: Variables,
  resource: ResourceModel,
  context: SiteContext,
  problems: Detail[],
): WhereQuestion | null {
  if (where !== undefined && whereText !== undefined) {
    problems.push({ field: 'whereText', message: 'Cannot be combined with where.' })
    return null
  }
  return whereText === undefined
    ? readWhere({ is: 'tree', sent: where, parameter: 'where' }, resource, context, problems)
    : readWhere({ is: 'text', sent: whereText, parameter: 'whereText' }, resource, context, problems)
}

type Problem = (field: string, message: string) => void

function readOffset(args: Variables, limits: PageLimits, problem: Problem): PageRequest {
  const size = readSize('limit', args['limit'], limits, problem) ?? usualSize(limits)
  const offset = (args['offset'] ?? 0) as number
  if (offset < 0) problem('offset', 'At least 0.')
  if (offset > limits.offset) problem('offset', `At most ${limits.offset}.`)
  return { by: 'offset', size, offset, hasOffset: offset > 0 }
}

/** `before` alone travels backward, as `last` does. */
function readConnection(args: Variables, limits: PageLimits, problem: Problem): PageRequest {
  const first = readSize('first', args['first'], limits, problem)
  const last = readSize('last', args['last'], limits, problem)
  const after = (args['after'] ?? null) as string | null
  const before = (args['before'] ?? null) as string | null
  if (first !== undefined && last !== undefined) problem('last', 'Cannot be combined with first.')
  if (after !== null && before !== null) problem('before', 'Cannot be combined with after.')
  return {
    by: 'cursor',
    size: first ?? last ?? usualSize(limits),
    cursor: after ?? before,
    parameter: after === null ? 'before' : 'after',
    isEnd: after === null,
    backward: last !== undefined || (first === undefined && before !== null),
  }
}

function readSize(name: string, value: unknown, limits: PageLimits, problem: Problem): number | undefined {
  if (value === undefined || value === null) return undefined
  const size = value as number
  const wrong = sizeProblem(size, limits)
  if (wrong !== null) problem(name, wrong)
  return size
}

function readArguments(
  query: QueryModel,
  sent: Variables,
  { part }: Vocabulary,
  problem: Problem,
): Readonly<Record<string, unknown>> {
  const args: Record<string, unknown> = {}
  for (const { name: argument, spec, kind, initial } of query.args) {
    const name = part(argument, spec)
    const tell = (path: string, message: string) => problem(`${name}${path}`, message)
    args[argument] = sent[name] == null ? initial : kind.check(spec, sent[name], tell, part)
  }
  return args
}

/** Null for the usual order. */
function readSort(
  choices: readonly SortChoice[] | null | undefined,
  resource: ResourceModel,
  problem: Problem,
): readonly SortKey[] | null {
  const keys: SortKey[] = []
  for (const { name, sort, descending } of choices ?? []) {
    if (isNamed(sort, keys)) problem('sort', `${name} sorts by the same field again.`)
    else keys.push(sortKey(sort, descending))
  }
  return keys.length === 0 ? null : totalOrder(resource, keys)
}

/** In the order of the definition; null filters nothing. */
function readFilter(
  filter: Variables | null | undefined,
  resource: ResourceModel,
  vocabulary: Vocabulary,
  problem: Problem,
): readonly Narrowing[] {
  if (filter === undefined || filter === null) return []
  const narrowings: Narrowing[] = []
  for (const each of resource.filters.values()) {
    const name = vocabulary.filter(resource, each.name)
    const sent = filter[name]
    if (sent === undefined || sent === null) continue
    const parameter = `filter.${name}`
    const tell = (path: string, message: string) => problem(`${parameter}${path}`, message)
    const value = kindOf(each.value).check(each.value, sent, tell, vocabulary.part)
    narrowings.push({ filter: each, parameter, value })
  }
  return narrowings
}
