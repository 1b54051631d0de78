// Runs a plan: binds values, runs at most one statement per level, joins in memory, prints.

import { type AnswerSize, unlimitedSize } from '../budget/answer-size.ts'
import { requestMomentText } from '../resource/language/placeholder.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { boundTo, type Inputs, type Prepared } from '../store/sql/text/sql-text.ts'
import type { Bound, Program, StoredRow, Value } from '../store/store.ts'
import { rowById } from './collect.ts'
import { type Mask, maskOf } from './mask.ts'
import { type BoundValue, createCursorWriter, type ListArguments, neighbourCursor, type Page, pageOf } from './page.ts'
import { type ChildRows, type PathError, type Printing, printFallibleRows, type Tokens } from './printing.ts'
import type { Child, Level, ReadPlan } from './read-plan.ts'

export type { ListArguments } from './page.ts'

export interface Arguments {
  readonly actor: string | null
  readonly code?: string | null
  /** Equal for the whole request. */
  readonly requestTime: Date
  /** The record's id, or that of the record that has the list. */
  readonly id?: string
  /** For deleted records: the time of deletion. */
  readonly deletedAt?: Value
  readonly ids?: readonly string[]
  readonly list?: ListArguments
  readonly lists: readonly ListArguments[]
  readonly previous?: Readonly<Record<string, unknown>>
  /** Of each record in `ids`, if these are new and have tokens. */
  readonly tokens?: readonly Tokens[] | undefined
  /** The most tenants of a list or total; no limit if absent. */
  readonly tenantsMax?: number
  readonly size?: AnswerSize | undefined
}

export interface RecordAnswer {
  /** Null if a non-null part was refused. */
  readonly json: string | null
  /** The same without tokens, which are shown once, for its ETag; absent if there are none. */
  readonly jsonWithoutTokens?: string | null
  /** Of a record read by key. */
  readonly id?: string
  readonly version: number
  /** Changes of its kept numbers; absent unless of a write. (contract 4.7.6) */
  readonly tally?: number
  /** Protected fields and references visible to this reader. (contract 4.7.6) */
  readonly mask: Mask
  readonly errors: readonly PathError[]
}
export interface ListAnswer {
  readonly json: string | null
  readonly count: number
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  readonly nextCursor: string | null
  readonly previousCursor: string | null
  /** Null if not requested, or beyond the limit. */
  readonly total: number | null
  readonly errors: readonly PathError[]
}

/** Null if missing, deleted or hidden. */
export function* runRecord(plan: ReadPlan, args: Arguments, dialect: Dialect): Program<RecordAnswer | null> {
  const bound = boundTo(plan.level.prepared, args)
  const rows = yield counted(bound, plan.level, 1, args)
  if (rows.length === 0) return null
  const printing = yield* runChildren(plan, rows, args, dialect)
  return recordAnswer(plan, rows[0]!, printing)
}

/** In the order of the ids; null for each missing, deleted or hidden one. */
export function* runRecords(
  plan: ReadPlan,
  args: Arguments,
  dialect: Dialect,
): Program<readonly (RecordAnswer | null)[]> {
  const { actor, code = null, requestTime, deletedAt, ids = [], tokens } = args
  const ruleInputs = { actor, code, requestTime, ...(deletedAt === undefined ? {} : { deletedAt }) }
  const bound =
    ids.length === 1
      ? boundTo(plan.only!, { ...ruleInputs, id: ids[0]! })
      : boundTo(plan.level.prepared, { ...ruleInputs, keys: dialect.keys(ids) })
  const rows = yield counted(bound, plan.level, ids.length, args)
  const printing = yield* runChildren(plan, rows, args, dialect)
  const byId = rowById(rows)
  return ids.map((id, index) => {
    const row = byId.get(id)
    return row === undefined ? null : recordAnswer(plan, row, { ...printing, errors: [], tokens: tokens?.[index] })
  })
}

/** Null if the enclosing record is missing or hidden. */
export function* runList(plan: ReadPlan, args: Arguments, dialect: Dialect): Program<ListAnswer | null> {
  const list = args.list!
  const { list: shape } = plan.root as Extract<ReadPlan['root'], { kind: 'list' }>
  if (plan.holder !== null) {
    const holders = yield boundTo(plan.holder, args)
    if (holders.length === 0) return null
  }
  const inputs = rootInputs(args, dialect)
  // One more row than the page, so that `hasNext` needs no count. (contract 4.4.15)
  const limit = list.size + 1
  const bound = boundTo(plan.level.prepared, { ...inputs, limit })
  const rows = yield counted(bound, plan.level, limit, args)
  if (rows.length === 0 && plan.tenants !== null) yield* requireFewTenants(plan.tenants, inputs)
  const page = pageOf(rows, list, shape)
  const total = plan.count === null ? null : yield* totalOf(page, plan.count, inputs, list.countMax)
  const printing = yield* runChildren(plan, page.rows, args, dialect)
  const cursors = createCursorWriter(list, shape, plan.cursorPlaces, dialect)
  const { hasNext, hasPrevious } = page
  const hasCursors = list.binding !== null
  return {
    json:
      plan.connection === null
        ? printFallibleRows(page.rows, plan.print, printing, null)
        : plan.connection({ ...page, total, cursor: (row) => `"${cursors.of('either', row)}"` }, printing),
    count: page.rows.length,
    hasNext,
    hasPrevious,
    total,
    errors: printing.errors,
    nextCursor: hasCursors ? neighbourCursor(page, 'next', cursors) : null,
    previousCursor: hasCursors ? neighbourCursor(page, 'previous', cursors) : null,
  }
}

