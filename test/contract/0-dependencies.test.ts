// What the service does while a server that it needs is lost, and afterwards. The faults are real ones; how each adapter
// meets them statement by statement is tested in src/store. (contract 0.2)

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Limits } from '../../src/limits.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'
import { startProxy } from '../support/server/dependency-proxy.ts'
import {
  assertQuiet,
  assertRepeatable,
  assertUnavailable,
  count,
  patient,
  readiness,
  signUp,
  start,
  startOnDatabase,
  until,
  untilServed,
} from '../support/server/dependent-service.ts'
import { redisUrl, withoutRedis } from '../support/server/redis.ts'
import { password } from '../support/server/service.ts'

/** Reads are served, so it stays where the balancer sends requests. */
const readOnly = [200, { database: 'read-only' }]

/** A service on a PostgreSQL that it can lose; all of it ends with the test. */
async function startBehindProxy(t: TestContext, limits: Partial<Limits>) {
  const database = await createDatabase('postgres')
  const address = new URL(database.url)
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port || 5432) })
  const url = Object.assign(address, { host: `127.0.0.1:${proxy.port}` }).href
  const running = await start(url, { METRICS_PORT: '0' }, limits)
  t.after(async () => {
    running.client.close()
    await running.service.stop()
    await proxy.close()
    await database.drop()
  })
  return { ...running, proxy }
}

describe('PostgreSQL', { skip: postgresMissing }, () => {
  // While waits are short, a disk that is slower is a loss of its own; the requests are thirty.
  const losses = {
    gone: { limits: patient, withinMs: 10_000, most: 1 },
    mute: { limits: {}, withinMs: 20_000, most: 3 },
  }
  for (const how of ['gone', 'mute'] as const) {
    test(`0.2.2 a server that is ${how}: 503 soon, reported by /health/ready, and all is well when it is back`, async (t) => {
      const { limits, withinMs, most } = losses[how]
      const { client, lines, proxy, service } = await startBehindProxy(t, limits)
      const isUp = async () => {
        const response = await fetch(service.metricsUrl!)
        return /^duet_database_up (.*)$/m.exec(await response.text())?.[1]
      }
      const served = untilServed(client)
      const creation = signUp()
      assert.equal((await served.send('POST /api/v2/users', creation)).status, 201)
      const total = await count(served)
      assert.equal(await isUp(), '1')
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
      assert(performance.now() - begun < withinMs)
      const graphql = await client.send('POST /graphql', { body: { query: '{ userList { id } }' } })
      assert.equal(graphql.body.errors[0].extensions.code, 'SERVICE_UNAVAILABLE')
      const ready = await client.send('GET /health/ready')
      assert.deepEqual([ready.status, ready.body.data.dependencies], [503, { database: 'lost' }])
      assert.equal(await isUp(), '0')
      assert.equal((await client.send('GET /health')).status, 200)
      proxy.become('well')
      await until(client, '/health/ready', 200)
      assert.equal(await count(served), total)
      await assertRepeatable({ client: served }, sent, total)
      assertQuiet(lines, most)
    })
  }
})

/** A service on PostgreSQL, and another connection to its database. */
async function startWithAdmin(t: TestContext) {
  let admin: pg.Client | undefined
  // Before the database is dropped, which would end the connection with an error.
  t.after(() => admin?.end())
  const running = await startOnDatabase(t, 'postgres')
  admin = new pg.Client({ connectionString: running.database.url })
  await admin.connect()
  return { running, admin }
}

test('0.2.4 a server that takes no writes: they are 503, reads go on, and a new session finds it well', {
  skip: postgresMissing,
}, async (t) => {
  const { running, admin } = await startWithAdmin(t)
  const { client, database, lines } = running
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
  // Each session of before that is found is left; the next one is new.
  while ((await readiness(client))[1].database !== 'ok');
  await assertRepeatable(running, sent, total)
  assertQuiet(lines)
})

test('0.2.8 a server whose disk is full: writes are 503, reads go on, and it is reported until there is room', {
  skip: postgresMissing,
}, async (t) => {
  const { running, admin } = await startWithAdmin(t)
  const { client, lines } = running
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
/** Returns when they have ended: until then one may still take a write. */
const endSessions = `select pg_terminate_backend(pid, 10000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

test('0.3.1 a database that is mute keeps no service from stopping', { skip: postgresMissing }, async (t) => {
  const { client, service, lines, proxy } = await startBehindProxy(t, { stopMs: 500, statementTimeoutMs: 60_000 })
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

describe('Redis', { skip: await withoutRedis() }, () => {
  test('0.2.5 lost or mute, it costs no caller an answer, and /health/ready reports it', async (t) => {
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
