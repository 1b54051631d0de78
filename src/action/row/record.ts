// Builds rows: every column of a new record, or the changed columns of a stored one.

import { Failure, invariant } from '../../failure/failure.ts'
import { accountOf, type Caller } from '../../resource/actor.ts'
import { defaultValue, kindOf, writeValue } from '../../resource/field/registry.ts'
import type { Column, FoldedColumn } from '../../resource/model/column.ts'
import type { ResourceModel, TimedMove } from '../../resource/model/model.ts'
import { followingFrom, storedValueOf } from '../../resource/model/number/stored-value.ts'
import { isWithoutAccount } from '../../resource/model/rule/record-action.ts'
import { foldedForm } from '../../resource/model/search/folded.ts'
import { words } from '../../resource/naming/casing.ts'
import { executeTogether } from '../../store/combine.ts'
import { encodeValue } from '../../store/sql/text/column-value.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import type { WrittenColumn } from '../../store/sql/write/write.ts'
import { type Bound, type Program, type StoredRow, UniqueViolation, type Value } from '../../store/store.ts'
import { withoutAccount } from '../callback-actor.ts'
import { storedValue } from '../encrypted-value.ts'
import type { RowScope, WriteScope } from '../write-scope.ts'
import { noteExclusions } from './exclusion.ts'
import { type Authored, fitToFields, requireEithers } from './fit.ts'
import { imagesBefore, noteChanged, noteRecords } from './kept-number.ts'
import { missingReference, type RowValues } from './load.ts'
import { locksRows, noteLock } from './lock.ts'
import { settlePending } from './pending.ts'
import { inheritTenants } from './tenant.ts'
import { enterTrees, isInTree, moveInTrees } from './tree.ts'
import { resetVerifiedOf } from './verified-login.ts'

/**
 * Fills in the actor if no account is given. Throws if one is required and only code acts. Fails with FORBIDDEN if code acts
 * for a tenant's key.
 */
export function withActor(
  { name, actorColumns }: ResourceModel,
  values: Readonly<RowValues>,
  caller: Caller,
): Readonly<RowValues> {
  if (actorColumns.every(({ field }) => values[field] !== undefined)) return values
  const columns = actorColumns.filter(({ field }) => values[field] === undefined)
  const actor = accountOf(caller)
  const needed = columns.find(({ nullable }) => !nullable)
  if (needed !== undefined && isWithoutAccount(caller)) throw withoutAccount()
  if (actor === null && needed !== undefined)
    throw new Error(`The service's own code creates ${name} without ${needed.field}, and the caller is anonymous.`)
  const filled: RowValues = { ...values }
  for (const { field } of columns) filled[field] = actor?.id ?? null
  return filled
}

/** As callbacks see it. Unfilled fields are undefined. */
export function newRecord(resource: ResourceModel, id: string, values: Readonly<RowValues>, now: Date): RowValues {
  const record: RowValues = { id, createdAt: now, updatedAt: now }
  for (const column of resource.columns) {
    if (column.field in record || column.secret) continue
    const value = values[column.field]
    record[column.field] = value === undefined ? initialOf(column) : value
  }
  return record
}

/** Stored values are worked out when the record is stored. */
function initialOf({ spec, nullable }: Column): unknown {
  const initial = defaultValue(spec)
  if (initial !== undefined) return initial
  return nullable || spec.isKept === true ? null : kindOf(spec).initial?.(spec)
}

export interface RecordInsert {
  readonly record: RowValues
  readonly hashes: ReadonlyMap<string, string>
  /** Absent if no value comes from code. */
  readonly authored?: Authored
}

/** Fills in inherited tenants. Validates authored values. */
export function* insertRecord(resource: ResourceModel, insert: RecordInsert, scope: RowScope): Program<void> {
  if (resource.tenants.length > 0) yield* inheritTenants(resource, [insert.record], scope)
  yield* insertRecords(resource, [insert], scope)
}

