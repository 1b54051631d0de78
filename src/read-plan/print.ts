// Compiles printers from stored rows to JSON text. Per row they only concatenate.

import type { FailureCode } from '../failure/failure.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { StoredRow, Value } from '../store/store.ts'
import type { Columns } from './columns.ts'
import type {
  CanPlan,
  FieldPlan,
  LinksPlan,
  ListPlan,
  PartPlan,
  PreviousPlan,
  RecordPlan,
  ReferencePlan,
  SelfPlan,
  TokenPlan,
} from './plain-plan.ts'
import { columnPrinter, computedPrinter, reshape } from './print-value.ts'
import {
  type ParentRow,
  type Print,
  type Printer,
  type Printing,
  printBelow,
  printFallibleRows,
  printRows,
  type ReferencePrinter,
} from './printing.ts'

export interface Sources {
  readonly dialect: Dialect
  readonly reference: (part: ReferencePlan) => ReferencePrinter
  readonly list: (part: ListPlan) => Printer
  /** Undefined if there are too many links. */
  readonly self: (part: SelfPlan) => Printer
  readonly links: (part: LinksPlan) => (row: StoredRow, printing: Printing) => string | undefined
}

/** `undefined`: leave this part out. */
type Write = (row: StoredRow, printing: Printing, parent: ParentRow | null) => string | null | undefined
interface Writer {
  readonly write: Write
  readonly fallible: boolean
  readonly omissible: boolean
}

export function makePrinter(record: RecordPlan, columns: Columns, sources: Sources): Printer {
  const writers = record.parts.map((part) => makeWriter(part, columns, sources))
  const keys = record.parts.map(({ key }) => JSON.stringify(key))
  const writes = writers.map(({ write }) => write)
  return {
    fallible: writers.some(({ fallible }) => fallible),
    print: writers.some(({ omissible }) => omissible) ? printSome(keys, writes) : printAll(keys, writes),
  }
}

function printAll(keys: readonly string[], writes: readonly Write[]): Print {
  const before = keys.map((key, index) => `${index === 0 ? '{' : ','}${key}:`)
  const count = writes.length
  if (count === 0) return () => '{}'
  return (row, printing, parent) => {
    const { size } = printing
    const { chars } = size
    let text = ''
    for (let at = 0; at < count; at++) {
      const part = writes[at]!(row, printing, parent)
      if (part === null) return null
      text += before[at]! + part
      size.grow(chars + text.length)
    }
    return `${text}}`
  }
}

function printSome(keys: readonly string[], writes: readonly Write[]): Print {
  return (row, printing, parent) => {
    const { size } = printing
    const { chars } = size
    let text = '{'
    for (let at = 0; at < writes.length; at++) {
      const part = writes[at]!(row, printing, parent)
      if (part === null) return null
      if (part === undefined) continue
      text += `${text === '{' ? '' : ','}${keys[at]}:${part}`
      size.grow(chars + text.length)
    }
    return `${text}}`
  }
}

const infallible = (write: Write): Writer => ({ write, fallible: false, omissible: false })

function makeWriter(part: PartPlan, columns: Columns, sources: Sources): Writer {
  switch (part.kind) {
    case 'constant':
      return infallible(() => part.json)
    case 'refusal':
      return refusal(part.key, part.nullable, part.code)
    case 'field':
      return fieldWriter(part, columns, sources.dialect)
    case 'one':
      return branchWriter(part, shownWhere(part, referenceWriter(part, sources), columns), columns)
    case 'list':
      return listWriter(part, sources)
    case 'token':
      return tokenWriter(part)
    case 'links':
      return { write: sources.links(part), fallible: false, omissible: true }
    case 'can':
      return canWriter(part, columns)
    case 'self':
      return selfWriter(part, sources)
    case 'previous':
      return previousWriter(part, columns)
  }
}

function tokenWriter({ field, hidden }: TokenPlan): Writer {
  const isOmitted = hidden === 'omit'
  const missing = isOmitted ? undefined : 'null'
  const write: Write = (_, { tokens }) => (tokens === undefined ? missing : JSON.stringify(tokens[field]))
  return { write, fallible: false, omissible: isOmitted }
}

function selfWriter(part: SelfPlan, sources: Sources): Writer {
  const { print, fallible } = sources.self(part)
  return { write: printBelow(part.key, print), fallible, omissible: false }
}

function previousWriter({ parts }: PreviousPlan, columns: Columns): Writer {
  const pieces = parts.map((part) => {
    const key = JSON.stringify(part.key)
    if ('json' in part) return () => `${key}:${part.json}`
    const place = part.condition.is === 'always' ? null : columns.place(part.condition)
    const { shape } = part
    return (row: StoredRow, { previous }: Printing) => {
      if (place !== null && !isTrue(row[place]!)) return `${key}:null`
      const value = previous?.[part.field] ?? null
      return `${key}:${JSON.stringify(shape === undefined ? value : reshape(value, shape))}`
    }
  })
  return infallible((row, printing) => `{${pieces.map((piece) => piece(row, printing)).join()}}`)
}

