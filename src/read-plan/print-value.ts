// Writes the value of one field as JSON text.

import type { Column } from '../resource/model/column.ts'
import { decodeValue } from '../store/sql/column-value.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { StoredRow, Value } from '../store/store.ts'
import type { Columns } from './columns.ts'
import type { Computed } from './plain-plan.ts'
import type { ValueShape } from './selection.ts'

type PrintValue = (row: StoredRow) => string

/** Prints a stored value, and tells `columns` that it is needed. */
export function columnPrinter(
  column: Column,
  shape: ValueShape | null,
  columns: Columns,
  dialect: Dialect,
): PrintValue {
  const place = columns.place(column)
  const print = valuePrinter(column, shape, dialect)
  return (row) => {
    const stored = row[place]!
    return stored === null ? 'null' : print(stored)
  }
}

/** Prints a value that is made of columns, as callbacks see them, each time it is read. */
export function computedPrinter(
  { from, make }: Computed,
  shape: ValueShape | null,
  columns: Columns,
  dialect: Dialect,
): PrintValue {
  const places = from.map((column) => ({ column, place: columns.place(column) }))
  return (row) => {
    const values: Record<string, unknown> = {}
    for (const { column, place } of places) values[column.field] = decodeValue(column, row[place]!, dialect)
    const value = make(values)
    return JSON.stringify(shape === null ? value : reshape(value, shape)) ?? 'null'
  }
}

/** Ids and words of a choice have no character that JSON would escape. */
export const isPlainText = ({ spec }: Column): boolean => spec.kind === 'id' || spec.kind === 'one'

function valuePrinter(column: Column, shape: ValueShape | null, dialect: Dialect): (stored: Value) => string {
  if (shape !== null) return (stored) => JSON.stringify(reshape(JSON.parse(stored as string), shape))
  return isPlainText(column) ? (stored) => `"${stored as string}"` : dialect.codec(column.type).json
}

function reshape(value: unknown, shape: ValueShape): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((each) => reshape(each, shape))
  const source = value as Readonly<Record<string, unknown>>
  // Without a prototype, so that `__proto__` is a key like any other.
  const result: Record<string, unknown> = Object.create(null)
  for (const { key, part, constant, shape: inner } of shape.parts) {
    const value = part === null ? constant : (source[part] ?? null)
    result[key] = inner === undefined ? value : reshape(value, inner)
  }
  return result
}
