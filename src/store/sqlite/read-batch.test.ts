// When reads of SQLite share a transaction, and when each has its own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bind, type Program, query, type Statement, type StoredRow } from '../store.ts'
import { openWriter, SqliteConnection } from './connection.ts'
import { ReadBatch, type ReadBatchOptions } from './read-batch.ts'

/** A batch over a connection that notes what opens and ends its transactions. */
function createBatch(options: Partial<ReadBatchOptions> = {}) {
  const connection = new SqliteConnection(openWriter(null), { statements: 0, rows: 0, transactions: 0 })
  const controls: string[] = []
  const control = connection.control.bind(connection)
  connection.control = (statement: Statement) => {
    controls.push(statement.sql)
    control(statement)
  }
  const batch = new ReadBatch({
    open: () => connection,
    isApart: true,
    blocked: () => null,
    damage: null,
    thread: null,
    isBatching: true,
    blockingMs: Number.POSITIVE_INFINITY,
    ...options,
  })
  const begins = () => controls.filter((sql) => sql === 'begin').length
  return { batch, begins }
}

function* rows(sql: string): Program<readonly StoredRow[]> {
  return yield bind(query(sql))
}
const read = ({ batch }: ReturnType<typeof createBatch>, count: number, sql = 'select 1') =>
  Promise.all(Array.from({ length: count }, () => batch.read(rows(sql), undefined)))
/** Takes much longer than a read that is worth a batch. */
const slow = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) select count(*) from n'

test('32 reads of one turn share a transaction', async (t) => {
  const reader = createBatch()
  t.after(() => reader.batch.close())
  await read(reader, 32)
  assert.equal(reader.begins(), 1)
})

test('33 reads are two batches', async (t) => {
  const reader = createBatch()
  t.after(() => reader.batch.close())
  await read(reader, 33)
  assert.equal(reader.begins(), 2)
})

test('a read that fails leaves the others of its batch alone', async (t) => {
  const reader = createBatch()
  t.after(() => reader.batch.close())
  const outcomes = await Promise.allSettled(
    ['select 1', 'select nothing', 'select 2'].map((sql) => reader.batch.read(rows(sql), undefined)),
  )
  assert.deepEqual(
    outcomes.map((each) => (each.status === 'fulfilled' ? each.value : 'failed')),
    [[[1]], 'failed', [[2]]],
  )
  assert.equal(reader.begins(), 1)
})

test('slow reads run as they come', async (t) => {
  const reader = createBatch()
  t.after(() => reader.batch.close())
  await read(reader, 1, slow)
  await read(reader, 5, slow)
  assert.equal(reader.begins(), 6)
})

test('reads wait for what blocks them', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isBlocked = true
  const reader = createBatch({ blocked: () => (isBlocked ? promise : null) })
  t.after(() => reader.batch.close())
  const answers = read(reader, 2)
  await new Promise((next) => setImmediate(next))
  assert.equal(reader.batch.waiting, 2)
  isBlocked = false
  resolve()
  assert.deepEqual(await answers, [[[1]], [[1]]])
})
