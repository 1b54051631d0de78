// What the service does while its SQLite database cannot be written or read, and afterwards. The faults are real ones. (contract 0.2)

import assert from 'node:assert/strict'
import { closeSync, copyFileSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { bind, type Program, query, type Store, type StoredRow } from '../../src/store/store.ts'
import { createDatabase } from '../support/server/databases.ts'
import {
  assertQuiet,
  assertRepeatable,
  assertUnavailable,
  count,
  readiness,
  signUp,
  start,
  startOnDatabase,
} from '../support/server/dependent-service.ts'
import { password } from '../support/server/service.ts'

describe('SQLite', () => {
  function* runs(sql: string): Program<readonly StoredRow[]> {
    return yield bind(query(sql))
  }
  /** The connection that writes: a database that takes no writes cannot be asked to take them again. */
  async function writerOf(store: Store, t: TestContext): Promise<Sqlite.Database> {
    let writer: Sqlite.Database | undefined
    const prototype = Object.getPrototypeOf(new Sqlite(':memory:').prepare('commit'))
    const { run } = prototype
    const watched = t.mock.method(prototype, 'run', function (this: Sqlite.Statement, ...values: unknown[]) {
      if (this.source === 'begin immediate') writer = this.database
      return run.apply(this, values)
    })
    await store.write(() => runs('pragma page_count'))
    watched.mock.restore()
    return writer!
  }
  /** Each answers how to mend it. */
  const faults: Readonly<Record<string, (store: Store, path: string, t: TestContext) => Promise<() => unknown>>> = {
    'locked by another process': async (_, path) => {
      const other = new Sqlite(path)
      other.exec('begin immediate')
      return () => other.close()
    },
    'on a disk that is full': async (store) => {
      const [[pages]] = (await store.write(() => runs('pragma page_count'))) as unknown as [[number]]
      await store.write(() => runs(`pragma max_page_count = ${pages}`))
      return () => store.write(() => runs('pragma max_page_count = 1000000'))
    },
    'that became read-only': async (store, _, t) => {
      const writer = await writerOf(store, t)
      writer.pragma('query_only = on')
      return () => writer.pragma('query_only = off')
    },
  }
  for (const [name, breakIt] of Object.entries(faults)) {
    test(`0.2.3 a database ${name}: writes are 503 and leave nothing, reads go on`, async (t) => {
      const running = await startOnDatabase(t, 'sqlite')
      const { client, database, service, lines } = running
      const creation = signUp()
      await client.send('POST /api/v2/users', creation)
      const mend = await breakIt(service.store, database.url.slice('sqlite:'.length), t)
      // What has room where others were is still written.
      let total = await count(client)
      let sent = signUp()
      let answer = await client.send('POST /api/v2/users', sent)
      for (; answer.status === 201; total++) {
        sent = signUp()
        answer = await client.send('POST /api/v2/users', sent)
      }
      assertUnavailable(answer, 'sign-up')
      const login = await client.send('POST /auth/login', { body: { email: creation.body.email, password } })
      if (login.status !== 200) assertUnavailable(login, 'login')
      assert.equal((await client.send('GET /api/v2/users')).status, 200)
      assert.equal((await client.send('GET /health')).status, 200)
      const expected = { 'that became read-only': 'read-only', 'on a disk that is full': 'full' }[name] ?? 'ok'
      // It looks by writing something itself, and finds the same.
      for (const _ of 'xx') assert.deepEqual(await readiness(client), [200, { database: expected }])
      const sentences = lines.filter((line) => line.includes('The database takes no writes: '))
      assert.equal(sentences.length, expected === 'ok' ? 0 : 1)
      if (expected === 'full') assert.match(sentences[0]!, /takes no writes: database or disk is full/)
      await mend()
      while ((await readiness(client))[1].database !== 'ok');
      assert.equal(await count(client), total)
      await assertRepeatable(running, sent, total)
      assertQuiet(lines)
    })
  }

  test('0.2.6 a damaged page: requests that need it get 503, the others their answers, and it is reported', async (t) => {
    const database = await createDatabase('sqlite')
    const path = database.url.slice('sqlite:'.length)
    const seeded = await start(database.url, { DEMO_DATA: 'on' })
    seeded.client.close()
    await seeded.service.stop()
    const mend = damage(path, 'posts')
    const { client, service, lines } = await start(database.url)
    t.after(async () => {
      client.close()
      await service.stop()
      await database.drop()
    })
    assert.deepEqual(await readiness(client), [200, { database: 'ok' }])
    const attempt = ['posts', 'users', 'posts', 'users'].map((each) => client.send(`GET /api/v2/${each}`))
    const [posts, users, ...again] = await Promise.all(attempt)
    for (const answer of [posts!, again[0]!]) assertUnavailable(answer, 'posts')
    for (const answer of [users!, again[1]!]) assert.equal(answer.status, 200, answer.text)
    const { body } = await client.send('POST /graphql', { body: { query: '{ postList { title } }' } })
    assert.equal(body.errors[0].extensions.code, 'SERVICE_UNAVAILABLE')
    assert.deepEqual(await readiness(client), [503, { database: 'damaged' }])
    assert.equal((await client.send('GET /health')).status, 200)
    const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')
    assert.deepEqual(
      errors.map(({ msg }) => msg),
      [`A part of ${path} cannot be read: database disk image is malformed (SQLITE_CORRUPT)`],
    )
    mend()
    assert.deepEqual(await readiness(client), [200, { database: 'ok' }])
    assert.equal((await client.send('GET /api/v2/posts')).status, 200)
  })

  /** Overwrites every page of a table; answers how to put them back. */
  function damage(path: string, table: string): () => void {
    const database = new Sqlite(path)
    const pageBytes = 4096
    const pages = database.prepare('select pageno from dbstat where name = ?').pluck().all(table) as number[]
    database.close()
    const before = readFileSync(path)
    const write = (bytes: Buffer) => {
      const file = openSync(path, 'r+')
      for (const page of pages) writeSync(file, bytes, (page - 1) * pageBytes, pageBytes, (page - 1) * pageBytes)
      closeSync(file)
    }
    write(Buffer.alloc(before.length, 0xee))
    return () => write(before)
  }

  for (const [how, take] of Object.entries({
    moved: (path: string) => renameSync(path, `${path}.away`),
    replaced: (path: string) => {
      renameSync(path, `${path}.away`)
      copyFileSync(`${path}.away`, path)
    },
  })) {
    test(`0.2.7 a file that was ${how} under the service: no write is acknowledged, and it is reported`, async (t) => {
      const running = await startOnDatabase(t, 'sqlite')
      const { client, database, lines } = running
      const path = database.url.slice('sqlite:'.length)
      await client.send('POST /api/v2/users', signUp())
      take(path)
      for (let tried = 0; tried < 2; tried++) assertUnavailable(await client.send('POST /api/v2/users', signUp()), how)
      assert.deepEqual(await readiness(client), [503, { database: 'gone' }])
      const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error')
      assert.equal(errors.length, 1)
      assert(errors[0].msg.startsWith(`The database takes no writes: ${path} was deleted, moved or replaced`))
      renameSync(`${path}.away`, path)
      assert.deepEqual(await readiness(client), [200, { database: 'ok' }])
      await assertRepeatable(running, signUp(), await count(client))
    })
  }
})
