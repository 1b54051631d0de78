// What the service does while something that it needs is lost, and afterwards. The faults are real ones; how each adapter
// meets them statement by statement is tested in src/store. (contract 0.2)

import assert from 'node:assert/strict'
import { closeSync, copyFileSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { fillDemo } from '../../reference/demo.ts'
import { api } from '../../reference/service.ts'
import type { Limits } from '../../src/limits.ts'
import { createLog } from '../../src/observation/log.ts'
import { readConfiguration } from '../../src/service/configuration.ts'
import { type RunningService, startService } from '../../src/service/service.ts'
import { bind, type Program, query, type Store, type StoredRow } from '../../src/store/store.ts'
import { type Answer, type Client, createClient } from '../support/client/http-client.ts'
import { createDatabase, postgresMissing, type TestDatabase } from '../support/server/databases.ts'
import { type FaultyProxy, startProxy } from '../support/server/dependency-proxy.ts'
import { redisUrl, withoutRedis } from '../support/server/redis.ts'
import { password } from '../support/server/service.ts'

interface Running {
  readonly client: Client
  readonly service: RunningService
  readonly lines: string[]
}
/** Waits are short, so that what nobody answers is given up soon. */
const hurry = {
  statementTimeoutMs: 150,
  connectTimeoutMs: 150,
  readyTimeoutMs: 300,
  listenRetryMs: 50,
  eventPollMs: 50,
}

async function start(
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
  limits: Partial<Limits> = {},
): Promise<Running> {
  const lines: string[] = []
  const read = readConfiguration({
    LIMIT_LOGIN_PER_MINUTE: '0',
    LIMIT_IP_PER_MINUTE: '10000',
    ...environment,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    NODE_ENV: 'test',
  })
  const service = await startService(api, {
    configuration: { ...read, limits: { ...read.limits, ...hurry, ...limits } },
    log: createLog({ json: true, write: (line) => void lines.push(line) }),
    clock: () => new Date(),
    ...(environment['DEMO_DATA'] === 'on' ? { demo: { fill: fillDemo, password } } : {}),
  })
  return { client: createClient(service.url), service, lines }
}

let names = 0
const signUp = () => ({
  headers: { 'Idempotency-Key': `key-${++names}` },
  body: { name: 'N', email: `n${names}@example.com`, password },
})
const count = async (client: Client): Promise<number> =>
  (await client.send('GET /api/v2/users?page=1&per_page=1')).body.meta.total

/** Asks until it is as it should be: nobody is told when a dependency is back. */
async function until(client: Client, path: string, status: number): Promise<Answer> {
  for (;;) {
    const answer = await client.send(`GET ${path}`)
    if (answer.status === status) return answer
  }
}

function assertUnavailable(answer: Answer, what: string): void {
  assert.equal(answer.status, 503, `${what}: ${answer.status} ${answer.text}`)
  assert.equal(answer.body.error.code, 'SERVICE_UNAVAILABLE')
  assert.match(answer.headers['retry-after'] ?? '', /^[1-9]/)
}

/** A write that could not be done leaves nothing, not even its key: the same request is carried out when it can be. */
async function assertRepeatable({ client }: Running, sent: ReturnType<typeof signUp>, before: number): Promise<void> {
  const { status, text } = await client.send('POST /api/v2/users', sent)
  assert.equal(status, 201, text)
  assert.equal((await client.send('POST /api/v2/users', sent)).status, 200)
  assert.equal(await count(client), before + 1)
}

const readiness = async (client: Client) => {
  const { status, body } = await client.send('GET /health/ready')
  return [status, body.data.dependencies]
}
/** Reads are served, so it stays where the balancer sends requests. */
const readOnly = [200, { database: 'read-only' }]

/** Whatever the log says of it, it does not say it for each request. */
function assertQuiet(lines: readonly string[]): void {
  const told = lines.map((line) => JSON.parse(line)).filter(({ level }) => level !== 'info')
  assert.deepEqual(
    told.filter(({ level }) => level === 'error'),
    [],
  )
  const times = new Map<string, number>()
  for (const { msg } of told) times.set(msg, (times.get(msg) ?? 0) + 1)
  for (const [sentence, often] of times) {
    // Of a pool, each connection may be told once.
    assert(often <= (sentence.startsWith('A connection') ? 10 : 1), `${often} × ${sentence}`)
  }
}

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
      const database = await createDatabase('sqlite')
      const running = await start(database.url)
      const { client, service, lines } = running
      t.after(async () => {
        client.close()
        await service.stop()
        await database.drop()
      })
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
      const told = { 'that became read-only': 'read-only', 'on a disk that is full': 'full' }[name] ?? 'ok'
      // It looks by writing something itself, and finds the same.
      for (const _ of 'xx') assert.deepEqual(await readiness(client), [200, { database: told }])
      const sentences = lines.filter((line) => line.includes('The database takes no writes: '))
      assert.equal(sentences.length, told === 'ok' ? 0 : 1)
      if (told === 'full') assert.match(sentences[0]!, /takes no writes: database or disk is full/)
      await mend()
      while ((await readiness(client))[1].database !== 'ok');
      assert.equal(await count(client), total)
      await assertRepeatable(running, sent, total)
      assertQuiet(lines)
    })
  }

  test('0.2.6 a damaged page: who asks for what is on it gets 503, the others their answers, and it is told', async (t) => {
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
    test(`0.2.7 a file that was ${how} under the service: no write is acknowledged, and it is told`, async (t) => {
      const database = await createDatabase('sqlite')
      const path = database.url.slice('sqlite:'.length)
      const running = await start(database.url)
      const { client, service, lines } = running
      t.after(async () => {
        client.close()
        await service.stop()
        await database.drop()
      })
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

describe('PostgreSQL', { skip: postgresMissing }, () => {
  let database: TestDatabase
  let proxy: FaultyProxy
  let running: Running
  before(async () => {
    database = await createDatabase('postgres')
    const address = new URL(database.url)
    proxy = await startProxy({ host: address.hostname, port: Number(address.port || 5432) })
    running = await start(Object.assign(address, { host: `127.0.0.1:${proxy.port}` }).href)
  })
  after(async () => {
    running.client.close()
    await running.service.stop()
    await proxy.close()
    await database.drop()
  })
  for (const how of ['gone', 'mute'] as const) {
    test(`0.2.2 a server that is ${how}: 503 soon, told by /health/ready, and all is well when it is back`, async () => {
      const { client, lines } = running
      const creation = signUp()
      assert.equal((await client.send('POST /api/v2/users', creation)).status, 201)
      const total = await count(client)
      const sent = signUp()
      proxy.become(how)
      const login = { body: { email: creation.body.email, password } }
      const attempt = Array.from({ length: 30 }, (_, at) =>
        [
          () => client.send('GET /api/v2/users'),
          () => client.send('POST /api/v2/users', sent),
          () => client.send('POST /auth/login', login),
        ][at % 3]!(),
      )
      const begun = performance.now()
      for (const answer of await Promise.all(attempt)) {
        // Of several with one key, one is being carried out.
        if (answer.status !== 409) assertUnavailable(answer, how)
      }
      assert(performance.now() - begun < 10_000)
      const graphql = await client.send('POST /graphql', { body: { query: '{ userList { id } }' } })
      assert.equal(graphql.body.errors[0].extensions.code, 'SERVICE_UNAVAILABLE')
      const ready = await client.send('GET /health/ready')
      assert.deepEqual([ready.status, ready.body.data.dependencies], [503, { database: 'lost' }])
      assert.equal((await client.send('GET /health')).status, 200)
      proxy.become('well')
      await until(client, '/health/ready', 200)
      assert.equal(await count(client), total)
      await assertRepeatable(running, sent, total)
      assertQuiet(lines)
      lines.length = 0
    })
  }
})

test('0.2.4 a server that takes no writes: they are 503, reads go on, and a new session finds it well', {
  skip: postgresMissing,
}, async (t) => {
  const database = await createDatabase('postgres')
  const running = await start(database.url)
  const { client, service, lines } = running
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    client.close()
    await service.stop()
    await database.drop()
  })
  const name = new URL(database.url).pathname.slice(1)
  const creation = signUp()
  assert.equal((await client.send('POST /api/v2/users', creation)).status, 201)
  const total = await count(client)
  // As a server does that another has taken over from: it ends every session, and the next ones are told.
  await admin.query(`alter database ${name} set default_transaction_read_only = on`)
  await admin.query(endSessions)
  const sent = signUp()
  for (let attempt = 0; attempt < 5; attempt++)
    assertUnavailable(await client.send('POST /api/v2/users', sent), 'sign-up')
  assertUnavailable(await client.send('POST /auth/login', { body: { email: creation.body.email, password } }), 'login')
  assert.equal(await count(client), total)
  assert.deepEqual(await readiness(client), readOnly)
  await admin.query(`alter database ${name} reset default_transaction_read_only`)
  assert.deepEqual(await readiness(client), [200, { database: 'ok' }])
  await assertRepeatable(running, sent, total)
  assertQuiet(lines)
})

test('0.2.8 a server whose disk is full: writes are 503, reads go on, and it is told until there is room', {
  skip: postgresMissing,
}, async (t) => {
  const database = await createDatabase('postgres')
  const running = await start(database.url)
  const { client, service, lines } = running
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    client.close()
    await service.stop()
    await database.drop()
  })
  assert.equal((await client.send('POST /api/v2/users', signUp())).status, 201)
  const total = await count(client)
  // What a table that cannot grow answers, for a new table as for one that is there.
  const refusal = `begin raise exception using errcode = '53100', message = 'could not extend file "base/1": No space left on device'; end`
  await admin.query(`create function refuse_event() returns event_trigger language plpgsql as $$ ${refusal} $$`)
  await admin.query(`create function refuse() returns trigger language plpgsql as $$ ${refusal} $$`)
  await admin.query('create trigger full_disk before insert on users execute function refuse()')
  await admin.query(
    `create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE') execute function refuse_event()`,
  )
  const sent = signUp()
  for (let attempt = 0; attempt < 3; attempt++)
    assertUnavailable(await client.send('POST /api/v2/users', sent), 'sign-up')
  assert.equal(await count(client), total)
  for (const _ of 'xx') assert.deepEqual(await readiness(client), [200, { database: 'full' }])
  assert.equal(lines.filter((line) => line.includes('takes no writes: could not extend file')).length, 1)
  await admin.query('drop event trigger full_disk')
  await admin.query('drop trigger full_disk on users')
  while ((await readiness(client))[1].database !== 'ok');
  assert.equal((await admin.query(`select to_regclass('duet_room') is null as gone`)).rows[0].gone, true)
  await assertRepeatable(running, sent, total)
  assertQuiet(lines)
})
const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