export function* insertRecords(
  resource: ResourceModel,
  inserts: readonly RecordInsert[],
  scope: RowScope,
): Program<void> {
  const bounds: Bound[] = []
  for (const each of inserts) {
    requireEithers(resource, each.record)
    if (each.authored !== undefined) fitToFields(resource, each.record, each.authored)
    for (const stored of resource.storedValues) each.record[stored.column.field] = storedValueOf(stored, each.record)
    bounds.push(insertOf(resource, each, scope))
  }
  yield* executeTogether(bounds)
  if (locksRows(scope)) noteInsertLocks(resource, inserts, scope)
  for (const { record } of inserts) noteExclusions(resource, record['id'] as string, null, scope)
  if (isInTree(resource)) yield* enterTrees(resource, inserts, scope)
  if (resource.contributions.length > 0) {
    const created = inserts.map(({ record }) => ({ before: null, after: record }))
    yield* noteRecords(resource, created, scope)
  }
  if (resource.timedMoves.length > 0) {
    const isNew = inserts.map(({ record }) => ({ id: record['id'] as string, changed: null }))
    yield* copyDueTimes(resource, isNew, scope)
  }
  const { pending } = scope
  if (pending !== undefined && pending.size > 0)
    for (const { record } of inserts) yield* settlePending(record['id'] as string, pending)
}

function noteInsertLocks(resource: ResourceModel, inserts: readonly RecordInsert[], { locks }: RowScope): void {
  if (locks === undefined) return
  for (const { record } of inserts) locks.exclusive.add(record['id'] as string)
  if (resource.uniques.length > 0) locks.last = 'end'
}

function insertOf(
  resource: ResourceModel,
  { record, hashes }: RecordInsert,
  { statements, dialect, cipher }: RowScope,
): Bound {
  const input = resource.columns.map((column) => {
    const value = column.secret ? (hashes.get(column.field) ?? null) : record[column.field]
    invariant(value !== undefined, `${resource.name}.${column.field} has a value`)
    return encodeValue(column, storedValue(column, value, record['id'] as string, cipher), dialect)
  })
  const folded = resource.folded.map((column) => foldedOf(column, record))
  return boundTo(statements.insert(resource), { actor: null, input: [...input, ...folded] })
}

const foldedOf = (column: FoldedColumn, record: Readonly<RowValues>): string =>
  foldedForm(column, record[column.of.field])

export interface RecordChange {
  readonly id: string
  readonly after: RowValues
  /** Its locked values; null if code knows only its id. */
  readonly before?: Readonly<RowValues> | null
  readonly changed: Set<string>
  readonly hashes: ReadonlyMap<string, string>
  readonly authored: Authored
  readonly made?: readonly TimedMove[]
}

/** Clients can change neither, so this is a bug of code: a number is assigned once, within one record. */
function refuseCounted({ name, counters }: ResourceModel, changed: Iterable<string>): void {
  if (counters.length === 0) return
  const fields = new Set(changed)
  const counter = counters.find(({ column, within }) => fields.has(column.field) || fields.has(within?.field ?? ''))
  if (counter === undefined) return
  const { column, within } = counter
  const field = fields.has(column.field) ? column.field : within!.field
  const why = field === column.field ? 'which is counted' : `within which ${column.field} is counted`
  throw new Error(`The service's own code changes ${name}.${field}, ${why}.`)
}

type ChangeScope = RowScope & Pick<WriteScope, 'now'> & Partial<Pick<WriteScope, 'isSeparate'>>
export class PlacedViolation extends UniqueViolation {
  readonly id: string
  constructor(index: string, id: string) {
    super(index)
    this.id = id
  }
}

/**
 * Writes fields and raises versions. Validates authored values. One statement if all records get the same values, otherwise one
 * per 128. Fails with BUSINESS_RULE_VIOLATION if a record that was not loaded is missing.
 */
