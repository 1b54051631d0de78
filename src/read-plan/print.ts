// Writes records as JSON text, straight from stored rows. Made once per plan; per row it only concatenates.

import type { FailureCode } from '../failure/failure.ts'
import { type Actor, hasScope } from '../resource/actor.ts'
import { fold } from '../resource/condition.ts'
import type { Column, FieldModel, ResourceModel } from '../resource/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { StoredRow, Value } from '../store/store.ts'
import type { Columns } from './columns.ts'
import { mayFilterBy } from './list-access.ts'
import type { Part, Selection, ValueShape } from './selection.ts'

/** What one printing has at hand: the rows below each record, and where it stands. */
export interface Printing {
  /** By child, then by the parent's key: one row, or the rows of a list. */
  readonly children: readonly ReadonlyMap<Value, StoredRow | readonly StoredRow[]>[]
  readonly errors: PathError[]
  /** Kept only where something below can be refused. */
  readonly path: (string | number)[]
}
/** Something in the answer that this reader may not see, or that is gone. */
export interface PathError {
  readonly code: FailureCode
  readonly path: readonly (string | number)[]
}

/** The JSON of one record; null where a part that cannot be null is missing, so that the record is null instead. */
export type Print = (row: StoredRow, printing: Printing) => string | null
/** `undefined`: leave this part out. */
type Write = (row: StoredRow, printing: Printing) => string | null | undefined
interface Writer {
  readonly write: Write
  /** Whether anything below can be refused or missing. */
  readonly fallible: boolean
  readonly omissible: boolean
}

/** What a selection needs from below: rows of another level, found by a column of this one. */
export type RequestChild = (
  part: Extract<Part, { kind: 'one' | 'list' }>,
  columns: Columns,
) => { index: number; print: Print; fallible: boolean; keyPlace: number }

export interface PrintContext {
  readonly actor: Actor | null
  readonly dialect: Dialect
  readonly requestChild: RequestChild
}

/** Makes the printer of a selection and tells `columns` what it needs. */
export function makePrint(
  selection: Selection,
  columns: Columns,
  context: PrintContext,
): { print: Print; fallible: boolean } {
  const writers: Writer[] = []
  const keys: string[] = []
  for (const part of selection.parts) {
    const writer = makeWriter(part, selection, columns, context)
    if (writer === null) continue
    writers.push(writer)
    keys.push(JSON.stringify(part.key))
  }
  const fallible = writers.some((each) => each.fallible)
  const writes = writers.map((each) => each.write)
  return {
    fallible,
    print: writers.some((each) => each.omissible) ? printLoosely(keys, writes) : printTightly(keys, writes),
  }
}

function printTightly(keys: readonly string[], writes: readonly Write[]): Print {
  const before = keys.map((key, index) => `${index === 0 ? '{' : ','}${key}:`)
  const count = writes.length
  if (count === 0) return () => '{}'
  return (row, printing) => {
    let text = ''
    for (let at = 0; at < count; at++) {
      const part = writes[at]!(row, printing)
      if (part === null) return null
      text += before[at]! + part
    }
    return `${text}}`
  }
}

function printLoosely(keys: readonly string[], writes: readonly Write[]): Print {
  return (row, printing) => {
    let text = '{'
    for (let at = 0; at < writes.length; at++) {
      const part = writes[at]!(row, printing)
      if (part === null) return null
      if (part !== undefined) text += `${text === '{' ? '' : ','}${keys[at]}:${part}`
    }
    return `${text}}`
  }
}

const plain = (write: Write): Writer => ({ write, fallible: false, omissible: false })

function makeWriter(part: Part, selection: Selection, columns: Columns, context: PrintContext): Writer | null {
  switch (part.kind) {
    case 'constant':
      return plain(() => part.json)
    case 'field':
      return fieldWriter(part, selection, columns, context)
    case 'one':
      return oneWriter(part, columns, context)
    case 'list':
      return listWriter(part, columns, context)
  }
}

function fieldWriter(
  part: Extract<Part, { kind: 'field' }>,
  selection: Selection,
  columns: Columns,
  context: PrintContext,
): Writer | null {
  const { resource, hidden } = selection
  const rule = resource.protect.get(part.field)?.read
  const condition = rule === undefined ? null : fold(rule, resource, context.actor)
  if (condition?.is === 'never') return hidden === 'omit' ? null : refusal(part.key, part.nullable, 'FORBIDDEN')
  const { computed } = resource.fields.get(part.field)!
  const write =
    computed === null
      ? columnWriter(resource.column.get(part.field)!, part.shape, columns, context.dialect)
      : computedWriter(computed, part.shape, columns, context.dialect)
  if (condition === null || condition.is === 'always') return plain(write)
  const allowed = columns.place(condition)
  if (hidden === 'omit') {
    return {
      write: (row, printing) => (isTrue(row[allowed]!) ? write(row, printing) : undefined),
      fallible: false,
      omissible: true,
    }
  }
  const refused = refusal(part.key, part.nullable, 'FORBIDDEN')
  return {
    write: (row, printing) => (isTrue(row[allowed]!) ? write : refused.write)(row, printing),
    fallible: true,
    omissible: false,
  }
}

