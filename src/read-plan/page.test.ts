// Which rows are on a page, and what is before and after it, for every way in which a page is asked for. (contract 4.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../reference/service.ts'
import { firstOf } from '../../test/support/rows/selection.ts'
import { compileModel } from '../resource/model/compile/compile-model.ts'
import type { ListShape } from '../store/sql/condition/list-shape.ts'
import { totalOrder } from '../store/sql/condition/list-shape.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import type { StoredRow } from '../store/store.ts'
import { type CursorDirection, readCursor } from './cursor.ts'
import { createCursorWriter, type ListArguments, neighbourCursor, type Page, pageOf } from './page.ts'

const resource = compileModel(api).byName.get('Post')!
const sort = totalOrder(resource, [])
const forward: ListShape = { resource, filters: [], sort, seek: null, backward: false, offset: true }
const backward: ListShape = { ...forward, backward: true }
const rowsOf = (...ids: string[]): readonly StoredRow[] => ids.map((id) => [id])
const binding = 'binding'
const first: ListArguments = { ...firstOf(2), binding }

interface Row {
  readonly it: string
  readonly rows: readonly StoredRow[]
  readonly with?: Partial<ListArguments>
  readonly shape?: ListShape
  readonly page: Page
  /** Direction and id of the cursors before and after it. */
  readonly previous: readonly [CursorDirection, string] | null
  readonly next: readonly [CursorDirection, string] | null
}
const table: readonly Row[] = [
  {
    it: 'a first page that is full, and one more',
    rows: rowsOf('a', 'b', 'c'),
    page: { rows: rowsOf('a', 'b'), hasNext: true, hasPrevious: false, length: null },
    previous: null,
    next: ['next', 'b'],
  },
  {
    it: 'a first page that is exactly full is the whole list',
    rows: rowsOf('a', 'b'),
    page: { rows: rowsOf('a', 'b'), hasNext: false, hasPrevious: false, length: 2 },
    previous: null,
    next: null,
  },
  {
    it: 'an empty list',
    rows: [],
    page: { rows: [], hasNext: false, hasPrevious: false, length: 0 },
    previous: null,
    next: null,
  },
  {
    it: 'the last page by its number reports the length',
    rows: rowsOf('e'),
    with: { offset: 4 },
    page: { rows: rowsOf('e'), hasNext: false, hasPrevious: true, length: 5 },
    previous: ['previous', 'e'],
    next: null,
  },
  {
    it: 'a page beyond the end does not',
    rows: [],
    with: { offset: 4 },
    page: { rows: [], hasNext: false, hasPrevious: true, length: null },
    previous: null,
    next: null,
  },
  {
    it: 'a page behind a cursor does not, since the records before it were not counted',
    rows: rowsOf('b'),
    with: { cursor: ['a'] },
    page: { rows: rowsOf('b'), hasNext: false, hasPrevious: true, length: null },
    previous: ['previous', 'b'],
    next: null,
  },
  {
    it: 'a page before a cursor is turned round',
    rows: rowsOf('c', 'b', 'a'),
    with: { cursor: ['d'] },
    shape: backward,
    page: { rows: rowsOf('b', 'c'), hasNext: true, hasPrevious: true, length: null },
    previous: ['previous', 'b'],
    next: ['next', 'c'],
  },
  {
    it: 'the last records of a list have none after them, and say nothing of its length',
    rows: rowsOf('b', 'a'),
    shape: backward,
    page: { rows: rowsOf('a', 'b'), hasNext: false, hasPrevious: false, length: null },
    previous: null,
    next: null,
  },
  {
    it: 'an empty page behind a cursor leads back to its record and what is before it',
    rows: [],
    with: { cursor: ['z'] },
    page: { rows: [], hasNext: false, hasPrevious: true, length: null },
    previous: ['previousFrom', 'z'],
    next: null,
  },
  {
    it: 'an empty page before a cursor leads on to its record and what is after it',
    rows: [],
    with: { cursor: ['a'] },
    shape: backward,
    page: { rows: [], hasNext: true, hasPrevious: false, length: null },
    previous: null,
    next: ['nextFrom', 'a'],
  },
  {
    it: 'an empty page that had the record of its cursor among its rows leads on without it',
    rows: [],
    with: { cursor: ['a'] },
    shape: { ...forward, seek: { backward: false, nulls: [false], inclusive: true } },
    page: { rows: [], hasNext: false, hasPrevious: true, length: null },
    previous: ['previous', 'a'],
    next: null,
  },
]

for (const { it, rows, with: changes, shape = forward, page: expected, previous, next } of table) {
  test(it, () => {
    const list = { ...first, ...changes }
    const page = pageOf(rows, list, shape)
    assert.deepEqual(page, expected)
    const dialect = dialectOf('sqlite')
    const cursors = createCursorWriter(list, shape, [0], dialect)
    const read = (direction: 'previous' | 'next') => {
      const text = neighbourCursor(page, direction, cursors)
      if (text === null) return null
      const cursor = readCursor(text, binding, sort, dialect)
      assert.ok(typeof cursor === 'object')
      return [cursor.direction, ...cursor.values]
    }
    assert.deepEqual([read('previous'), read('next')], [previous, next])
  })
}
