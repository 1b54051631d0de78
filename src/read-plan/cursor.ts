// Cursors: the sort values of one record, opaque to clients, bound to the list that they came from. (contract 4.4.10)

import { hash } from 'node:crypto'
import { createBoundedCache } from '../cache/bounded-cache.ts'
import { Failure } from '../failure/failure.ts'
import { isOfType } from '../store/sql/codec.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import { isNullable, type SortKey } from '../store/sql/list-shape.ts'
import type { StoredRow, Value } from '../store/store.ts'

/**
 * REST cursors know which way they lead; a GraphQL cursor serves `after` and `before`. `From`: the record itself is on the
 * page, too, as where an empty page leads back to what came before it.
 */
export type CursorDirection = 'next' | 'previous' | 'either' | 'nextFrom' | 'previousFrom'
const directions: readonly unknown[] = [
  'next',
  'previous',
  'either',
  'nextFrom',
  'previousFrom',
] satisfies CursorDirection[]

/** What cursors are bound to. Most requests ask for lists that others ask for, too: for those nothing is hashed. */
export class CursorBindings {
  readonly #bindings = createBoundedCache<string>(2_000, 1_000_000)

  /** Identifies a list: whatever is named here must be the same when a cursor of it comes back. */
  of(...names: readonly unknown[]): string {
    const text = JSON.stringify(names)
    const cached = this.#bindings.get(text)
    if (cached !== undefined) return cached
    const binding = hash('sha256', text, 'base64url').slice(0, 11)
    this.#bindings.set(text, binding, text.length * 2 + entryBytes)
    return binding
  }
}
const entryBytes = 150

/** Where the sort values of a list stand in its rows, and how they are written. */
export interface SortValues {
  readonly places: readonly number[]
  readonly sort: readonly SortKey[]
  readonly dialect: Dialect
}

/** The cursor of a row. */
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

/** The cursor of the place that these values, as `readCursor` gave them, stand for. */
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
  // A page has a cursor for each record: a buffer for each would take longer than to write it.
  if (text.length * 3 > scratch.length) return Buffer.from(text).toString('base64url')
  return scratch.toString('base64url', 0, scratch.write(text))
}
const scratch = Buffer.alloc(8_192)

export interface Cursor {
  readonly direction: CursorDirection
  readonly values: readonly Value[]
}

/** Reads a cursor. VALIDATION_ERROR where it was not made for this list, naming the parameter `field`. */
export function decodeCursor(
  text: string,
  binding: string,
  sort: readonly SortKey[],
  dialect: Dialect,
  field: string,
): Cursor {
  const cursor = readCursor(text, binding, sort, dialect)
  if (typeof cursor === 'string') throw new Failure('VALIDATION_ERROR', { details: [{ field, message: cursor }] })
  return cursor
}

/** Reads a cursor; a sentence where it was not made for this list. */
export function readCursor(text: string, binding: string, sort: readonly SortKey[], dialect: Dialect): Cursor | string {
  const parts = partsOf(text)
  const [origin, direction, ...values] = parts ?? []
  if (origin === undefined) return 'Is not a cursor of this service.'
  const fits =
    origin === binding &&
    directions.includes(direction) &&
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
  // Decoding overlooks what does not belong there, so that one cursor would have many spellings.
  if (bytes.toString('base64url') !== text) return null
  try {
    const parts: unknown = JSON.parse(bytes.toString('utf8'))
    return Array.isArray(parts) ? parts : null
  } catch {
    // Not JSON is only the plainest way of not being one of our cursors.
    return null
  }
}

const isValueOf = (key: SortKey, value: unknown): boolean =>
  value === null ? isNullable(key) : isOfType(key.column.type, value)
