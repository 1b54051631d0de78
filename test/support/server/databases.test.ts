import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { createDatabase, forEachEngine, postgresMissing } from './databases.ts'

forEachEngine((engine) => {
  test('gives each caller an empty database of its own, and takes it away again', async () => {
    const [one, other] = await Promise.all([createDatabase(engine), createDatabase(engine)])
    try {
      await run(one.url, 'create table thing (id text)')
      await run(other.url, 'create table thing (id text)')
      await run(one.url, "insert into thing values ('a')")
      assert.equal(await run(other.url, 'select count(*) from thing'), 0)
    } finally {
      await Promise.all([one.drop(), other.drop()])
    }
    await assert.rejects(run(one.url, 'select 1'))
    await assert.rejects(run(other.url, 'select 1'))
  })
})

test('lets a connection close that is being closed', { skip: postgresMissing }, async () => {
  const database = await createDatabase('postgres')
  const client = new pg.Client(database.url)
  await client.connect()
  const closing = setTimeout(50).then(() => client.end())
  // Ended by force, it would report an error that nothing listens for.
  await Promise.all([database.drop(), closing])
})

test('drops a database while a client is connected to it', { skip: postgresMissing }, async () => {
  const database = await createDatabase('postgres')
  const client = new pg.Client(database.url)
  client.on('error', () => {})
  await client.connect()
  await database.drop()
  await assert.rejects(client.query('select 1'))
})

/** Runs one statement and answers the first value of its first row. */
async function run(url: string, statement: string): Promise<unknown> {
  return url.startsWith('sqlite:') ? runOnSqlite(url.slice('sqlite:'.length), statement) : runOnPostgres(url, statement)
}

function runOnSqlite(path: string, statement: string): unknown {
  const database = new Sqlite(path)
  try {
    const prepared = database.prepare(statement)
    return prepared.reader ? prepared.pluck().get() : prepared.run().changes
  } finally {
    database.close()
  }
}

async function runOnPostgres(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' })
    return rows[0] === undefined ? undefined : Number(rows[0][0])
  } finally {
    await client.end()
  }
}
