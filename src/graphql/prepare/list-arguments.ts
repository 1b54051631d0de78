// The page, filter and order of a paged list. (contract 4.4.10, 4.8.1)

import { type PageLimits, type PageRequest, sizeProblem, usualSize } from '../../action/question/list-page.ts'
import { type BoundList, ListRequest } from '../../action/question/list-request.ts'
import { queryArguments } from '../../action/question/parameter/argument.ts'
import { groupOrder, groups } from '../../action/question/parameter/groups.ts'
import { readNarrowing } from '../../action/question/parameter/narrowing.ts'
import type { ReadContext, Sent } from '../../action/question/parameter/parameter.ts'
import { sort } from '../../action/question/parameter/sort.ts'
import { zone } from '../../action/question/parameter/time-zone.ts'
import { where } from '../../action/question/parameter/where.ts'
import {
  type BoundSummary,
  isShared,
  measuredBy,
  SummaryRequest,
  withSums,
} from '../../action/question/summary-request.ts'
import { bindWriteSelection, type WriteSelectionContext } from '../../action/question/write-selection.ts'
import type { Detail } from '../../failure/failure.ts'
import { elementsOf } from '../../read-plan/selection.ts'
import type { SummaryRoot } from '../../read-plan/summary.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Variables } from './field-collector.ts'
import { connectionParts, groupParts } from './selection.ts'
import type { ListSite } from './tree.ts'

export type SiteContext = WriteSelectionContext & ReadContext

/** For a summary, the shape is that of its records. */
export interface BoundSite extends BoundList {
  readonly summary?: BoundSummary & { readonly shape: SummaryRoot; readonly isShared: boolean }
}

/** Adds to `problems` what is out of bounds or contradictory. `args` are coerced. */
export function bindList(
  site: ListSite,
  sent: Variables,
  actor: Requester,
  context: SiteContext,
  problems: Detail[],
): BoundSite {
  if (site.pages === 'summary') return bindSummary(site, sent, actor, context, problems)
  if (site.pages === 'none') return bindTargets(site, sent, actor, context, problems)
  const { resource, pages, query, of } = site
  const { limits } = context
  const problem = (field: string, message: string) => void problems.push({ field, message })
  const sentAs: Sent = (name) => sent[name]
  const order = sort.read(sentAs, site, context, problems)
  const args = queryArguments.read(sentAs, site, context, problems)
  const narrowed = readNarrowing(sentAs, site, context, problems)
  const isSound = problems.length === 0
  const page = pages === 'offset' ? readOffset(sent, limits, problem) : readConnection(sent, limits, problem)
  const request = new ListRequest({ resource, query, of, ...narrowed, sort: order, page, args, isSound }, context)
  const names = { list: ['graphql', resource.path], args: query === undefined ? [] : [query.name, args] }
  return request.bind(actor, names, problems)
}

/** The records that a write selects by condition. */
function bindTargets(
  site: ListSite,
  { input }: Variables,
  actor: Requester,
  context: SiteContext,
  problems: Detail[],
): BoundSite {
  const members = (input ?? {}) as Variables
  const condition = where.read((name) => members[name], site, context, problems)
  return bindWriteSelection(site.resource, condition, actor, context, problems)
}

/** A summary is a list of groups: `list` pages the groups, `shape` selects their records. */
function bindSummary(
  site: ListSite,
  sent: Variables,
  actor: Requester,
  context: SiteContext,
  problems: Detail[],
): BoundSite {
  const { resource, selected } = site
  const parts = connectionParts(selected!, groupParts)
  const { limits } = context
  const problem = (field: string, message: string) => void problems.push({ field, message })
  const sentAs: Sent = (name) => sent[name]
  const groupings = groups.read(sentAs, site, context, problems)
  const order = groupOrder.read(sentAs, { resource, groups: groupings }, context, problems)
  const clocks = zone.read(sentAs, site, context, problems)
  const narrowed = readNarrowing(sentAs, site, context, problems)
  const isSound = problems.length === 0
  const page = readConnection(sent, limits, problem)
  const summed = withSums(measuredBy(elementsOf(parts).flat()), order ?? [])
  const question = { resource, groups: groupings, zone: clocks, parts: summed, ...narrowed, sort: order, page, isSound }
  const request = new SummaryRequest(question, context)
  const summary = request.bind(actor, { list: ['graphql', resource.path], args: [] }, problems)
  const shape = { ...summary.shape, parts }
  return { ...summary, shape: shape.rows, summary: { ...summary, shape, isShared: isShared(question) } }
}

/** A valid replacement for a wrong list: same resource, nearest permitted size. */
export function standInFor(site: ListSite, wrong: BoundSite, context: SiteContext): BoundSite {
  const plain = bindList(site, {}, null, context, [])
  const size = Math.min(Math.max(wrong.list.size, 1), context.limits.pageSize)
  return { ...plain, list: { ...plain.list, size } }
}

type Problem = (field: string, message: string) => void

function readOffset(args: Variables, limits: PageLimits, problem: Problem): PageRequest {
  const size = readSize('limit', args['limit'], limits, problem) ?? usualSize(limits)
  const offset = (args['offset'] ?? 0) as number
  if (offset < 0) problem('offset', 'At least 0.')
  if (offset > limits.offset) problem('offset', `At most ${limits.offset}.`)
  return { by: 'offset', size, offset, hasOffset: offset > 0 }
}

/** `before` alone pages backward, as `last` does. */
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
