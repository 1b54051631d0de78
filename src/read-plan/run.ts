// Runs a plan: binds values, runs at most one statement per level, joins in memory, prints.

import { type AnswerSize, unlimitedSize } from '../budget/answer-size.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { ListShape } from '../store/sql/list-shape.ts'
import { boundTo, type Inputs, type Prepared } from '../store/sql/sql-text.ts'
import type { Program, StoredRow, Value } from '../store/store.ts'
import type { Child, Level, ReadPlan } from './compile.ts'
import type { Page } from './connection.ts'
import { type CursorDirection, cursorAt, encodeCursor } from './cursor.ts'
import { type ChildRows, isTrue, type PathError, type Printing, printFallibleRows } from './print.ts'

/** The arguments of one list. */
export interface ListArguments {
  /** The page size. */
  readonly size: number
  readonly offset: number
  readonly cursor: readonly Value[] | null
  readonly filter: readonly Value[]
  /** What the page's cursors are bound to; null where nobody asked for cursors. */
  readonly binding: string | null
  /** The most that a total counts to; beyond it is null. */
  readonly countMax: number
  /** What a query was asked with, by the names of its definition; checked. */
  readonly args?: Readonly<Record<string, unknown>>
  /** What its scope compares with, or the ids that it found. */
  readonly scope?: readonly Value[]
  readonly found?: readonly string[]
}
export interface Arguments {
  readonly actor: string | null
  /** The record's id, or that of the record which a list is within. */
  readonly id?: string
  readonly ids?: readonly string[]
  /** The arguments of the root list, if it is one. */
  readonly list?: ListArguments
  /** The arguments of the lists below, by slot. */
  readonly lists: readonly ListArguments[]
  /** What counts the answer while it is printed; any size will do without. */
  readonly size?: AnswerSize | undefined
}

