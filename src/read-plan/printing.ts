// Shapes of printers, and their shared state.

import type { AnswerSize } from '../budget/answer-size.ts'
import type { FailureCode } from '../failure/failure.ts'
import type { StoredRow, Value } from '../store/store.ts'

export interface Printing {
  readonly children: readonly ChildRows[]
  readonly errors: PathError[]
  /** Maintained only if something below can be refused. */
  readonly path: (string | number)[]
  readonly size: AnswerSize
  readonly previous?: Readonly<Record<string, unknown>> | undefined
  readonly tokens?: Tokens | undefined
}
/** The tokens of a new record, by field. */
export type Tokens = Readonly<Record<string, string>>

/** By the key in the parent's row: a row, the rows of a list, or its text. */
export type ChildRows = ReadonlyMap<Value, StoredRow | readonly StoredRow[] | string>

export interface PathError {
  readonly code: FailureCode
  readonly path: readonly (string | number)[]
}

/** The row of the record that has the list, and of its own parent. */
export interface ParentRow {
  readonly row: StoredRow
  readonly parent: ParentRow | null
}

export type Print = (row: StoredRow, printing: Printing, parent: ParentRow | null) => string | null
export interface Printer {
  readonly print: Print
  readonly fallible: boolean
}

export interface ReferencePrinter extends Printer {
  /** Null without a reference, undefined if the record is missing or hidden. */
  readonly rowOf: (row: StoredRow, printing: Printing, parent: ParentRow | null) => StoredRow | null | undefined
}

/** What stands below this key of the path. */
export const printBelow =
  (key: string, print: Print): Print =>
  (row, printing, parent) => {
    printing.path.push(key)
    const text = print(row, printing, parent)
    printing.path.pop()
    return text
  }

export function printRows(
  rows: readonly StoredRow[],
  print: Print,
  printing: Printing,
  parent: ParentRow | null,
): string {
  let text = '['
  for (let at = 0; at < rows.length; at++) text += (at === 0 ? '' : ',') + print(rows[at]!, printing, parent)
  return `${text}]`
}

export function printFallibleRows(
  rows: readonly StoredRow[],
  print: Print,
  printing: Printing,
  parent: ParentRow | null,
): string | null {
  let text = '['
  for (let at = 0; at < rows.length; at++) {
    printing.path.push(at)
    const record = print(rows[at]!, printing, parent)
    printing.path.pop()
    if (record === null) return null
    text += (at === 0 ? '' : ',') + record
  }
  return `${text}]`
}