export function* changeRecords(
  resource: ResourceModel,
  changes: readonly RecordChange[],
  scope: ChangeScope,
): Program<void> {
  for (const { after, changed, authored } of changes) {
    refuseCounted(resource, changed)
    fitToFields(resource, after, authored)
  }
  yield* resetVerifiedOf(resource, changes, scope)
  const markedIds = holdersOf(resource, changes)
  const rows = changes.map((each) => changedRow(resource, each, markedIds.has(each.id), scope))
  const isAlike = rows.every((row) => row.input.every((value, at) => value === rows[0]!.input[at]))
  const bounds = rows.map((row, at) =>
    changeOf(changes[at]!.before === null ? 'changeExisting' : isAlike ? 'change' : 'changeEach', resource, row, scope),
  )
  const images = yield* imagesBefore(resource, changes, scope)
  if (markedIds.size > 0) yield markOf(resource, [...markedIds], scope)
  const found = yield* executeAll(changes, bounds, scope)
  if (changes.some(({ before }, at) => before === null && found[at]!.length === 0)) throw missingReference()
  if (locksRows(scope)) noteChangeLocks(resource, changes, scope)
  yield* moveInTrees(resource, changes, scope)
  for (const { id, changed } of changes) {
    noteExclusions(resource, id, changed, scope)
    noteChanged(resource, id, changed, scope, followingFrom(resource, changed))
  }
  yield* copyDueTimes(resource, changes, scope)
  const noted = images.flatMap((before, index) => {
    if (before === null) return []
    const { changed, after } = changes[index]!
    const change = Object.fromEntries([...changed].map((field) => [field, after[field]]))
    return [{ before, after: { ...before, ...change } }]
  })
  yield* noteRecords(resource, noted, scope)
}

function noteChangeLocks(
  resource: ResourceModel,
  changes: readonly Pick<RecordChange, 'id' | 'changed'>[],
  { locks }: ChangeScope,
): void {
  if (locks === undefined) return
  const ids = changes.map(({ id }) => id)
  noteLock(resource, ids, 'no key update', { locks })
  const uniqueFields = resource.uniques.flatMap(({ columns }) => columns.map(({ field }) => field))
  if (changes.some(({ changed }) => uniqueFields.some((field) => changed.has(field)))) locks.last = 'end'
}

function* executeAll(
  changes: readonly RecordChange[],
  bounds: readonly Bound[],
  { isSeparate }: ChangeScope,
): Program<readonly (readonly StoredRow[])[]> {
  if (isSeparate !== true) return yield* executeTogether(bounds)
  const answers: (readonly StoredRow[])[] = []
  for (const [at, bound] of bounds.entries()) answers.push(yield* placed(changes[at]!.id, bound))
  return answers
}

function* placed(id: string, bound: Bound): Program<readonly StoredRow[]> {
  try {
    return yield bound
  } catch (error) {
    throw error instanceof UniqueViolation ? new PlacedViolation(error.index, id) : error
  }
}

/**
 * Their unique values pass to others in this write: marked as deleted until written, since neither database defers a partial
 * unique index. (contract 11.2.15)
 */
function holdersOf({ uniques }: ResourceModel, changes: readonly RecordChange[]): ReadonlySet<string> {
  const ids = new Set<string>()
  if (changes.length === 1) return ids
  for (const { stored } of uniques) {
    const holders = Map.groupBy(changes, ({ before }) => (before == null ? null : valuesOf(stored, before)))
    for (const { id, after } of changes) {
      const values = valuesOf(stored, after)
      for (const holder of values === null ? [] : (holders.get(values) ?? [])) if (holder.id !== id) ids.add(holder.id)
    }
  }
  return ids
}

/** Null if one is not set. */
function valuesOf(columns: readonly (Column | FoldedColumn)[], record: Readonly<RowValues>): string | null {
  const values = columns.map((column) => {
    if (!('of' in column)) return writeValue(column.spec, record[column.field] ?? null)
    return record[column.of.field] == null ? null : foldedOf(column, record)
  })
  return values.includes(null) ? null : JSON.stringify(values)
}

