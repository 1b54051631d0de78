// A compiled plan: at most one statement per level, and its printer.

import type { Prepared } from '../store/sql/text/sql-text.ts'
import type { StoredRow } from '../store/store.ts'
import type { ConnectionPrint } from './connection.ts'
import type { ChildRows, Print } from './printing.ts'
import type { Root } from './selection.ts'

export interface Level {
  readonly prepared: Prepared
  readonly rowChars: number
  readonly children: readonly Child[]
}
export interface Child extends Level {
  readonly index: number
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
  /** A search, a condition, or an order without an index. */
  readonly isQuestion: boolean
  readonly print: Print
  readonly only: Prepared | null
  /** For ETags: the index of the version; -1 if it is not read. */
  readonly versionPlace: number
  /** -1 if there are no kept numbers. */
  readonly tallyPlace: number
  readonly maskPlaces: readonly (number | boolean)[]
  /** The indexes of cursor values, the statements for the total and for the parent. */
  readonly cursorPlaces: readonly number[]
  readonly count: Prepared | null
  readonly holder: Prepared | null
  /** A row if a list's tenants are few enough. */
  readonly tenants: Prepared | null
  readonly connection: ConnectionPrint | null
}