test('0.3.1 a database that is mute keeps no service from stopping', { skip: postgresMissing }, async (t) => {
  const database = await createDatabase('postgres')
  const address = new URL(database.url)
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port || 5432) })
  t.after(async () => {
    await proxy.close()
    await database.drop()
  })
  const url = Object.assign(address, { host: `127.0.0.1:${proxy.port}` }).href
  const { client, service, lines } = await start(url, {}, { stopMs: 500, statementTimeoutMs: 60_000 })
  proxy.become('mute')
  const loss = proxy.nextLoss()
  const unanswered = client.send('GET /api/v2/users').catch(() => {})
  await loss
  await service.stop()
  assert(lines.some((line) => line.includes('Not everything could be closed in time.')))
  client.close()
  proxy.become('gone')
  await unanswered
})

describe('Redis', async () => {
  const skip = await withoutRedis()
  test('0.2.5 lost or mute, it costs nobody an answer, and /health/ready tells of it', {
    skip,
  }, async (t) => {
    const { hostname, port, pathname } = new URL(redisUrl)
    const proxy = await startProxy({ host: hostname, port: Number(port || 6379) })
    const { client, service, lines } = await start('sqlite::memory:', {
      REDIS_URL: `redis://127.0.0.1:${proxy.port}${pathname}`,
    })
    t.after(async () => {
      client.close()
      await service.stop()
      await proxy.close()
    })
    const dependencies = async () => {
      const { status, body } = await client.send('GET /health/ready')
      return [status, body.data.dependencies]
    }
    assert.deepEqual(await dependencies(), [200, { database: 'ok', redis: 'ok' }])
    for (const how of ['gone', 'mute'] as const) {
      proxy.become(how)
      for (let attempt = 0; attempt < 5; attempt++) {
        const { status, headers } = await client.send('GET /api/v2/users')
        assert.equal(status, 200)
        assert.equal(headers['x-ratelimit-limit'], '10000')
      }
      assert.deepEqual(await dependencies(), [200, { database: 'ok', redis: 'lost' }])
      proxy.become('well')
      // Not faster than the limit on addresses allows: a quick machine would be refused.
      while ((await dependencies())[1].redis !== 'ok') await pause(20)
      assertQuiet(lines)
      assert.equal(lines.splice(0).filter((line) => line.includes('Redis is lost')).length, 1)
    }
  })
})
