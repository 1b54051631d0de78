// What every printer has at hand while an answer is printed, and the shapes of printers.

import type { AnswerSize } from '../budget/answer-size.ts'
import type { FailureCode } from '../failure/failure.ts'
import type { StoredRow, Value } from '../store/store.ts'

/** The state of printing one answer. */
export interface Printing {
  /** The results of the statements below the first, by `Child.index`. */
  readonly children: readonly ChildRows[]
  readonly errors: PathError[]
  /** The place in the answer; kept only where something below can be refused. */
  readonly path: (string | number)[]
  /** Of the whole answer that this is printed into. */
  readonly size: AnswerSize
  /** What fields were before, as JSON has it. */
  readonly previous?: Readonly<Record<string, unknown>> | undefined
}
/** By the key in the parent's row: one row, the rows of a list, or a list's text. */
export type ChildRows = ReadonlyMap<Value, StoredRow | readonly StoredRow[] | string>

/** Something in the answer that this reader may not see, or that is gone. */
export interface PathError {
  readonly code: FailureCode
  readonly path: readonly (string | number)[]
}

/** The row of the record whose list is printed, and of the record whose list that one is in. */
export interface ParentRow {
  readonly row: StoredRow
  readonly parent: ParentRow | null
}

/** The JSON of a record or of its list; null where a part that cannot be null is missing, so that the whole is null. */
export type Print = (row: StoredRow, printing: Printing, parent: ParentRow | null) => string | null
export interface Printer {
  readonly print: Print
  /** Whether anything in it can be refused or missing. */
  readonly fallible: boolean
}

/** Where the record is found that a reference leads to, and how it is printed. */
export interface ReferencePrinter extends Printer {
  /** Null where there is no reference, undefined where the record is missing or hidden. */
  readonly rowOf: (row: StoredRow, printing: Printing, parent: ParentRow | null) => StoredRow | null | undefined
}

/** A JSON array of records none of whose parts can fail. */
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

/** A JSON array, or null where one of its records, none of which may be null, is. */
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
