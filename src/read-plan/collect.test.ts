// Rows are found by keys, and none is written to: batched reads share them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredRow } from '../store/store.ts'
import { rowById, rowsByParent } from './collect.ts'

/** As several reads may hold them at once. */
const shared = (...rows: StoredRow[]) => Object.freeze(rows.map((row) => Object.freeze(row)))

test('lists are found by the key whose place their rows say, in their order', () => {
  const rows = shared([0, 'a'], [0, 'b'], [2, 'c'])
  const expected = [
    ['x', [rows[0], rows[1]]],
    ['z', [rows[2]]],
  ]
  assert.deepEqual([...rowsByParent(rows, ['x', 'y', 'z'])], expected)
  assert.deepEqual([...rowsByParent(rows, ['x', 'y', 'z'])], expected, 'for another reader of the same rows')
})

test('records are found by their id', () => {
  const rows = shared(['x', 1], ['y', 2])
  const byId = rowById(rows)
  assert.deepEqual([byId.get('x'), byId.get('y'), byId.get('z')], [rows[0], rows[1], undefined])
})
