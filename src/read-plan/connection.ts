// Prints a list as a connection: edges, nodes, pageInfo, totalCount, in whatever order and under whatever keys. (contract 4.8.2)

import type { StoredRow } from '../store/store.ts'
import type { Columns } from './columns.ts'
import { makePrint, type PrintContext, type Printing, printFallibleRows } from './print.ts'
import type { ConnectionPart, EdgePart, PageInfoPart } from './selection.ts'

/** What is known of a page once its rows are read. */
export interface Page {
  readonly rows: readonly StoredRow[]
  readonly hasNext: boolean
  readonly hasPrevious: boolean
  readonly total: number | null
  readonly cursor: (row: StoredRow) => string
}
export interface ConnectionPrint {
  readonly fallible: boolean
  /** Null where a record in it, none of which may be null, is. */
  readonly print: (page: Page, printing: Printing) => string | null
}
type Write = (page: Page, printing: Printing) => string | null

export function makeConnectionPrint(
  parts: readonly ConnectionPart[],
  columns: Columns,
  context: PrintContext,
): ConnectionPrint {
  let fallible = false
  const rows =
    (key: string, print: (row: StoredRow, page: Page, printing: Printing) => string | null): Write =>
    (page, printing) => {
      printing.path.push(key)
      const text = printFallibleRows(page.rows, (row) => print(row, page, printing), printing)
      printing.path.pop()
      return text
    }
  const write = (part: ConnectionPart): Write => {
    switch (part.kind) {
      case 'constant':
        return () => part.json
      case 'totalCount':
        return (page) => String(page.total)
      case 'pageInfo':
        return printPageInfo(part.parts)
      case 'nodes': {
        const node = makePrint(part.of, columns, context)
        fallible ||= node.fallible
        return rows(part.key, (row, _, printing) => node.print(row, printing))
      }
      case 'edges': {
        const edge = makeEdge(part.parts, columns, context)
        fallible ||= edge.fallible
        return rows(part.key, edge.print)
      }
    }
  }
  const writes = parts.map(write)
  const keys = parts.map((part) => JSON.stringify(part.key))
  return { fallible, print: (page, printing) => object(keys, writes, printing, (write) => write(page, printing)) }
}

function makeEdge(parts: readonly EdgePart[], columns: Columns, context: PrintContext) {
  let fallible = false
  type WriteEdge = (row: StoredRow, page: Page, printing: Printing) => string | null
  const writes = parts.map((part): WriteEdge => {
    if (part.kind === 'constant') return () => part.json
    if (part.kind === 'cursor') return (row, page) => `"${page.cursor(row)}"`
    const node = makePrint(part.of, columns, context)
    fallible ||= node.fallible
    return (row, _, printing) => {
      printing.path.push(part.key)
      const text = node.print(row, printing)
      printing.path.pop()
      return text
    }
  })
  const keys = parts.map((part) => JSON.stringify(part.key))
  const print: WriteEdge = (row, page, printing) =>
    object(keys, writes, printing, (write) => write(row, page, printing))
  return { fallible, print }
}

function printPageInfo(parts: readonly PageInfoPart[]): Write {
  const keys = parts.map((part) => JSON.stringify(part.key))
  return (page, printing) => object(keys, parts, printing, (part) => pageInfo(part, page))
}

function pageInfo(part: PageInfoPart, { rows, hasNext, hasPrevious, cursor }: Page): string {
  switch (part.kind) {
    case 'constant':
      return part.json
    case 'hasNextPage':
      return String(hasNext)
    case 'hasPreviousPage':
      return String(hasPrevious)
    case 'startCursor':
      return rows.length === 0 ? 'null' : `"${cursor(rows[0]!)}"`
    case 'endCursor':
      return rows.length === 0 ? 'null' : `"${cursor(rows.at(-1)!)}"`
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
