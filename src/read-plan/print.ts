// Writes records as JSON text, straight from stored rows. Made once per plan; per row it only concatenates.

import type { AnswerSize } from '../budget/answer-size.ts'
import type { FailureCode } from '../failure/failure.ts'
import { type Actor, credentialRefusal } from '../resource/actor.ts'
import { always, type Condition, fold } from '../resource/model/condition.ts'
import type { Column, FieldModel, OneRelation, ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { StoredRow, Value } from '../store/store.ts'
import type { Columns } from './columns.ts'
import { mayFilterBy } from './list-access.ts'
import type { Part, Selection, ValueShape } from './selection.ts'

/** What one printing has at hand: the rows below each record, and where it stands. */
export interface Printing {
  /** By child, then by the parent's key: one row, the rows of a list, or a list's text. */
  readonly children: readonly ReadonlyMap<Value, ChildRows>[]
  /** The rows whose lists are being printed, the innermost last. */
  readonly above: StoredRow[]
  readonly errors: PathError[]
  /** Kept only where something below can be refused. */
  readonly path: (string | number)[]
  /** Of the whole answer that this is printed into. */
  readonly size: AnswerSize
}
export type ChildRows = StoredRow | readonly StoredRow[] | string
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

export type OnePart = Extract<Part, { kind: 'one' }>
export type ListPart = Extract<Part, { kind: 'list' }>

/** Where the row of a reference is found. */
export interface RequestedOne {
  /** Null where there is no reference, undefined where what it leads to is missing or hidden. */
  readonly rowOf: (row: StoredRow, printing: Printing) => StoredRow | null | undefined
  readonly print: Print
  readonly fallible: boolean
}
/** Where a list is found: by a column of this level, among the children of this index. */
export interface RequestedList {
  readonly index: number
  readonly keyPlace: number
  /** How its rows are printed, or what is still to be put into the text that the database made of them. */
  readonly rows: { readonly print: Print; readonly fallible: boolean } | { readonly gaps: readonly Gap[] }
}
/** Where this mark stands in a text, something of the parent's row belongs. */
export interface Gap {
  readonly mark: string
  readonly print: Print
}

/** The reference of a list's records that leads back to the record whose list they are, and where that is printed. */
export interface Back {
  readonly relation: OneRelation
  readonly columns: Columns
  readonly context: PrintContext
}

export interface PrintContext {
  readonly actor: Actor | null
  readonly dialect: Dialect
  readonly requestOne: (part: OnePart, columns: Columns) => RequestedOne
  readonly requestList: (part: ListPart, columns: Columns) => RequestedList
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
    const { size } = printing
    const { chars } = size
    let text = ''
    for (let at = 0; at < count; at++) {
      const part = writes[at]!(row, printing)
      if (part === null) return null
      text += before[at]! + part
      size.grow(chars + text.length)
    }
    return `${text}}`
  }
}

function printLoosely(keys: readonly string[], writes: readonly Write[]): Print {
  return (row, printing) => {
    const { size } = printing
    const { chars } = size
    let text = '{'
    for (let at = 0; at < writes.length; at++) {
      const part = writes[at]!(row, printing)
      if (part === null) return null
      if (part === undefined) continue
      text += `${text === '{' ? '' : ','}${keys[at]}:${part}`
      size.grow(chars + text.length)
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
  const condition = readCondition(part.field, resource, context.actor)
  if (condition.is === 'never') return hidden === 'omit' ? null : refusal(part.key, part.nullable, 'FORBIDDEN')
  const { computed } = resource.fields.get(part.field)!
  const write =
    computed === null
      ? columnWriter(resource.column.get(part.field)!, part.shape, columns, context.dialect)
      : computedWriter(computed, part.shape, columns, context.dialect)
  if (condition.is === 'always') return plain(write)
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

/** For which records an actor of this class may see this field. */
export function readCondition(field: string, resource: ResourceModel, actor: Actor | null): Condition {
  const rule = resource.protect.get(field)?.read
  return rule === undefined ? always : fold(rule, resource, actor)
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
  const write: Write = (_, { errors, path, size }) => {
    size.addError()
    errors.push({ code, path: [...path, key] })
    return nullable ? 'null' : null
  }
  return { write, fallible: true, omissible: false }
}

function oneWriter(part: OnePart, columns: Columns, context: PrintContext): Writer {
  const refused = credentialRefusal(context.actor, 'read', part.of.resource)
  if (refused !== null) return refusal(part.key, part.nullable, refused)
  const { rowOf, print, fallible } = context.requestOne(part, columns)
  const missing = refusal(part.key, part.nullable, part.of.resource.notFound).write
  const { nullable, key } = part
  const write: Write = (row, printing) => {
    const found = rowOf(row, printing)
    if (found === null) return 'null'
    if (found === undefined) return nullable ? 'null' : missing(row, printing)
    if (!fallible) return print(found, printing)
    printing.path.push(key)
    const text = print(found, printing)
    printing.path.pop()
    return text ?? (nullable ? 'null' : null)
  }
  return { write, fallible: fallible || !nullable, omissible: false }
}

function listWriter(part: ListPart, columns: Columns, context: PrintContext): Writer {
  const refused = credentialRefusal(context.actor, 'read', part.of.resource)
  if (refused !== null) return refusal(part.key, part.nullable, refused)
  const { filters, resource } = part.list
  if (!filters.every(({ filter }) => mayFilterBy(filter, resource, context.actor)))
    return refusal(part.key, part.nullable, context.actor === null ? 'UNAUTHENTICATED' : 'FORBIDDEN')
  const { index, keyPlace, rows: requested } = context.requestList(part, columns)
  if ('gaps' in requested) {
    const { gaps } = requested
    return plain((row, printing) => {
      const text = printing.children[index]!.get(row[keyPlace]!) as string | undefined
      return text === undefined ? '[]' : `[${fill(gaps, text, row, printing)}]`
    })
  }
  const { print, fallible } = requested
  const { nullable, key } = part
  const write: Write = (row, printing) => {
    const rows = printing.children[index]!.get(row[keyPlace]!) as readonly StoredRow[] | undefined
    if (rows === undefined) return '[]'
    printing.above.push(row)
    if (fallible) printing.path.push(key)
    const text = (fallible ? printFallibleRows : printRows)(rows, print, printing)
    if (fallible) printing.path.pop()
    printing.above.pop()
    return text ?? (nullable ? 'null' : null)
  }
  return { write, fallible, omissible: false }
}

function fill(gaps: readonly Gap[], text: string, row: StoredRow, printing: Printing): string {
  const { size } = printing
  const { chars } = size
  size.grow(chars + text.length)
  let filled = text
  for (const { mark, print } of gaps) {
    const pieces = filled.split(mark)
    const between = print(row, printing)!
    // Before it is made: one record's text, however long, stands in each of those below it.
    size.grow(chars + filled.length + (pieces.length - 1) * between.length)
    filled = pieces.join(between)
  }
  return filled
}

export const isOutOfReach = (resource: ResourceModel, { actor }: Pick<PrintContext, 'actor'>): boolean =>
  credentialRefusal(actor, 'read', resource) !== null

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
  return isPlainText(column) ? (stored) => `"${stored as string}"` : dialect.json[column.type]
}

/** Ids and words of a choice have no character that JSON would escape. */
export const isPlainText = ({ spec }: Column): boolean => spec.kind === 'id' || spec.kind === 'one'

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
