// Loads and locks the records of a write, with the results of its rules.

import { memoize } from '../../cache/memoize.ts'
import { type Detail, Failure } from '../../failure/failure.ts'
import { isTrue } from '../../read-plan/print.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { type Condition, fold } from '../../resource/model/rule/condition.ts'
import { decodeValue } from '../../store/sql/text/column-value.ts'
import type { Dialect } from '../../store/sql/text/dialect.ts'
import { noCaller } from '../../store/sql/text/sql-text.ts'
import type { Program, StoredRow } from '../../store/store.ts'
import { type Cipher, clearValue } from '../encrypted-value.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'
import { loadLocked } from './lock.ts'

/** A record as callbacks see it: Dates, and relations as ids. */
export type RowValues = Record<string, unknown>
export interface StoredRecord {
  readonly id: string
  readonly record: Readonly<RowValues>
}
export interface Loaded extends StoredRecord {
  readonly version: number
  /** One per condition, in order. */
  readonly holds: readonly boolean[]
}

/** Returns the records in the order of the ids; null for each that is missing, deleted or not readable. */
export function* loadReadable(
  resource: ResourceModel,
  ids: readonly (string | null)[],
  conditions: readonly Condition[],
  scope: WriteScope,
): Program<readonly (Loaded | null)[]> {
  const readable = fold(resource.read.allow, resource, scope.actor)
  const form = formOf(resource, scope)
  const load = { resource, conditions: [readable, ...conditions], columns: form.columns, lock: null }
  const rows = yield scope.statements.load(load, ruleInputsOf(scope), withoutNull(ids))
  const byId = new Map(rows.map((row) => [row[0] as string, row]))
  return ids.map((id) => {
    const row = id === null ? undefined : byId.get(id)
    return row === undefined || !isTrue(row[2]!)
      ? null
      : toLoaded(row, row.slice(3, 3 + conditions.length).map(isTrue), 3 + conditions.length, form)
  })
}

export interface Tests {
  /** What a record must meet to be locked. */
  readonly required: readonly Condition[]
  readonly others: readonly Condition[]
}
/** The same, locked; null also for those that do not meet what is required, which are not locked. */
export function* lockReadable(
  resource: ResourceModel,
  ids: readonly (string | null)[],
  { required, others }: Tests,
  scope: WriteScope,
): Program<readonly (Loaded | null)[]> {
  const guard = [fold(resource.read.allow, resource, scope.actor), ...required]
  const form = formOf(resource, scope)
  const load = { resource, guard, conditions: others, columns: form.columns }
  const rows = yield* loadLocked(load, ruleInputsOf(scope), withoutNull(ids), 'no key update', scope)
  const byId = new Map(rows.map((row) => [row[0] as string, row]))
  return ids.map((id) => {
    const row = id === null ? undefined : byId.get(id)
    if (row === undefined) return null
    const holds = [...required.map(() => true), ...row.slice(2, 2 + others.length).map(isTrue)]
    return toLoaded(row, holds, 2 + others.length, form)
  })
}

const withoutNull = (ids: readonly (string | null)[]): readonly string[] => ids.filter((id) => id !== null)

const formOf = (resource: ResourceModel, { dialect, cipher }: WriteScope): RowForm => ({
  resource,
  columns: visibleColumns(resource),
  dialect,
  cipher,
})

/** Returns records that are not deleted, readable or not, locked in the order of ids. */
export function* lockExisting(
  resource: ResourceModel,
  ids: readonly string[],
  scope: WriteScope,
): Program<readonly StoredRecord[]> {
  const form = formOf(resource, scope)
  const load = { resource, conditions: [], columns: form.columns }
  const rows = yield* loadLocked(load, noCaller, ids, 'no key update', scope)
  const byId = new Map(rows.map((row) => [row[0] as string, recordFrom(row, 2, form)]))
  return ids.flatMap((id) => {
    const record = byId.get(id)
    return record === undefined ? [] : [{ id, record }]
  })
}

/** Fails with NOT_FOUND, or the resource's own code. */
export function requireFound(loaded: Loaded | null, resource: ResourceModel): Loaded {
  if (loaded === null) throw new Failure(resource.notFound)
  return loaded
}

export const missingReference = (details?: readonly Detail[]): Failure =>
  new Failure('BUSINESS_RULE_VIOLATION', {
    message: 'The request refers to a record that does not exist.',
    ...(details === undefined ? {} : { details }),
  })

export const visibleColumns = memoize(({ columns }: ResourceModel): readonly Column[] =>
  columns.filter((each) => !each.secret),
)

const toLoaded = (row: StoredRow, holds: readonly boolean[], first: number, form: RowForm): Loaded => ({
  id: row[0] as string,
  version: row[1] as number,
  record: recordFrom(row, first, form),
  holds,
})

export interface RowForm {
  readonly resource: ResourceModel
  readonly columns: readonly Column[]
  readonly dialect: Dialect
  readonly cipher: Cipher
}

/** The record whose columns begin at `first`, with its id before them. */
export function recordFrom(row: StoredRow, first: number, { resource, columns, dialect, cipher }: RowForm): RowValues {
  const record: RowValues = {}
  columns.forEach((column, index) => {
    const value = decodeValue(column, row[first + index]!, dialect)
    record[column.field] = column.encrypted ? clearValue(column, value, resource, row[0] as string, cipher) : value
  })
  return record
}
