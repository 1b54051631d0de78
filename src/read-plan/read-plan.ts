// A compiled plan: at most one statement per level, however many parents, and its printer.

import type { Prepared } from '../store/sql/text/sql-text.ts'
import type { StoredRow } from '../store/store.ts'
import type { ConnectionPrint } from './connection.ts'
import type { ChildRows, Print } from './printing.ts'
import type { Root } from './selection.ts'

export interface Level {
  readonly prepared: Prepared
  /** The most characters of a row, or of a record's text. */
  readonly rowChars: number
  readonly children: readonly Child[]
}
export interface Child extends Level {
  /** The index of its results in a run. */
  readonly index: number
  /** The index of the key in the parent's row. */
  readonly keyPlace: number
  /** The index of its arguments in the run; null unless it is a list. */
  readonly slot: number | null
  /** The most rows per key, unless given by arguments. */
  readonly limit?: number
  readonly collect: (rows: readonly StoredRow[], keys: readonly string[]) => ChildRows
}

export interface ReadPlan {
  readonly root: Root
  readonly level: Level
  readonly childCount: number
  /** Whether a list has a search, a condition, or an order without an index. */
  readonly isQuestion: boolean
  readonly print: Print
  /** For records: reads one by `id`. */
  readonly only: Prepared | null
  /** For ETags: the index of the version; -1 if it is not read. */
  readonly versionPlace: number
  /** The index of the tally of changes of kept numbers; -1 if there are none. */
  readonly tallyPlace: number
  /** The visibility of protected fields. */
  readonly maskPlaces: readonly (number | boolean)[]
  /** For lists: the indexes of cursor values, the statements for the total and for the parent. */
  readonly cursorPlaces: readonly number[]
  readonly count: Prepared | null
  readonly holder: Prepared | null
  /** For lists across tenants: returns a row if these are few enough. */
  readonly tenants: Prepared | null
  readonly connection: ConnectionPrint | null
}
