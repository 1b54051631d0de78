// Cursors contain a record's sort values and are bound to their list; opaque to clients. (contract 4.4.10)

import { hash } from 'node:crypto'
import { isNullable, type SortKey } from '../store/sql/condition/list-shape.ts'
import { isOfType } from '../store/sql/text/codec.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { StoredRow, Value } from '../store/store.ts'

/** REST cursors contain their direction; a GraphQL cursor serves `after` and `before`. `From` includes the record itself. */
const directions = ['next', 'previous', 'either', 'nextFrom', 'previousFrom'] as const
export type CursorDirection = (typeof directions)[number]

/** Identifies a list by values that must be unchanged when the cursor is sent back. */
export const cursorBinding = (...names: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(names), 'base64url').slice(0, 11)

/** Indexes in the row and encodings of the sort values. */
export interface SortValues {
  readonly places: readonly number[]
  readonly sort: readonly SortKey[]
  readonly dialect: Dialect
}

export function encodeCursor(
  binding: string,
  direction: CursorDirection,
  row: StoredRow,
  { places, sort, dialect }: SortValues,
): string {
  let values = ''
  for (let at = 0; at < places.length; at++) {
    values += `,${jsonOf(row[places[at]!]!, sort[at]!, dialect)}`
  }
  return formatCursor(binding, direction, values)
}

const jsonOf = (value: Value, { column }: SortKey, dialect: Dialect): string =>
  value === null ? 'null' : dialect.codec(column.type).json(value)

export function cursorAt(
  binding: string,
  direction: CursorDirection,
  values: readonly Value[],
  { sort, dialect }: Omit<SortValues, 'places'>,
): string {
  return formatCursor(binding, direction, values.map((value, at) => `,${jsonOf(value, sort[at]!, dialect)}`).join(''))
}

function formatCursor(binding: string, direction: CursorDirection, values: string): string {
  const text = `["${binding}","${direction}"${values}]`
  // Shared: allocation would cost more than encoding.
  if (text.length * 3 > scratch.length) return Buffer.from(text).toString('base64url')
  return scratch.toString('base64url', 0, scratch.write(text))
}
const scratch = Buffer.alloc(8_192)

export interface Cursor {
  readonly direction: CursorDirection
  readonly values: readonly Value[]
}

/** Returns a sentence if the cursor is of another list. */
export function readCursor(text: string, binding: string, sort: readonly SortKey[], dialect: Dialect): Cursor | string {
  const parts = partsOf(text)
  const [origin, direction, ...values] = parts ?? []
  if (origin === undefined) return 'Is not a cursor of this service.'
  const fits =
    origin === binding &&
    directions.some((each) => each === direction) &&
    values.length === sort.length &&
    values.every((value, index) => isValueOf(sort[index]!, value))
  if (!fits) return 'Belongs to another list; repeat the sort and filters it came with.'
  return {
    direction: direction as CursorDirection,
    values: values.map((value, index) => dialect.encode(value, sort[index]!.column.type)),
  }
}

const cursorLengthMax = 4_096

function partsOf(text: string): readonly unknown[] | null {
  if (text.length > cursorLengthMax) return null
  const bytes = Buffer.from(text, 'base64url')
  // Otherwise a cursor would have several spellings.
  if (bytes.toString('base64url') !== text) return null
  try {
    const parts: unknown = JSON.parse(bytes.toString('utf8'))
    return Array.isArray(parts) ? parts : null
  } catch {
    return null
  }
}

const isValueOf = (key: SortKey, value: unknown): boolean =>
  value === null ? isNullable(key) : isOfType(key.column.type, value)
