// Queries that would answer a gigabyte, several at once, to a process that has a fraction of it. (contract 8.4.6)

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import pg from 'pg'
import { startProcess } from '../support/process/service-process.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const root = join(import.meta.dirname, '../..')
/** Enough for what the service needs of its own, and for a few answers of the largest size. */
const heapMebibytes = 160
const atOnce = 6

const aliases = Array.from({ length: 450 }, (_, at) => `a${at}: content`).join(' ')
const queries: Readonly<Record<string, string>> = {
  'one list': `{ postList(limit: 100) { ${aliases} } }`,
  'nested lists': `{ userList(limit: 90) { posts(limit: 100) { ${aliases} } } }`,
}

/** All posts are public and as large as they may be. */
async function enlarge({ engine, url }: TestDatabase): Promise<void> {
  const content = 'All of it. '.repeat(4_500)
  const change = "update posts set published_at = created_at, content = '"
  if (engine === 'sqlite') new Database(url.slice('sqlite:'.length)).exec(`${change}${content}'`).close()
  else {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`${change}${content}'`)
    await client.end()
  }
}

forEachEngine((engine) => {
  test(`8.4.6 ${atOnce} answers of a gigabyte at once are refused by a process with ${heapMebibytes} MiB`, async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const service = startProcess(
      [`--max-old-space-size=${heapMebibytes}`, '--conditions=duet-source', 'reference/main.ts'],
      { folder: root, environment: { DATABASE_URL: database.url, DEMO_DATA: 'on' } },
    )
    t.after(() => service.end('SIGKILL'))
    const url = await service.listening()
    await enlarge(database)
    for (const [name, query] of Object.entries(queries)) {
      const ask = async () => {
        const headers = { 'Content-Type': 'application/json' }
        const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
        return (await answer.json()) as { errors: { extensions: { code: string } }[] }
      }
      const answers = await Promise.all(Array.from({ length: atOnce }, ask)).catch((error: unknown) => {
        throw new Error(`${name}: ${service.printed().slice(-2_000)}`, { cause: error })
      })
      for (const { errors } of answers) assert.equal(errors[0]?.extensions.code, 'QUERY_TOO_COMPLEX', name)
    }
    assert.equal((await fetch(`${url}/health/ready`)).status, 200)
  })
})