/** A count of the whole list or a value made of it, without reading it. */
export function* runAggregate({ count, tenants }: ReadPlan, args: Arguments, dialect: Dialect): Program<StoredRow> {
  const inputs = { ...rootInputs(args, dialect), limit: unlimited }
  if (tenants !== null) yield* requireFewTenants(tenants, inputs)
  const [row] = yield boundTo(count!, inputs)
  return row!
}
/** More than a table has. */
const unlimited = 2 ** 31 - 1

function rootInputs({ actor, code = null, requestTime, id, list, tenantsMax }: Arguments, dialect: Dialect): Inputs {
  return {
    actor,
    code,
    requestTime,
    tenantsMax: tenantsMax ?? unlimited,
    ...(id === undefined ? {} : { id }),
    ...listInputs(list!, requestTime, dialect),
    ...queryInputs(list!, dialect),
  }
}

/** The caller is in more tenants than a list may cover. */
export class TooManyTenants extends Error {}

/** Only an empty list is checked, since it is empty if there are more. */
export function* requireFewTenants(few: Prepared, inputs: Inputs): Program<void> {
  const rows = yield boundTo(few, inputs)
  if (rows.length === 0) throw new TooManyTenants()
}

function* totalOf({ length }: Page, count: Prepared, inputs: Inputs, countMax: number): Program<number | null> {
  if (length !== null) return length > countMax ? null : length
  const [[total]] = (yield boundTo(count, { ...inputs, limit: countMax + 1 })) as unknown as [[number]]
  return total > countMax ? null : total
}

export const listInputs = (
  { size, offset, cursor, filter, where, search }: ListArguments,
  requestTime: Date,
  dialect: Dialect,
) => ({
  limit: size,
  offset,
  filter,
  ...(cursor === null ? {} : { cursor }),
  ...(where === undefined ? {} : { where: where.map((each) => valueAt(each, requestTime, dialect)) }),
  ...(search === undefined ? {} : { search }),
})

/** Relative to the time of the request, in whole seconds, as in rules. */
function valueAt(bound: BoundValue, requestTime: Date, dialect: Dialect): Value {
  if ('value' in bound) return bound.value
  return dialect.encode(requestMomentText(bound, requestTime, bound.type), bound.type)
}

const queryInputs = ({ scope, foundIds }: ListArguments, dialect: Dialect): Pick<Inputs, 'scope' | 'keys'> => {
  if (foundIds !== undefined) return { keys: dialect.keys(foundIds) }
  return scope === undefined ? none : { scope }
}
const none = {}

function* runChildren(
  plan: ReadPlan,
  rows: readonly StoredRow[],
  args: Arguments,
  dialect: Dialect,
): Program<Printing> {
  const children = new Array<ChildRows>(plan.childCount)
  if (plan.childCount > 0) yield* runBelow(plan.level, rows, children, args, dialect)
  return { children, errors: [], path: [], size: args.size ?? unlimitedSize, previous: args.previous }
}

function* runBelow(
  level: Level,
  rows: readonly StoredRow[],
  results: ChildRows[],
  args: Arguments,
  dialect: Dialect,
): Program<void> {
  for (const child of level.children) {
    const keys = keysOf(rows, child.keyPlace)
    const below: readonly StoredRow[] = keys.length === 0 ? [] : yield childStatement(child, keys, args, dialect)
    results[child.index] = child.collect(below, keys)
    yield* runBelow(child, below, results, args, dialect)
  }
}

function childStatement(child: Child, keys: readonly string[], args: Arguments, dialect: Dialect): Bound {
  const list = child.slot === null ? null : args.lists[child.slot]!
  const { actor, code = null, requestTime } = args
  const inputs = {
    actor,
    code,
    requestTime,
    keys: dialect.keys(keys),
    ...(list === null ? { limit: child.limit ?? 1 } : listInputs(list, requestTime, dialect)),
  }
  return counted(boundTo(child.prepared, inputs), child, keys.length * (list?.size ?? child.limit ?? 1), args)
}

/** Counts the characters read if they may exceed the limit. */
function counted(bound: Bound, { rowChars }: Level, rowsMax: number, { size }: Arguments): Bound {
  return size?.needsCount(rowsMax * rowChars) ? { ...bound, counter: size } : bound
}

function keysOf(rows: readonly StoredRow[], place: number): readonly string[] {
  const keys = new Set<string>()
  for (const row of rows) {
    const key = row[place]
    if (key !== null) keys.add(key as string)
  }
  return [...keys]
}

function recordAnswer(plan: ReadPlan, row: StoredRow, printing: Printing): RecordAnswer {
  const version = plan.versionPlace === -1 ? 0 : (row[plan.versionPlace] as number)
  const tally = plan.tallyPlace === -1 ? {} : { tally: row[plan.tallyPlace] as number }
  const mask = maskOf(plan.maskPlaces, row)
  const json = plan.print(row, printing, null)
  const withoutTokens = { ...printing, errors: [], tokens: undefined, size: unlimitedSize }
  const again = printing.tokens === undefined ? {} : { jsonWithoutTokens: plan.print(row, withoutTokens, null) }
  return { json, ...again, version, mask, ...tally, errors: printing.errors }
}
