// Groups the rows of a statement by the keys it was given. Batched reads share rows, so rows must not be modified.

import type { StoredRow, Value } from '../store/store.ts'

/** The id is the first column. */
export function rowById(rows: readonly StoredRow[]): Map<Value, StoredRow> {
  const byId = new Map<Value, StoredRow>()
  for (const row of rows) byId.set(row[0]!, row)
  return byId
}

/** The first column is the index of the parent's key in `keys`, which is smaller than the key. */
export function rowsByParent(rows: readonly StoredRow[], keys: readonly string[]): Map<Value, StoredRow[]> {
  const byParent = new Map<Value, StoredRow[]>()
  // Rows of a parent are contiguous.
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
