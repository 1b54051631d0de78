// The values of computed fields that are stored. (contract 13.2)

import { readValue } from '../../field/registry.ts'
import type { Column, FoldedColumn, StoredValue } from '../column.ts'
import type { ResourceModel } from '../model.ts'

/** From values of the record, as code sees it. */
export const storedValueOf = ({ from, make }: StoredValue, record: Readonly<Record<string, unknown>>): unknown =>
  make(Object.fromEntries(from.map(({ field, spec }) => [field, readValue(spec, record[field])])))

/** Those from these fields alone. */
export const followingFrom = ({ storedValues }: ResourceModel, changed: ReadonlySet<string>): readonly StoredValue[] =>
  storedValues.filter(({ from }) => from.every(({ field }) => changed.has(field)))

/** Stored values, and what is derived from them. */
export const storedColumns = ({ storedValues, folded }: ResourceModel): readonly (Column | FoldedColumn)[] => {
  const columns = storedValues.map(({ column }) => column)
  return [...columns, ...folded.filter(({ of }) => columns.includes(of))]
}
