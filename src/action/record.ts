// Where rows are bound: a new record, every column of it filled from the input, the definition or the clock, or a changed one.

import { invariant } from '../failure/failure.ts'
import { type Asker, accountOf } from '../resource/actor.ts'
import { defaultValue, kindOf } from '../resource/field/registry.ts'
import type { Column, FoldedColumn } from '../resource/model/column.ts'
import { foldedForm } from '../resource/model/folded.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { isWithoutAccount } from '../resource/model/record-action.ts'
import { executeTogether } from '../store/combine.ts'
import { encodeValue } from '../store/sql/column-value.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import type { Bound, Program, Value } from '../store/store.ts'
import { withoutAccount } from './callback-actor.ts'
import { storedValue } from './encrypted-value.ts'
import { type Authored, fitToFields } from './fit.ts'
import { imagesBefore, noteRecord } from './kept-number.ts'
import type { RowValues } from './load.ts'
import { settlePending } from './pending.ts'
import { inheritTenants } from './tenant.ts'
import type { RowScope, WriteScope } from './write-scope.ts'

/**
 * What was sent or given for a new record, and the actor where that says nothing. Throws where the record needs one and
 * there is none: clients are refused before, so the service's own code left it out. Fails with FORBIDDEN where that code acts for a
 * key that is no account.
 */
export function withActor(
  { name, actorColumns }: ResourceModel,
  values: Readonly<RowValues>,
  asker: Asker,
): Readonly<RowValues> {
  if (actorColumns.every(({ field }) => values[field] !== undefined)) return values
  const columns = actorColumns.filter(({ field }) => values[field] === undefined)
  const actor = accountOf(asker)
  const needed = columns.find(({ nullable }) => !nullable)
  if (needed !== undefined && isWithoutAccount(asker)) throw withoutAccount()
  if (actor === null && needed !== undefined)
    throw new Error(`The service's own code creates ${name} without ${needed.field}, and nobody is signed in to be it.`)
  const filled: RowValues = { ...values }
  for (const { field } of columns) filled[field] = actor?.id ?? null
  return filled
}

/** The record as callbacks see it. Fields that nothing fills yet are undefined. */
export function newRecord(resource: ResourceModel, id: string, values: Readonly<RowValues>, now: Date): RowValues {
  const record: RowValues = { id, createdAt: now, updatedAt: now }
  for (const column of resource.columns) {
    if (column.field in record || column.secret) continue
    const value = values[column.field]
    record[column.field] = value === undefined ? initialOf(column) : value
  }
  return record
}

function initialOf({ spec, nullable }: Column): unknown {
  const initial = defaultValue(spec)
  if (initial !== undefined) return initial
  return nullable ? null : kindOf(spec).initial?.(spec)
}

/** A record that is about to be added. */
export interface RecordInsert {
  readonly record: RowValues
  /** Its secrets, by field. */
  readonly hashes: ReadonlyMap<string, string>
  /** Absent where code gave none of the values. */
  readonly authored?: Authored
}

/** Writes a new record. Authored values are held to their fields first. */
export const insertRecord = (resource: ResourceModel, insert: RecordInsert, scope: RowScope): Program<void> =>
  insertRecords(resource, [insert], scope)

/** The same of several, by a few statements. */
export function* insertRecords(
  resource: ResourceModel,
  inserts: readonly RecordInsert[],
  scope: RowScope,
): Program<void> {
  const bounds: Bound[] = []
  for (const each of inserts) {
    if (each.authored !== undefined) fitToFields(resource, each.record, each.authored)
    if (resource.tenants.length > 0) yield* inheritTenants(resource, [each.record], scope)
    bounds.push(insertOf(resource, each, scope))
  }
  if (bounds.length === 1) yield bounds[0]!
  else yield* executeTogether(bounds)
  if (resource.contributions.length > 0)
    for (const { record } of inserts) yield* noteRecord(resource, null, record, scope)
  const { pending } = scope
  if (pending !== undefined && pending.size > 0)
    for (const { record } of inserts) yield* settlePending(record['id'] as string, pending)
}

