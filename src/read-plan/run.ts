// Runs a plan: binds values, runs at most one statement per level, joins in memory, prints.

import { type AnswerSize, unlimitedSize } from '../budget/answer-size.ts'
import { momentAt } from '../resource/model/placeholder.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { boundTo, type Inputs, type Prepared } from '../store/sql/sql-text.ts'
import type { Bound, Program, StoredRow, Value } from '../store/store.ts'
import { rowById } from './collect.ts'
import { type Mask, maskOf } from './mask.ts'
import { type BoundValue, createCursorWriter, type ListArguments, neighbourCursor, type Page, pageOf } from './page.ts'
import { type ChildRows, type PathError, type Printing, printFallibleRows } from './printing.ts'
import type { Child, Level, ReadPlan } from './read-plan.ts'
import { depthOf, depthOfRows } from './search-depth.ts'

export type { ListArguments } from './page.ts'

export interface Arguments {
  readonly actor: string | null
  /** The hash of the access code that the request shows. */
  readonly code?: string | null
  /** What rules take for now: one moment for all that a request asks. */
  readonly requestTime: Date
  /** The record's id, or that of the record which a list is within. */
  readonly id?: string
  /** Where the records are read as they were until they were deleted: when that was. */
  readonly deletedAt?: Value
  readonly ids?: readonly string[]
  /** The arguments of the root list, if it is one. */
  readonly list?: ListArguments
  /** The arguments of the lists below, by slot. */
  readonly lists: readonly ListArguments[]
  /** What fields of the record were before, as JSON has it. */
  readonly previous?: Readonly<Record<string, unknown>>
  /** From how many tenants a list is gathered; any number will do without. */
  readonly tenantsMax?: number
  /** What counts the answer while it is printed; any size will do without. */
  readonly size?: AnswerSize | undefined
}

/** One record as it goes out. */
export interface RecordAnswer {
  /** Null where a part that cannot be null was refused. */
  readonly json: string | null
  readonly version: number
  /** How often kept numbers of it have changed; absent where it has none. (contract 13.2.6) */
  readonly tally?: number
  /** Which protected fields and references this reader may see. (contract 4.11.4) */
  readonly mask: Mask
  readonly errors: readonly PathError[]
}
export interface ListAnswer {
  /** An array or a connection; null where a record in it was refused. */
  readonly json: string | null
  readonly count: number
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  readonly nextCursor: string | null
  readonly previousCursor: string | null
  /** Null where it was not asked for, or there are more than are counted. */
  readonly total: number | null
  readonly errors: readonly PathError[]
}

/** Reads one record; null where it is missing, deleted or hidden. */
export function* runRecord(plan: ReadPlan, args: Arguments, dialect: Dialect): Program<RecordAnswer | null> {
  const bound = boundTo(plan.level.prepared, args)
  const rows = yield counted(bound, plan.level, 1, args)
  if (rows.length === 0) return null
  const printing = yield* runChildren(plan, rows, args, dialect)
  return recordAnswer(plan, rows[0]!, printing)
}

/** Reads records by id, in the order of the ids; null for each that is missing, deleted or hidden. */
export function* runRecords(
  plan: ReadPlan,
  args: Arguments,
  dialect: Dialect,
): Program<readonly (RecordAnswer | null)[]> {
  const { actor, code = null, requestTime, deletedAt, ids = [] } = args
  const asking = { actor, code, requestTime, ...(deletedAt === undefined ? {} : { deletedAt }) }
  const bound =
    ids.length === 1
      ? boundTo(plan.only!, { ...asking, id: ids[0]! })
      : boundTo(plan.level.prepared, { ...asking, keys: dialect.keys(ids) })
  const rows = yield counted(bound, plan.level, ids.length, args)
  const printing = yield* runChildren(plan, rows, args, dialect)
  const byId = rowById(rows)
  return ids.map((id) => {
    const row = byId.get(id)
    return row === undefined ? null : recordAnswer(plan, row, { ...printing, errors: [] })
  })
}

/** Reads one page of a list; null where it is within a record that is missing or hidden. */
export function* runList(plan: ReadPlan, args: Arguments, dialect: Dialect): Program<ListAnswer | null> {
  const list = args.list!
  const { list: shape } = plan.root as Extract<ReadPlan['root'], { kind: 'list' }>
  if (plan.holder !== null) {
    const holders = yield boundTo(plan.holder, args)
    if (holders.length === 0) return null
  }
  const depth = shape.search == null ? null : depthOf(shape.search.model, plan.level.prepared)
  const own = rootInputs(args, dialect)
  const inputs = depth === null ? own : { ...own, steps: depth.steps(shape.search!) }
  // One row more than the page, so that whether there is a next page costs no count. (contract 4.4.15)
  const limit = list.size + 1
  const bound = boundTo(plan.level.prepared, { ...inputs, limit })
  const rows = yield counted(bound, plan.level, limit, args)
  depth?.add(rows.length < limit ? Number.POSITIVE_INFINITY : depthOfRows(rows, plan.cursorPlaces[0]!, dialect))
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
        : plan.connection({ ...page, total, cursor: (row) => cursors.of('either', row) }, printing),
    count: page.rows.length,
    hasNext,
    hasPrevious,
    total,
    errors: printing.errors,
    nextCursor: hasCursors ? neighbourCursor(page, 'next', cursors) : null,
    previousCursor: hasCursors ? neighbourCursor(page, 'previous', cursors) : null,
  }
}

/** What is counted or added up of the whole list, without reading any of it. */
export function* runAggregate({ count }: ReadPlan, args: Arguments, dialect: Dialect): Program<StoredRow> {
  const [row] = yield boundTo(count!, { ...rootInputs(args, dialect), limit: unlimited })
  return row!
}
/** More than a table has. */
const unlimited = 2 ** 31 - 1

/** What the statements of a list at the root are run with. */
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

/** Whoever asks is in more tenants than a list is gathered from. */
export class TooManyTenants extends Error {}

/** Of more no record is found, so that only an empty list has to be asked why. */
function* requireFewTenants(few: Prepared, inputs: Inputs): Program<void> {
  const rows = yield boundTo(few, inputs)
  if (rows.length === 0) throw new TooManyTenants()
}

/** The length of the list, counted unless the page tells it; null where it is more than is counted. */
function* totalOf({ length }: Page, count: Prepared, inputs: Inputs, countMax: number): Program<number | null> {
  if (length !== null) return length > countMax ? null : length
  const [[total]] = (yield boundTo(count, { ...inputs, limit: countMax + 1 })) as unknown as [[number]]
  return total > countMax ? null : total
}

/** The values of a list, as statements take them. */
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

/** One moment for all that a request asks, in whole seconds, as rules take it. */
function valueAt(bound: BoundValue, requestTime: Date, dialect: Dialect): Value {
  if ('value' in bound) return bound.value
  const second = Math.floor(requestTime.getTime() / 1_000) * 1_000
  const moment = momentAt(second + bound.shiftMs).toISOString()
  return dialect.encode(bound.type === 'date' ? moment.slice(0, 10) : moment, bound.type)
}

const queryInputs = ({ scope, foundIds }: ListArguments, dialect: Dialect): Pick<Inputs, 'scope' | 'keys'> => {
  if (foundIds !== undefined) return { keys: dialect.keys(foundIds) }
  return scope === undefined ? none : { scope }
}
const none = {}

/** Reads what hangs below these rows; what it answers, printing needs. */
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

/** The statement of a level that answers so many rows at most; what it reads is counted where it may be too much. */
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
  return { json: plan.print(row, printing, null), version, mask, ...tally, errors: printing.errors }
}
