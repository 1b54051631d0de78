// Finds the rows that a statement answered by the keys that it was asked with. Reads that were batched share their rows, so
// nothing is ever written into one.

import type { StoredRow, Value } from '../store/store.ts'

/** Records by their id, the first column. */
export function rowById(rows: readonly StoredRow[]): Map<Value, StoredRow> {
  const byId = new Map<Value, StoredRow>()
  for (const row of rows) byId.set(row[0]!, row)
  return byId
}

/** Lists by their parent's key, whose place among `keys` the first column says: it costs less than the key. */
export function rowsByParent(rows: readonly StoredRow[], keys: readonly string[]): Map<Value, StoredRow[]> {
  const byParent = new Map<Value, StoredRow[]>()
  // Rows of one parent stand together.
  let place: Value | undefined
  let siblings: StoredRow[] = []
  for (const row of rows) {
    if (row[0] !== place) {
      place = row[0]!
      siblings = []
      byParent.set(keys[place as number]!, siblings)
    }
    siblings.push(row)
  }
  return byParent
}
