// Where rows are bound: a new record, every column of it filled from the input, the definition or the clock, or a changed one.

import { invariant } from '../failure/failure.ts'
import { kindOf } from '../resource/field/registry.ts'
import type { Column, ResourceModel } from '../resource/model/model.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import type { Program } from '../store/store.ts'
import { type Authored, fitToFields } from './fit.ts'
import type { RowValues } from './load.ts'
import type { RowScope, WriteScope } from './write-scope.ts'

/**
 * What was sent or given for a new record, and the actor where that says nothing. Throws where the record needs one and
 * there is none: clients are refused before, so the service's own code left it out.
 */
export function withActor(
  { name, actorColumns }: ResourceModel,
  values: Readonly<RowValues>,
  actor: { readonly id: string } | null,
): Readonly<RowValues> {
  const columns = actorColumns.filter(({ field }) => values[field] === undefined)
  if (columns.length === 0) return values
  const needed = columns.find(({ nullable }) => !nullable)
  if (actor === null && needed !== undefined)
    throw new Error(`The service's own code creates ${name} without ${needed.field}, and nobody is signed in to be it.`)
  return { ...values, ...Object.fromEntries(columns.map(({ field }) => [field, actor?.id ?? null])) }
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
  if (spec.default !== undefined) return spec.default
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
export function* insertRecord(
  resource: ResourceModel,
  { record, hashes, authored }: RecordInsert,
  { statements, dialect }: RowScope,
): Program<void> {
  if (authored !== undefined) fitToFields(resource, record, authored)
  const input = resource.columns.map((column) => {
    const value = column.secret ? (hashes.get(column.field) ?? null) : record[column.field]
    invariant(value !== undefined, `${resource.name}.${column.field} is filled by somebody`)
    return dialect.encode(value, column.type)
  })
  yield boundTo(statements.insert(resource), { actor: null, input })
}

/** What one record becomes. */
export interface RecordChange {
  readonly after: RowValues
  /** The fields of it that are written. */
  readonly changed: Iterable<string>
  /** Its new secrets, by field. */
  readonly hashes: ReadonlyMap<string, string>
  readonly authored: Authored
}

/** Writes these fields of one living record and raises its version. Authored values are held to their fields first. */
export function* changeRecord(
  resource: ResourceModel,
  id: string,
  { after, changed, hashes, authored }: RecordChange,
  { statements, dialect, now }: Pick<WriteScope, 'statements' | 'dialect' | 'now'>,
): Program<void> {
  fitToFields(resource, after, authored)
  const written = [...changed].map((field) => [resource.column.get(field)!, after[field]] as const)
  const secret = [...hashes].map(([field, hash]) => [resource.column.get(field)!, hash] as const)
  const values = [...written, ...secret]
  const columns = values.map(([column]) => column)
  const input = values.map(([{ type }, value]) => dialect.encode(value, type))
  yield boundTo(statements.change(resource, columns), { actor: null, id, input, now: dialect.encode(now, 'timestamp') })
}