function canWriter({ parts }: CanPlan, columns: Columns): Writer {
  const pieces = parts.map(({ key, value }, at) => ({
    before: `${at === 0 ? '{' : ','}${JSON.stringify(key)}:`,
    text: typeof value === 'string' ? value : '',
    place: typeof value === 'string' ? null : columns.place(value),
  }))
  return infallible((row) => {
    let text = ''
    for (const { before, text: settled, place } of pieces)
      text += before + (place === null ? settled : String(isTrue(row[place]!)))
    return `${text}}`
  })
}

function fieldWriter(
  { condition, visibility, source, shape, ...part }: FieldPlan,
  columns: Columns,
  dialect: Dialect,
): Writer {
  const value =
    'make' in source ? computedPrinter(source, shape, columns, dialect) : columnPrinter(source, shape, columns, dialect)
  const write = visibility.is === 'always' ? value : writtenWhere(columns.place(visibility), value)
  if (condition.is === 'always') return infallible(write)
  const place = columns.place(condition)
  if (part.hidden === 'omit')
    return { write: (row) => (isTrue(row[place]!) ? write(row) : undefined), fallible: false, omissible: true }
  const refused = refusal(part.key, part.nullable, 'FORBIDDEN')
  return { ...refused, write: (row, ...rest) => (isTrue(row[place]!) ? write(row) : refused.write(row, ...rest)) }
}

const writtenWhere =
  (place: number, write: (row: StoredRow) => string) =>
  (row: StoredRow): string =>
    isTrue(row[place]!) ? write(row) : 'null'

export const isTrue = (value: Value): boolean => value === true || value === 1

/** Adds an error at this path; null propagates unless the part is nullable. */
function refusal(key: string, nullable: boolean, code: FailureCode): Writer {
  const write: Write = (_, { errors, path, size }) => {
    size.addError()
    errors.push({ code, path: [...path, key] })
    return nullable ? 'null' : null
  }
  return { write, fallible: true, omissible: false }
}

function referenceWriter(part: ReferencePlan, { reference }: Sources): Writer {
  const { nullable, key, of } = part
  const { rowOf, print, fallible } = reference(part)
  const printTarget = fallible ? printBelow(key, print) : print
  const missing = refusal(key, nullable, of.resource.notFound).write
  const write: Write = (row, printing, parent) => {
    const target = rowOf(row, printing, parent)
    if (target === null) return 'null'
    if (target === undefined) return nullable ? 'null' : missing(row, printing, parent)
    return printTarget(target, printing, parent) ?? (nullable ? 'null' : null)
  }
  return { write, fallible: fallible || !nullable, omissible: false }
}

function shownWhere({ condition, key, nullable }: ReferencePlan, writer: Writer, columns: Columns): Writer {
  if (condition.is === 'always') return writer
  const place = columns.place(condition)
  const refused = refusal(key, nullable, 'FORBIDDEN').write
  return {
    ...writer,
    fallible: true,
    write: (row, printing, parent) =>
      isTrue(row[place]!) ? writer.write(row, printing, parent) : refused(row, printing, parent),
  }
}

/** Of the parts of an `either`, prints the one that is set; the last one if none is. */
function branchWriter({ either, relation }: ReferencePlan, writer: Writer, columns: Columns): Writer {
  if (either === undefined) return writer
  const { branches } = either
  const place = columns.place(relation.column)
  const isLast = branches.at(-1) === relation
  const others = branches.filter((each) => each !== relation).map(({ column }) => columns.place(column))
  const isPrinted = (row: StoredRow): boolean =>
    isLast ? others.every((other) => row[other] === null) : row[place] !== null
  return {
    ...writer,
    omissible: true,
    write: (row, printing, parent) => (isPrinted(row) ? writer.write(row, printing, parent) : undefined),
  }
}

function listWriter(part: ListPlan, { list }: Sources): Writer {
  const { nullable, key } = part
  const { print, fallible } = list(part)
  if (!fallible) return infallible(print)
  const printList = printBelow(key, print)
  const write: Write = (...of) => printList(...of) ?? (nullable ? 'null' : null)
  return { write, fallible, omissible: false }
}

/** `keyPlace`: the index of the key in the parent's row. */
export function rowListPrinter({ print, fallible }: Printer, index: number, keyPlace: number): Printer {
  const printList = fallible ? printFallibleRows : printRows
  return {
    fallible,
    print(row, printing, parent) {
      const rows = printing.children[index]!.get(row[keyPlace]!) as readonly StoredRow[] | undefined
      return rows === undefined ? '[]' : printList(rows, print, printing, { row, parent })
    },
  }
}
