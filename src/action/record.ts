// A new record: every column filled from the input, the definition, or the moment.

import { invariant } from '../failure/failure.ts'
import { kindOf } from '../resource/field/registry.ts'
import type { Column, ResourceModel } from '../resource/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { boundTo } from '../store/sql/text.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program } from '../store/store.ts'
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

/** Writes a new record. `hashes` are its secrets, by field. */
export function* insertRecord(
  resource: ResourceModel,
  record: Readonly<RowValues>,
  hashes: ReadonlyMap<string, string>,
  statements: WriteStatements,
  dialect: Dialect,
): Program<void> {
  const input = resource.columns.map((column) => {
    const value = column.secret ? (hashes.get(column.field) ?? null) : record[column.field]
    invariant(value !== undefined, `${resource.name}.${column.field} is filled by somebody`)
    return dialect.encode(value, column.type)
  })
  yield boundTo(statements.insert(resource), { actor: null, input })
}
