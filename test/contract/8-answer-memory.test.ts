// Queries that would answer a gigabyte, several at once, to a process that has a fraction of it. (contract 8.4.6)

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import pg from 'pg'
import { programArguments } from '../support/process/program.ts'
import { startProcess } from '../support/process/service-process.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const root = join(import.meta.dirname, '../..')
const atOnce = 6

interface Flood {
  readonly it: string
  /** Enough for what the service needs of its own, and for a few answers of the largest size. */
  readonly heapMebibytes: number
  readonly environment: Readonly<Record<string, string>>
  /** How many posts each user writes besides those of the demo. */
  readonly postsEach: number
  /** What each of those who ask at once sends. */
  readonly queries: Readonly<Record<string, (caller: number) => string>>
}
const aliases = Array.from({ length: 450 }, (_, at) => `a${at}: content`).join(' ')
const floods: readonly Flood[] = [
  {
    it: `${atOnce} answers of a gigabyte at once are refused by a process with 160 MiB`,
    heapMebibytes: 160,
    environment: {},
    postsEach: 0,
    queries: {
      'one list': () => `{ postList(limit: 100) { ${aliases} } }`,
      'nested lists': () => `{ userList(limit: 90) { posts(limit: 100) { ${aliases} } } }`,
    },
  },
  {
    it: `what is too much for an answer is not read whole by a process with 96 MiB, ${atOnce} times at once`,
    heapMebibytes: 96,
    environment: { LIMIT_ANSWER_BYTES: String(4 * 1_048_576) },
    postsEach: 60,
    // Each differs from the others, so that nothing is read once for all.
    queries: {
      'one list': (caller) => `{ postList(limit: ${100 - caller}) { content } }`,
      'nested lists as text': (caller) => `{ userList(limit: ${90 - caller}) { posts(limit: 100) { content } } }`,
      'nested lists as rows': (caller) =>
        `{ userList(limit: ${90 - caller}) { posts(limit: 100) { id again: id content } } }`,
    },
  },
]

/** All posts are public and as large as they may be; each user has written so many more. */
async function enlarge({ engine, url }: TestDatabase, postsEach: number): Promise<void> {
  const copied = 'title, content, tags, published_at, created_at, updated_at'
  const statements = [
    `update posts set published_at = created_at, content = '${'All of it. '.repeat(4_500)}'`,
    `insert into posts (id, author_id, ${copied}) select post_id || author_id, author_id, ${copied}
     from (select id as post_id, ${copied} from posts order by id limit ${postsEach}) copies
     cross join (select id as author_id from users) authors`,
  ]
  if (engine === 'sqlite') new Database(url.slice('sqlite:'.length)).exec(statements.join('; ')).close()
  else {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(statements.join('; '))
    await client.end()
  }
}

/** On a busy machine the time of a request may end before its answer is too large: it is sent again. */
async function ask(url: string, query: string) {
  const headers = { 'Content-Type': 'application/json' }
  for (;;) {
    const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const { errors } = (await answer.json()) as { errors: { message: string; extensions: { code: string } }[] }
    if (errors[0]?.extensions.code !== 'SERVICE_UNAVAILABLE') return { errors }
  }
}

forEachEngine((engine) => {
  for (const { it, heapMebibytes, environment, postsEach, queries } of floods) {
    test(`8.4.6 ${it}`, async (t) => {
      const database = await createDatabase(engine)
      t.after(() => database.drop())
      const service = startProcess(
        [`--max-old-space-size=${heapMebibytes}`, ...programArguments('reference/main.ts')],
        { folder: root, environment: { DATABASE_URL: database.url, DEMO_DATA: 'on', ...environment } },
      )
      t.after(() => service.end('SIGKILL'))
      const url = await service.listening()
      await enlarge(database, postsEach)
      for (const [name, queryOf] of Object.entries(queries)) {
        const asking = Array.from({ length: atOnce }, (_, caller) => ask(url, queryOf(caller)))
        const answers = await Promise.all(asking).catch((error: unknown) => {
          throw new Error(`${name}: ${service.printed().slice(-2_000)}`, { cause: error })
        })
        for (const { errors } of answers) {
          assert.equal(errors[0]?.extensions.code, 'QUERY_TOO_COMPLEX', name)
          assert.match(errors[0].message, /^The answer exceeds/, name)
        }
      }
      assert.equal((await fetch(`${url}/health/ready`)).status, 200)
    })
  }
})
