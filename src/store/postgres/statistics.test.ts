// That PostgreSQL knows of tables that have grown, whether or not it takes statistics by itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pool } from 'pg'
import { createDatabase, postgresMissing } from '../../../test/support/server/databases.ts'
import { TableStatistics } from './statistics.ts'

/** Runs a statement, and has the server count what it wrote at once instead of within a second. */
async function onceCounted(pool: Pool, sql: string): Promise<void> {
  const client = await pool.connect()
  await client.query(`${sql}; select pg_stat_force_next_flush()`)
  await client.query('select 1')
  client.release()
}

test('statistics are taken of tables that have grown eightfold', { skip: postgresMissing }, async (t) => {
  const database = await createDatabase('postgres')
  const pool = new Pool({ connectionString: database.url })
  t.after(async () => {
    await pool.end()
    await database.drop()
  })
  const statistics = new TableStatistics(() => pool)
  /** How many rows each table is taken to have. */
  const sizes = async () => {
    const { rows } = await pool.query(
      `select relname, reltuples::integer as rows from pg_class where relname in ('Many things', 'few') order by relname`,
    )
    return Object.fromEntries(rows.map(({ relname, rows }) => [relname, rows]))
  }
  const add = (count: number) =>
    onceCounted(pool, `insert into "Many things" select number::text from generate_series(1, ${count}) number`)
  await pool.query('create table "Many things" (id text) with (autovacuum_enabled = off)')
  await pool.query('create table few (id text) with (autovacuum_enabled = off)')
  await pool.query(`insert into few values ('a')`)
  assert.equal(await statistics.take(), false)
  assert.deepEqual(await sizes(), { few: -1, 'Many things': -1 })
  await add(1_000)
  assert.equal(await statistics.take(), true)
  assert.deepEqual(await sizes(), { few: -1, 'Many things': 1_000 })
  assert.equal(await statistics.take(), false)
  await add(3_000)
  assert.equal(await statistics.take(), false, 'four times as large')
  await add(8_000)
  assert.equal(await statistics.take(), true)
  assert.deepEqual(await sizes(), { few: -1, 'Many things': 12_000 })
})

test('a statement that was planned for an empty table searches by its key once that is full', {
  skip: postgresMissing,
}, async (t) => {
  const database = await createDatabase('postgres')
  // One connection, which keeps its plan.
  const pool = new Pool({ connectionString: database.url, max: 1 })
  t.after(async () => {
    await pool.end()
    await database.drop()
  })
  await pool.query(
    'create table thing (id text primary key, at integer, deleted_at timestamptz) with (autovacuum_enabled = off)',
  )
  await pool.query('create index thing_at on thing (at, id) where deleted_at is null')
  await pool.query('prepare find (text[]) as select at from thing where id = any($1) and deleted_at is null')
  const find = `execute find ('{5}')`
  const plan = async () => JSON.stringify((await pool.query(`explain (format json) ${find}`)).rows)
  for (let execution = 1; execution <= 6; execution++) await pool.query(find)
  await onceCounted(pool, 'insert into thing select number::text, number from generate_series(1, 10000) number')
  assert.match(await plan(), /thing_at/, 'the plan of an empty table, or this test proves nothing')
  const statistics = new TableStatistics(() => pool)
  assert.equal(await statistics.take(), true)
  assert.match(await plan(), /thing_pkey/)
})

test('a table that another session alters is left alone', { skip: postgresMissing }, async (t) => {
  const database = await createDatabase('postgres')
  const pool = new Pool({ connectionString: database.url })
  t.after(async () => {
    await pool.end()
    await database.drop()
  })
  await onceCounted(pool, 'create table thing with (autovacuum_enabled = off) as select generate_series(1, 10000)')
  const other = await pool.connect()
  await other.query('begin')
  await other.query('lock table thing in access exclusive mode')
  assert.equal(await new TableStatistics(() => pool).take(), true)
  const size = async () =>
    (await pool.query(`select reltuples from pg_class where relname = 'thing'`)).rows[0].reltuples
  assert.equal(await size(), -1)
  await other.query('rollback')
  other.release()
  assert.equal(await new TableStatistics(() => pool).take(), true)
  assert.equal(await size(), 10_000)
})