function columnWriter(column: Column, shape: ValueShape | undefined, columns: Columns, dialect: Dialect): Write {
  const place = columns.place(column)
  const value = valueWriter(column, shape, dialect)
  return (row) => {
    const stored = row[place]!
    return stored === null ? 'null' : value(stored)
  }
}

/** Made of the columns that it names, as callbacks see them, each time it is read. */
function computedWriter(
  { from, make }: NonNullable<FieldModel['computed']>,
  shape: ValueShape | undefined,
  columns: Columns,
  dialect: Dialect,
): Write {
  const places = from.map((column) => ({ column, place: columns.place(column) }))
  return (row) => {
    const values: Record<string, unknown> = {}
    for (const { column, place } of places) values[column.field] = dialect.decode(row[place]!, column.type)
    const value = make(values)
    return JSON.stringify(shape === undefined ? value : shaped(value, shape)) ?? 'null'
  }
}

export const isTrue = (value: Value): boolean => value === true || value === 1

/** Reports an error where it stands; null goes up from here unless the part may be null. */
function refusal(key: string, nullable: boolean, code: FailureCode): Writer {
  const write: Write = (_, { errors, path }) => {
    errors.push({ code, path: [...path, key] })
    return nullable ? 'null' : null
  }
  return { write, fallible: true, omissible: false }
}

function oneWriter(part: Extract<Part, { kind: 'one' }>, columns: Columns, context: PrintContext): Writer {
  if (lacksScope(part.of.resource, context)) return refusal(part.key, part.nullable, 'INSUFFICIENT_SCOPE')
  const { index, print, fallible, keyPlace } = context.requestChild(part, columns)
  const missing = refusal(part.key, part.nullable, part.of.resource.notFound).write
  const { nullable, key } = part
  const write: Write = (row, printing) => {
    const id = row[keyPlace]!
    if (id === null) return 'null'
    const found = printing.children[index]!.get(id) as StoredRow | undefined
    if (found === undefined) return nullable ? 'null' : missing(row, printing)
    if (!fallible) return print(found, printing)
    printing.path.push(key)
    const text = print(found, printing)
    printing.path.pop()
    return text ?? (nullable ? 'null' : null)
  }
  return { write, fallible: fallible || !nullable, omissible: false }
}

function listWriter(part: Extract<Part, { kind: 'list' }>, columns: Columns, context: PrintContext): Writer {
  if (lacksScope(part.of.resource, context)) return refusal(part.key, part.nullable, 'INSUFFICIENT_SCOPE')
  const { filters, resource } = part.list
  if (!filters.every(({ filter }) => mayFilterBy(filter, resource, context.actor)))
    return refusal(part.key, part.nullable, context.actor === null ? 'UNAUTHENTICATED' : 'FORBIDDEN')
  const { index, print, fallible, keyPlace } = context.requestChild(part, columns)
  const { nullable, key } = part
  const write: Write = (row, printing) => {
    const rows = printing.children[index]!.get(row[keyPlace]!) as readonly StoredRow[] | undefined
    if (rows === undefined) return '[]'
    if (!fallible) return printRows(rows, print, printing)
    printing.path.push(key)
    const text = printFallibleRows(rows, print, printing)
    printing.path.pop()
    return text ?? (nullable ? 'null' : null)
  }
  return { write, fallible, omissible: false }
}

const lacksScope = (resource: ResourceModel, { actor }: PrintContext): boolean =>
  actor !== null && !hasScope(actor, 'read', resource.path)

/** A JSON array of records none of whose parts can fail. */
export function printRows(rows: readonly StoredRow[], print: Print, printing: Printing): string {
  let text = '['
  for (let at = 0; at < rows.length; at++) text += (at === 0 ? '' : ',') + print(rows[at]!, printing)
  return `${text}]`
}

/** A JSON array, or null where one of its records, none of which may be null, is. */
export function printFallibleRows(rows: readonly StoredRow[], print: Print, printing: Printing): string | null {
  let text = '['
  for (let at = 0; at < rows.length; at++) {
    printing.path.push(at)
    const record = print(rows[at]!, printing)
    printing.path.pop()
    if (record === null) return null
    text += (at === 0 ? '' : ',') + record
  }
  return `${text}]`
}

function valueWriter(column: Column, shape: ValueShape | undefined, dialect: Dialect): (stored: Value) => string {
  if (shape !== undefined) return (stored) => JSON.stringify(shaped(JSON.parse(stored as string), shape))
  // Ids and words of a choice have no character that JSON would escape.
  const isPlain = ['id', 'one'].includes(column.spec.kind)
  return isPlain ? (stored) => `"${stored as string}"` : dialect.json[column.type]
}

function shaped(value: unknown, shape: ValueShape): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((each) => shaped(each, shape))
  const source = value as Readonly<Record<string, unknown>>
  // Without a prototype, so that `__proto__` is a key like any other.
  const result: Record<string, unknown> = Object.create(null)
  for (const { key, part, constant, shape: inner } of shape.parts) {
    const value = part === null ? constant : (source[part] ?? null)
    result[key] = inner === undefined ? value : shaped(value, inner)
  }
  return result
}
