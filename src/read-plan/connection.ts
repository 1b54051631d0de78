// Prints a list as a connection: edges, nodes, pageInfo, totalCount, in any order and under any keys. (contract 4.8.2)

import type { StoredRow } from '../store/store.ts'
import { type Printer, type Printing, printBelow, printFallibleRows } from './printing.ts'
import type { ConnectionPart, EdgePart, PageInfoPart } from './selection.ts'

export interface ConnectionPage {
  readonly rows: readonly StoredRow[]
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  readonly total: number | null
  /** As JSON. */
  readonly cursor: (row: StoredRow) => string
}
/** Null if a non-null record is null. */
export type ConnectionPrint = (page: ConnectionPage, printing: Printing) => string | null

/** `printerOf` makes the printers of its elements. */
export function makeConnectionPrint<Of>(
  parts: readonly ConnectionPart<Of>[],
  printerOf: (of: Of) => Printer,
): ConnectionPrint {
  const rows =
    (key: string, print: WriteEdge): ConnectionPrint =>
    (page, printing) => {
      printing.path.push(key)
      const text = printFallibleRows(page.rows, (row) => print(row, page, printing), printing, null)
      printing.path.pop()
      return text
    }
  const write = (part: ConnectionPart<Of>): ConnectionPrint => {
    switch (part.kind) {
      case 'constant':
        return () => part.json
      case 'totalCount':
        return (page) => String(page.total)
      case 'pageInfo':
        return printPageInfo(part.parts)
      case 'nodes': {
        const { print } = printerOf(part.of)
        return rows(part.key, (row, _, printing) => print(row, printing, null))
      }
      case 'edges':
        return rows(part.key, makeEdge(part.parts, printerOf))
    }
  }
  const writes = parts.map(write)
  const keys = parts.map((part) => JSON.stringify(part.key))
  return (page, printing) => object(keys, writes, printing, (write) => write(page, printing))
}

type WriteEdge = (row: StoredRow, page: ConnectionPage, printing: Printing) => string | null

function makeEdge<Of>(parts: readonly EdgePart<Of>[], printerOf: (of: Of) => Printer): WriteEdge {
  const writes = parts.map((part): WriteEdge => {
    if (part.kind === 'constant') return () => part.json
    if (part.kind === 'cursor') return (row, page) => page.cursor(row)
    const print = printBelow(part.key, printerOf(part.of).print)
    return (row, _, printing) => print(row, printing, null)
  })
  const keys = parts.map((part) => JSON.stringify(part.key))
  return (row, page, printing) => object(keys, writes, printing, (write) => write(row, page, printing))
}

function printPageInfo(parts: readonly PageInfoPart[]): ConnectionPrint {
  const keys = parts.map((part) => JSON.stringify(part.key))
  return (page, printing) => object(keys, parts, printing, (part) => pageInfo(part, page))
}

function pageInfo(part: PageInfoPart, { rows, hasNext, hasPrevious, cursor }: ConnectionPage): string {
  switch (part.kind) {
    case 'constant':
      return part.json
    case 'hasNextPage':
      return String(hasNext)
    case 'hasPreviousPage':
      return String(hasPrevious)
    case 'startCursor':
      return rows.length === 0 ? 'null' : cursor(rows[0]!)
    case 'endCursor':
      return rows.length === 0 ? 'null' : cursor(rows.at(-1)!)
  }
}

function object<T>(
  keys: readonly string[],
  parts: readonly T[],
  { size }: Printing,
  print: (part: T) => string | null,
): string | null {
  const { chars } = size
  let text = '{'
  for (let at = 0; at < parts.length; at++) {
    const value = print(parts[at]!)
    if (value === null) return null
    text += `${at === 0 ? '' : ','}${keys[at]}:${value}`
    size.grow(chars + text.length)
  }
  return `${text}}`
}
