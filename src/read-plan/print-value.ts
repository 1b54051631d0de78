// Prints stored values as JSON.

import type { Column } from '../resource/model/column.ts'
import { decodeValue } from '../store/sql/text/column-value.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { StoredRow, Value } from '../store/store.ts'
import type { Columns } from './columns.ts'
import type { Computed } from './plain-plan.ts'
import type { ValueShape } from './selection.ts'

type PrintValue = (row: StoredRow) => string

/** Adds what it needs to `columns`. */
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

/** Recomputed on every read. */
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

/** Ids and values of a choice need no escaping in JSON. */
export const isPlainText = ({ spec }: Column): boolean => spec.kind === 'id' || spec.kind === 'one'

function valuePrinter(column: Column, shape: ValueShape | null, dialect: Dialect): (stored: Value) => string {
  if (shape !== null && 'words' in shape && column.type === 'text')
    return (stored) => JSON.stringify(reshape(stored, shape))
  if (shape !== null) return (stored) => JSON.stringify(reshape(JSON.parse(stored as string), shape))
  return isPlainText(column) ? (stored) => `"${stored as string}"` : dialect.codec(column.type).json
}

/** In the form of the face. */
export function reshape(value: unknown, shape: ValueShape): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((each) => reshape(each, shape))
  if ('words' in shape) return typeof value === 'string' ? (shape.words.get(value) ?? value) : value
  const source = value as Readonly<Record<string, unknown>>
  // No prototype, so that `__proto__` is an ordinary key.
  const result: Record<string, unknown> = Object.create(null)
  for (const { key, part, constant, shape: inner } of shape.parts) {
    const value = part === null ? constant : (source[part] ?? null)
    result[key] = inner === undefined ? value : reshape(value, inner)
  }
  return result
}
