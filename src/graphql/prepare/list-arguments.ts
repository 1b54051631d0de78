// The arguments of one paged list: its page, filter and order; checked, and split into what decides its SQL text and what
// is bound to it. (contract 4.4.10, 4.8.1)

import type { Limits } from '../../limits.ts'
import { type Cursor, cursorBinding, readCursor } from '../../read-plan/cursor.ts'
import { isReadableEverywhere, mayFilterBy } from '../../read-plan/list-access.ts'
import type { ListArguments } from '../../read-plan/run.ts'
import {
  type Dialect,
  type FilterUse,
  type ListShape,
  type SortKey,
  totalOrder,
  type Value,
} from '../../read-plan/selection.ts'
import type { Actor } from '../../resource/actor.ts'
import { kindOf } from '../../resource/field/registry.ts'
import type { FilterModel, QueryModel, ResourceModel } from '../../resource/model/model.ts'
import { missingOf, type QueryUse } from '../../resource/model/query-condition.ts'
import type { Vocabulary } from '../../resource/model/vocabulary.ts'
import type { SortChoice } from '../schema/input-types.ts'
import type { Variables } from './asked-fields.ts'
import type { ListSite } from './tree.ts'

export type PageLimits = Pick<Limits, 'pageSize' | 'defaultPageSize' | 'offset'>
export interface ListGiven {
  readonly limits: PageLimits
  readonly dialect: Dialect
  readonly vocabulary: Vocabulary
}

/** One list of one request. Lists of the same `key` have the same shape. */
export interface BoundList {
  readonly key: string
  readonly shape: ListShape
  readonly list: ListArguments
}

/** Reads the arguments of a list, coerced already. Tells `problem` what is out of bounds or does not fit together. */
export function bindList(
  { resource, pages, query }: ListSite,
  args: Variables,
  actor: Actor | null,
  { limits, dialect, vocabulary }: ListGiven,
  problem: (field: string, message: string) => void,
): BoundList {
  const sort = readSort(args['sort'] as readonly SortChoice[] | null | undefined, resource, query, problem)
  const asked = query === undefined ? undefined : readQuery(query, args, vocabulary, problem)
  const narrowings = readFilter(args['filter'] as Variables | null | undefined, resource, vocabulary, problem)
  requireReadable(args, sort, narrowings, resource, actor, problem)
  const filter = narrowings.map((each) => encode(each, dialect))
  const binding = pages === 'offset' ? null : bindingOf(resource, sort, narrowings, filter, asked)
  const page = pages === 'offset' ? readOffset(args, limits, problem) : readConnection(args, limits, problem)
  const cursor = binding === null || page.cursor === null ? null : seek(page, binding, sort, dialect, problem)
  const shape: ListShape = {
    resource,
    filters: narrowings.map(useOf),
    sort,
    seek:
      cursor === null
        ? null
        : { backward: page.cursorArgument === 'before', nulls: cursor.values.map((each) => each === null) },
    backward: page.backward,
    offset: page.offset > 0,
    ...(asked === undefined ? {} : { query: asked.use }),
  }
  const { size, offset } = page
  const list = {
    size,
    offset,
    cursor: cursor?.values ?? null,
    filter,
    binding,
    countMax: limits.offset,
    ...(asked === undefined ? {} : { args: asked.args }),
  }
  return { key: keyOf(shape), shape, list }
}

/** Everything in a shape but its resource, which the document tells. */
function keyOf({ filters, sort, seek, backward, offset, query }: ListShape): string {
  const used = filters.map(({ filter, present }) => `${filter.name}${present ?? ''}`).join(',')
  const from = seek === null ? '' : `${seek.backward ? '<' : '>'}${seek.nulls.map(Number).join('')}`
  return `${used};${sort.map(nameOfKey).join(',')};${from}${backward ? 'b' : ''}${offset ? 'o' : ''}${query === undefined ? '' : `?${query.missing}`}`
}
const nameOfKey = ({ column, descending }: SortKey): string => `${descending ? '-' : ''}${column.field}`

type Problem = (field: string, message: string) => void

interface Page {
  readonly size: number
  readonly offset: number
  readonly backward: boolean
  readonly cursor: string | null
  readonly cursorArgument: 'after' | 'before'
}

function readOffset(args: Variables, limits: PageLimits, problem: Problem): Page {
  const size = readSize('limit', args['limit'], limits, problem) ?? limits.defaultPageSize
  const offset = (args['offset'] ?? 0) as number
  if (offset < 0) problem('offset', 'At least 0.')
  if (offset > limits.offset) problem('offset', `At most ${limits.offset}.`)
  return { size, offset, backward: false, cursor: null, cursorArgument: 'after' }
}

