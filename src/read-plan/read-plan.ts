// A compiled plan: at most one statement per level of the tree, whatever the number of parents, and the printer of its answer.

import type { Prepared } from '../store/sql/sql-text.ts'
import type { StoredRow } from '../store/store.ts'
import type { ConnectionPrint } from './connection.ts'
import type { ChildRows, Print } from './printing.ts'
import type { Root } from './selection.ts'

/** One statement and what hangs below its rows. */
export interface Level {
  readonly prepared: Prepared
  /** The most characters that a row has, or the text of one record where lists are text. */
  readonly rowChars: number
  readonly children: readonly Child[]
}
export interface Child extends Level {
  /** Where the results of this child are kept during a run. */
  readonly index: number
  /** The column of the parent's row by which its rows are found. */
  readonly keyPlace: number
  /** Which of the run's list arguments are its own; null where it is no list. */
  readonly slot: number | null
  /** How many rows it has for each key, where no argument says so. */
  readonly limit?: number
  /** Finds its rows by those keys. */
  readonly collect: (rows: readonly StoredRow[], keys: readonly string[]) => ChildRows
}

export interface ReadPlan {
  readonly root: Root
  readonly level: Level
  readonly childCount: number
  /** Whether one of its lists is searched, narrowed by a client's condition, or sorted by what no index has. */
  readonly isQuestion: boolean
  readonly print: Print
  /** For records: the same of one of them, by its `id`. */
  readonly only: Prepared | null
  /** For records asked for with their ETag: where the version stands, and whether each protected field is visible. */
  readonly versionPlace: number
  /** Where it stands how often kept numbers of the record have changed; -1 where it has none. */
  readonly tallyPlace: number
  readonly maskPlaces: readonly (number | boolean)[]
  /** For lists: where the values of a cursor stand, the statement that counts, and the one that finds the parent. */
  readonly cursorPlaces: readonly number[]
  readonly count: Prepared | null
  readonly holder: Prepared | null
  /** For lists that are gathered from tenants: answers a row where these are few enough. */
  readonly tenants: Prepared | null
  readonly connection: ConnectionPrint | null
}