/** One record as it goes out. */
export interface RecordAnswer {
  /** Null where a part that cannot be null was refused. */
  readonly json: string | null
  readonly version: number
  /** The bits of the protected fields that this reader may see. (contract 4.11.4) */
  readonly mask: number
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
export function* runRecord(plan: ReadPlan, given: Arguments, dialect: Dialect): Program<RecordAnswer | null> {
  const rows = yield boundTo(plan.level.prepared, { actor: given.actor, id: given.id! })
  if (rows.length === 0) return null
  const printing = yield* runChildren(plan, rows, given, dialect)
  return recordAnswer(plan, rows[0]!, printing)
}

/** Reads records by id, in the order of the ids; null for each that is missing, deleted or hidden. */
export function* runRecords(
  plan: ReadPlan,
  given: Arguments,
  dialect: Dialect,
): Program<readonly (RecordAnswer | null)[]> {
  const { actor, ids = [] } = given
  const rows =
    ids.length === 1
      ? yield boundTo(plan.only!, { actor, id: ids[0]! })
      : yield boundTo(plan.level.prepared, { actor, keys: dialect.keys(ids) })
  const printing = yield* runChildren(plan, rows, given, dialect)
  const found = byId(rows)
  return ids.map((id) => {
    const row = found.get(id)
    return row === undefined ? null : recordAnswer(plan, row, { ...printing, errors: [] })
  })
}

/** Reads one page of a list; null where it is within a record that is missing or hidden. */
export function* runList(plan: ReadPlan, given: Arguments, dialect: Dialect): Program<ListAnswer | null> {
  const { actor, list, id } = given
  const { list: shape } = plan.root as Extract<ReadPlan['root'], { kind: 'list' }>
  if (plan.holder !== null) {
    const holders = yield boundTo(plan.holder, { actor, id: id! })
    if (holders.length === 0) return null
  }
  const inputs = { actor, ...(id === undefined ? {} : { id }), ...listInputs(list!), ...queryInputs(list!, dialect) }
  // One row more than the page, so that whether there is a next page costs no count. (contract 4.4.15)
  const found = yield boundTo(plan.level.prepared, { ...inputs, limit: list!.size + 1 })
  const more = found.length > list!.size
  const page = more ? found.slice(0, list!.size) : found
  const rows = shape.backward ? page.toReversed() : page
  const { offset, cursor, countMax } = list!
  const length =
    plan.count === null ? null : (lengthOf(found, more, list!, shape) ?? (yield* count(plan.count, inputs, countMax)))
  const total = length === null || length > countMax ? null : length
  const printing = yield* runChildren(plan, rows, given, dialect)
  const { binding } = list!
  const cursorOf = (direction: CursorDirection) => (row: StoredRow) =>
    encodeCursor(binding ?? '', direction, row, plan.cursorPlaces, shape.sort, dialect)
  // An empty page has no record to lead back from, but the cursor that led here stands where its neighbour ends.
  const turn = (): string | null => {
    if (cursor === null) return null
    const back = shape.backward ? 'next' : 'previous'
    return cursorAt(binding!, shape.seek?.inclusive === true ? back : `${back}From`, cursor, shape.sort)
  }
  const came = cursor !== null || offset > 0
  const [hasNext, hasPrevious] = shape.backward ? [came, more] : [more, came]
  const told: Page = { rows, hasNext, hasPrevious, total, cursor: cursorOf('either') }
  return {
    json:
      plan.connection === null ? printFallibleRows(rows, plan.print, printing) : plan.connection.print(told, printing),
    count: rows.length,
    hasNext,
    hasPrevious,
    total,
    errors: printing.errors,
    nextCursor: binding !== null && hasNext ? (rows.length > 0 ? cursorOf('next')(rows.at(-1)!) : turn()) : null,
    previousCursor:
      binding !== null && hasPrevious ? (rows.length > 0 ? cursorOf('previous')(rows[0]!) : turn()) : null,
  }
}

/** The last page of a list that was counted from its beginning tells how long it is; null for other pages. */
function lengthOf(
  found: readonly StoredRow[],
  more: boolean,
  { cursor, offset }: ListArguments,
  { backward }: ListShape,
): number | null {
  const isLast = !more && (found.length > 0 || offset === 0)
  return isLast && cursor === null && !backward ? offset + found.length : null
}

function* count(prepared: Prepared, inputs: Inputs, countMax: number): Program<number> {
  const [[total]] = (yield boundTo(prepared, { ...inputs, limit: countMax + 1 })) as unknown as [[number]]
  return total
}

const listInputs = ({ size, offset, cursor, filter }: ListArguments) => ({
  limit: size,
  offset,
  filter,
  ...(cursor === null ? {} : { cursor }),
})

const queryInputs = ({ scope, found }: ListArguments, dialect: Dialect): Pick<Inputs, 'scope' | 'keys'> => {
  if (found !== undefined) return { keys: dialect.keys(found) }
  return scope === undefined ? none : { scope }
}
const none = {}

function* runChildren(
  plan: ReadPlan,
  rows: readonly StoredRow[],
  given: Arguments,
  dialect: Dialect,
): Program<Printing> {
  const children = new Array<ReadonlyMap<Value, ChildRows>>(plan.childCount)
  if (plan.childCount > 0) yield* runBelow(plan.level, rows, children, given, dialect)
  return { children, above: [], errors: [], path: [], size: given.size ?? unlimitedSize }
}

function* runBelow(
  level: Level,
  rows: readonly StoredRow[],
  results: ReadonlyMap<Value, ChildRows>[],
  given: Arguments,
  dialect: Dialect,
): Program<void> {
  for (const child of level.children) {
    const keys = keysOf(rows, child.keyPlace)
    const found: readonly StoredRow[] =
      keys.length === 0 ? [] : yield boundTo(child.prepared, childInputs(child, keys, given, dialect))
    results[child.index] = collect[child.kind](found, keys)
    yield* runBelow(child, found, results, given, dialect)
  }
}

function childInputs(child: Child, keys: readonly string[], given: Arguments, dialect: Dialect): Inputs {
  const list = child.kind === 'one' ? {} : listInputs(given.lists[child.slot]!)
  return { actor: given.actor, keys: dialect.keys(keys), ...list }
}

function keysOf(rows: readonly StoredRow[], place: number): readonly string[] {
  const keys = new Set<string>()
  for (const row of rows) {
    const key = row[place]
    if (key !== null) keys.add(key as string)
  }
  return [...keys]
}

function byId(rows: readonly StoredRow[]): Map<Value, StoredRow> {
  const found = new Map<Value, StoredRow>()
  for (const row of rows) found.set(row[0]!, row)
  return found
}

/**
 * Rows say the place of their parent's key, which costs less than the key, and are given the key instead; unless somebody who
 * asked the same at the same time, and has the same rows, gave it to them.
 */
function byParent(rows: readonly StoredRow[], keys: readonly string[]): Map<Value, StoredRow[]> {
  const found = new Map<Value, StoredRow[]>()
  // Rows of one parent stand together.
  let place: Value | undefined
  let key = ''
  let siblings: StoredRow[] = []
  for (const row of rows) {
    if (row[0] !== place) {
      place = row[0]!
      key = typeof place === 'string' ? place : keys[place as number]!
      siblings = []
      found.set(key, siblings)
    }
    ;(row as Value[])[0] = key
    siblings.push(row)
  }
  return found
}

/** Texts say the place of their parent's key, too; an empty list has none. */
function textByParent(rows: readonly StoredRow[], keys: readonly string[]): ReadonlyMap<Value, string> {
  const found = new Map<Value, string>()
  for (const [place, text] of rows) if (text !== null) found.set(keys[place as number]!, text as string)
  return found
}

const collect = { one: byId, list: byParent, text: textByParent }

function recordAnswer(plan: ReadPlan, row: StoredRow, printing: Printing): RecordAnswer {
  let mask = 0
  plan.maskPlaces.forEach((place, bit) => {
    if (typeof place === 'boolean' ? place : isTrue(row[place]!)) mask |= 1 << bit
  })
  const version = plan.versionPlace === -1 ? 0 : (row[plan.versionPlace] as number)
  return { json: plan.print(row, printing), version, mask, errors: printing.errors }
}