/** `before` alone travels backward, as `last` does. */
function readConnection(args: Variables, limits: PageLimits, problem: Problem): Page {
  const first = readSize('first', args['first'], limits, problem)
  const last = readSize('last', args['last'], limits, problem)
  const after = (args['after'] ?? null) as string | null
  const before = (args['before'] ?? null) as string | null
  if (first !== undefined && last !== undefined) problem('last', 'Cannot be combined with first.')
  if (after !== null && before !== null) problem('before', 'Cannot be combined with after.')
  return {
    size: first ?? last ?? limits.defaultPageSize,
    offset: 0,
    backward: last !== undefined || (first === undefined && before !== null),
    cursor: after ?? before,
    cursorArgument: after === null ? 'before' : 'after',
  }
}

function readSize(name: string, value: unknown, { pageSize }: PageLimits, problem: Problem): number | undefined {
  if (value === undefined || value === null) return undefined
  const size = value as number
  if (size < 1) problem(name, 'At least 1.')
  if (size > pageSize) problem(name, `At most ${pageSize}.`)
  return size
}

function seek(
  page: Page,
  binding: string,
  sort: readonly SortKey[],
  dialect: Dialect,
  problem: Problem,
): Cursor | null {
  const cursor = readCursor(page.cursor!, binding, sort, dialect)
  if (typeof cursor !== 'string') return cursor
  problem(page.cursorArgument, cursor)
  return null
}

const bindingOf = (
  resource: ResourceModel,
  sort: readonly SortKey[],
  narrowings: readonly Narrowing[],
  values: readonly Value[],
  asked: Asked | undefined,
): string =>
  cursorBinding(
    'graphql',
    resource.path,
    sort.map(nameOfKey),
    narrowings.map(({ filter, value }, index) => [filter.name, values[index] ?? value]),
    ...(asked === undefined ? [] : [asked.use.query.name, asked.args]),
  )

/** A query with what it is asked. */
interface Asked {
  readonly use: QueryUse
  readonly args: Readonly<Record<string, unknown>>
}

function readQuery(query: QueryModel, given: Variables, { part }: Vocabulary, problem: Problem): Asked {
  const args: Record<string, unknown> = {}
  for (const { name: argument, spec, kind, initial } of query.args) {
    const name = part(argument, spec)
    const tell = (path: string, message: string) => problem(`${name}${path}`, message)
    args[argument] = given[name] == null ? initial : kind.check(spec, given[name], tell, part)
  }
  return { use: { query, missing: missingOf(query, args) }, args }
}

function readSort(
  chosen: readonly SortChoice[] | null | undefined,
  resource: ResourceModel,
  query: QueryModel | undefined,
  problem: Problem,
): readonly SortKey[] {
  const keys: SortChoice[] = []
  for (const choice of chosen ?? []) {
    if (keys.some((key) => key.column === choice.column))
      problem('sort', `${choice.name} sorts by the same field again.`)
    else keys.push(choice)
  }
  const newestFirst = [{ column: resource.column.get('createdAt')!, descending: true }]
  return totalOrder(resource, keys.length === 0 ? (query?.sort ?? newestFirst) : keys)
}

interface Narrowing {
  readonly filter: FilterModel
  readonly name: string
  /** As a record would hold it. */
  readonly value: unknown
}

/** In the order of the definition; null filters nothing. */
function readFilter(
  given: Variables | null | undefined,
  resource: ResourceModel,
  vocabulary: Vocabulary,
  problem: Problem,
): readonly Narrowing[] {
  if (given === undefined || given === null) return []
  const narrowings: Narrowing[] = []
  for (const filter of resource.filters.values()) {
    const name = vocabulary.filter(resource, filter.name)
    const sent = given[name]
    if (sent === undefined || sent === null) continue
    const tell = (path: string, message: string) => problem(`filter.${name}${path}`, message)
    narrowings.push({ filter, name, value: kindOf(filter.value).check(filter.value, sent, tell, vocabulary.part) })
  }
  return narrowings
}

const useOf = ({ filter, value }: Narrowing): FilterUse => ({
  filter,
  present: filter.test === 'isPresent' ? (value as boolean) : null,
})

/** Whether a field must be present is part of a list's shape, not a value of it. */
function encode({ filter, value }: Narrowing, dialect: Dialect): Value {
  // A value that did not fit was told of; nothing will be run with it.
  if (filter.test === 'isPresent' || value === undefined) return null
  const type = filter.test === 'contains' ? kindOf(filter.value).column! : filter.column.type
  return dialect.encode(value, type)
}

function requireReadable(
  args: Variables,
  sort: readonly SortKey[],
  narrowings: readonly Narrowing[],
  resource: ResourceModel,
  actor: Actor | null,
  problem: Problem,
): void {
  const require = (field: string, argument: string) => {
    if (isReadableEverywhere(field, resource, actor)) return
    problem(argument, `You may not read ${field} of every record in this list.`)
  }
  if (args['sort']) for (const { column } of sort) require(column.field, 'sort')
  for (const { filter, name } of narrowings) {
    // What the caller lacks a permission for is refused for that, when the list is read.
    if (mayFilterBy(filter, resource, actor)) require(filter.column.field, `filter.${name}`)
  }
}