function insertOf(
  resource: ResourceModel,
  { record, hashes }: RecordInsert,
  { statements, dialect, cipher }: RowScope,
): Bound {
  const input = resource.columns.map((column) => {
    const value = column.secret ? (hashes.get(column.field) ?? null) : record[column.field]
    invariant(value !== undefined, `${resource.name}.${column.field} is filled by somebody`)
    return encodeValue(column, storedValue(column, value, record['id'] as string, cipher), dialect)
  })
  const folded = resource.folded.map((column) => foldedOf(column, record))
  return boundTo(statements.insert(resource), { actor: null, input: [...input, ...folded] })
}

const foldedOf = (column: FoldedColumn, record: Readonly<RowValues>): string =>
  foldedForm(column, record[column.of.field])

/** What one record becomes. */
export interface RecordChange {
  readonly after: RowValues
  /** The fields of it that are written. */
  readonly changed: Iterable<string>
  /** Its new secrets, by field. */
  readonly hashes: ReadonlyMap<string, string>
  readonly authored: Authored
}

/** A number is counted once, within one record: clients can change neither, so the service's own code tried to. */
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

/** Writes these fields of one living record and raises its version. Authored values are held to their fields first. */
export const changeRecord = (
  resource: ResourceModel,
  id: string,
  change: RecordChange,
  scope: ChangeScope,
): Program<void> => changeRecords(resource, [{ id, ...change }], scope)

type ChangeScope = RowScope & Pick<WriteScope, 'now'>
/** One of several records that change. */
export interface OneChange extends RecordChange {
  readonly id: string
}

/** The same of several, by few statements: one for all that become the same, otherwise one for up to 128 of the same fields. */
export function* changeRecords(
  resource: ResourceModel,
  changes: readonly OneChange[],
  scope: ChangeScope,
): Program<void> {
  for (const { after, changed, authored } of changes) {
    refuseCounted(resource, changed)
    fitToFields(resource, after, authored)
  }
  const rows = changes.map((each) => changedRow(resource, each, scope))
  const isAlike = rows.every((row) => row.input.every((value, at) => value === rows[0]!.input[at]))
  const bounds = rows.map((row) => (isAlike ? changeOf : changeEachOf)(resource, row, scope))
  const images = yield* imagesBefore(resource, changes, scope)
  if (bounds.length === 1) yield bounds[0]!
  else yield* executeTogether(bounds)
  for (const [index, before] of images.entries()) {
    if (before === null) continue
    const { changed, after } = changes[index]!
    const change = Object.fromEntries([...changed].map((field) => [field, after[field]]))
    yield* noteRecord(resource, before, { ...before, ...change }, scope)
  }
}

/** What is written of a record. */
interface ChangedRow {
  readonly id: string
  readonly columns: readonly Column[]
  readonly input: readonly Value[]
}

function changedRow(
  resource: ResourceModel,
  { id, after, changed, hashes }: OneChange,
  { dialect, cipher }: ChangeScope,
): ChangedRow {
  const written = [...changed].map((field) => [resource.column.get(field)!, after[field]] as const)
  const secret = [...hashes].map(([field, hash]) => [resource.column.get(field)!, hash] as const)
  const folded = resource.folded.filter(({ of }) => written.some(([column]) => column === of))
  const values = [...written, ...secret, ...folded.map((column) => [column, foldedOf(column, after)] as const)]
  const columns = values.map(([column]) => column)
  const input = values.map(([column, value]) => encodeValue(column, storedValue(column, value, id, cipher), dialect))
  return { id, columns, input }
}

function changeOf(
  resource: ResourceModel,
  { id, columns, input }: ChangedRow,
  { statements, dialect, now }: ChangeScope,
): Bound {
  const time = dialect.encode(now, 'timestamp')
  return boundTo(statements.change(resource, columns), { actor: null, id, input, now: time })
}

function changeEachOf(
  resource: ResourceModel,
  { id, columns, input }: ChangedRow,
  { statements, dialect, now }: ChangeScope,
): Bound {
  const time = dialect.encode(now, 'timestamp')
  return boundTo(statements.changeEach(resource, columns), { actor: null, input: [id, ...input], now: time })
}