const markOf = (resource: ResourceModel, ids: readonly string[], { statements, dialect, now }: ChangeScope): Bound =>
  boundTo(statements.mark(resource), { actor: null, keys: dialect.keys(ids), now: dialect.encode(now, 'timestamp') })

interface ChangedRow {
  readonly id: string
  readonly columns: readonly WrittenColumn[]
  readonly input: readonly Value[]
}

function changedRow(
  resource: ResourceModel,
  { id, after, changed, hashes, made = [] }: RecordChange,
  isMarked: boolean,
  { dialect, cipher, now }: ChangeScope,
): ChangedRow {
  const written = [...changed].map((field): [Column, unknown] => [resource.column.get(field)!, after[field]])
  for (const stored of followingFrom(resource, changed)) {
    const { field } = stored.column
    after[field] = storedValueOf(stored, after)
    written.push([stored.column, after[field]])
  }
  const secret = [...hashes].map(([field, hash]) => [resource.column.get(field)!, hash] as const)
  const folded = resource.folded.filter(({ of }) => written.some(([column]) => column === of))
  const values = [...written, ...secret, ...folded.map((column) => [column, foldedOf(column, after)] as const)]
  const columns: WrittenColumn[] = values.map(([column]) => column)
  const input = values.map(([column, value]) => encodeValue(column, storedValue(column, value, id, cipher), dialect))
  for (const { made: name } of made) {
    columns.push({ name, type: 'timestamp' })
    input.push(dialect.encode(now, 'timestamp'))
  }
  return isMarked ? { id, columns: [...columns, deletedAt], input: [...input, null] } : { id, columns, input }
}
const deletedAt = { name: 'deleted_at', type: 'timestamp' } as const

function changeOf(
  kind: 'change' | 'changeExisting' | 'changeEach',
  resource: ResourceModel,
  { id, columns, input }: ChangedRow,
  { statements, dialect, now }: ChangeScope,
): Bound {
  const values = kind === 'changeEach' ? { input: [id, ...input] } : { id, input }
  return boundTo(statements[kind](resource, columns), { actor: null, ...values, now: dialect.encode(now, 'timestamp') })
}

/** Keeps copied timestamps right after these fields were written; null: the records are new. */
function* copyDueTimes(
  { timedMoves, timedReferrers }: ResourceModel,
  changes: readonly { readonly id: string; readonly changed: ReadonlySet<string> | null }[],
  scope: RowScope,
): Program<void> {
  const idsOf = (field: string) =>
    changes.filter(({ changed }) => changed === null || changed.has(field)).map(({ id }) => id)
  for (const move of timedMoves)
    if (move.relation !== null) yield* copyAnew(move, 'id', idsOf(move.relation.field), scope)
  for (const move of timedReferrers) {
    const ids = changes.flatMap(({ id, changed }) => (changed?.has(move.on.field) ? id : []))
    if (ids.length > 0) yield* lockReferrers(move, ids, scope)
    yield* copyAnew(move, move.relation!.column.name, ids, scope)
  }
}

function* copyAnew(move: TimedMove, column: string, ids: readonly string[], scope: RowScope): Program<void> {
  const { statements, dialect } = scope
  if (ids.length > 0) yield boundTo(statements.copyAnew(move, column), { actor: null, keys: dialect.keys(ids) })
}

/** As many records may follow one timestamp. */
const referrersMax = 100_000

/** Fails with BUSINESS_RULE_VIOLATION if there are too many. */
function* lockReferrers(move: TimedMove, ids: readonly string[], { statements, dialect }: RowScope): Program<void> {
  const lock = statements.lockReferrers(move, move.relation!.column.name)
  const rows = yield boundTo(lock, { actor: null, keys: dialect.keys(ids), limit: referrersMax + 1 })
  if (rows.length <= referrersMax) return
  const message = `More than ${referrersMax} records become due with the ${words(move.on.field)} of this one.`
  throw new Failure('BUSINESS_RULE_VIOLATION', { message })
}
