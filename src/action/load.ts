// Loads and locks the records that a write is about, with what its rules say of each.

import { getOrInsert } from '../cache/get-or-insert.ts'
import { Failure } from '../failure/failure.ts'
import { isTrue } from '../read-plan/print.ts'
import type { Column } from '../resource/model/column.ts'
import { type Condition, fold } from '../resource/model/condition.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { decodeValue } from '../store/sql/column-value.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { Program, StoredRow } from '../store/store.ts'
import { type Cipher, clearValue } from './encrypted-value.ts'
import { askingOf, type RowScope, type WriteScope } from './write-scope.ts'

/** A record as callbacks see it: fields by name, timestamps as Date, relations as ids. */
export type RowValues = Record<string, unknown>
export interface Loaded {
  readonly id: string
  readonly version: number
  readonly record: RowValues
  /** Whether each of the conditions holds, in their order. */
  readonly holds: readonly boolean[]
}

/**
 * The records with these ids, in their order, locked until the transaction ends unless `lock` is null; null for each that is missing, deleted
 * or not readable by the actor.
 */
export function* loadReadable(
  resource: ResourceModel,
  ids: readonly string[],
  conditions: readonly Condition[],
  { actor, now, statements, dialect, cipher }: Pick<WriteScope, 'actor' | 'now'> & RowScope,
  lock: 'update' | null = 'update',
): Program<readonly (Loaded | null)[]> {
  const readable = fold(resource.read.allow, resource, actor)
  const columns = visibleColumns(resource)
  const load = { resource, conditions: [readable, ...conditions], columns, lock } as const
  const rows = yield statements.load(load, askingOf({ actor, now }), ids)
  const byId = new Map(rows.map((row) => [row[0] as string, row]))
  return ids.map((id) => {
    const row = byId.get(id)
    return row === undefined || !isTrue(row[2]!)
      ? null
      : toLoaded(row, conditions.length, { resource, columns, dialect, cipher })
  })
}

/** Fails with NOT_FOUND, in the resource's own code, where a record was not loaded. */
export function requireFound(loaded: Loaded | null, resource: ResourceModel): Loaded {
  if (loaded === null) throw new Failure(resource.notFound)
  return loaded
}

const visible = new WeakMap<ResourceModel, readonly Column[]>()
/** What callbacks may see: everything but hashes. */
export const visibleColumns = (resource: ResourceModel): readonly Column[] =>
  getOrInsert(visible, resource, () => resource.columns.filter((each) => !each.secret))

function toLoaded(row: StoredRow, conditions: number, form: RowForm): Loaded {
  const record = recordFrom(row, 3 + conditions, form)
  return { id: row[0] as string, version: row[1] as number, record, holds: row.slice(3, 3 + conditions).map(isTrue) }
}

/** What a loaded row holds. */
export interface RowForm {
  readonly resource: ResourceModel
  readonly columns: readonly Column[]
  readonly dialect: Dialect
  readonly cipher: Cipher
}

/** The record whose columns stand in the row from `first` on, and its id at the beginning. */
export function recordFrom(row: StoredRow, first: number, { resource, columns, dialect, cipher }: RowForm): RowValues {
  const record: RowValues = {}
  columns.forEach((column, index) => {
    const value = decodeValue(column, row[first + index]!, dialect)
    record[column.field] = column.encrypted ? clearValue(column, value, resource, row[0] as string, cipher) : value
  })
  return record
}
