// Where rows are bound: a new record, every column of it filled from the input, the definition or the moment, or a changed one.

import { invariant } from '../failure/failure.ts'
import { kindOf } from '../resource/field/registry.ts'
import type { Column, ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program } from '../store/store.ts'
import { type Authored, fitToFields } from './fit.ts'
import type { RowValues } from './load.ts'

/** The record as callbacks see it. Fields that nothing fills yet are undefined. */
export function newRecord(resource: ResourceModel, id: string, values: Readonly<RowValues>, now: Date): RowValues {
  const record: RowValues = { id, createdAt: now, updatedAt: now }
  for (const column of resource.columns) {
    if (column.field in record || column.secret) continue
    const given = values[column.field]
    record[column.field] = given === undefined ? initialOf(column) : given
  }
  return record
}

function initialOf({ spec, nullable }: Column): unknown {
  if (spec.default !== undefined) return spec.default
  return nullable ? null : kindOf(spec).initial?.(spec)
}

const nothing: Authored = { fields: [] }

/** Writes a new record. `hashes` are its secrets, by field. Authored values are held to their fields first. */
export function* insertRecord(
  resource: ResourceModel,
  record: RowValues,
  hashes: ReadonlyMap<string, string>,
  statements: WriteStatements,
  dialect: Dialect,
  authored: Authored = nothing,
): Program<void> {
  fitToFields(resource, record, authored)
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
  now: Date,
  statements: WriteStatements,
  dialect: Dialect,
): Program<void> {
  fitToFields(resource, after, authored)
  const written = [...changed].map((field) => [resource.column.get(field)!, after[field]] as const)
  const secret = [...hashes].map(([field, hash]) => [resource.column.get(field)!, hash] as const)
  const values = [...written, ...secret]
  const columns = values.map(([column]) => column)
  const input = values.map(([{ type }, value]) => dialect.encode(value, type))
  yield boundTo(statements.change(resource, columns), { actor: null, id, input, now: dialect.encode(now, 'timestamp') })
}
