// What a tree's join table must hold: a row per record and record above it, itself included.

import assert from 'node:assert/strict'
import { query, rowsOf, type Store } from '../../../src/store/store.ts'

/** Fails if it differs from climbing record by record, or if a record is below itself. */
export async function requireWholeTree({ store }: { readonly store: Store }, table: string): Promise<number> {
  const records = await store.read(
    rowsOf(query(`select id, parent_id from ${table} where deleted_at is null order by id`)),
  )
  const parents = new Map(records.map(([id, parent]) => [id as string, parent as string | null]))
  const climbed = [...parents.keys()].flatMap((id) => {
    const above = new Set<string>()
    for (let each: string | null | undefined = id; each != null; each = parents.get(each)) {
      assert(!above.has(each), `${each} is below itself`)
      above.add(each)
    }
    return [...above].map((each) => `${id} ${each}`)
  })
  const rows = await store.read(rowsOf(query(`select source_id, target_id from ${table}_above_parent`)))
  assert.deepEqual(rows.map(([source, target]) => `${source} ${target}`).sort(), climbed.sort())
  return records.length
}
