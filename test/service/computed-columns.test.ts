// Columns that a service computes, next to the version before on PostgreSQL, which does not know them: once it has ended, and
// `apply --finish` has run amid the writes of the newer one, they are what they are made from. (contract 13.2.9)

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { anyone, integer, is, many, one, optional, resource, service, start, text } from 'duet-api'
import pg from 'pg'
import { defaultLimits } from '../../src/limits.ts'
import { internalTables } from '../../src/service/open/open-database.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { introspect } from '../../src/store/migration/introspect.ts'
import { applyMigration } from '../../src/store/migration/live/apply.ts'
import { readStatus } from '../../src/store/migration/live/status.ts'
import { desiredSchema } from '../../src/store/sql/schema/schema.ts'
import { postgresDialect } from '../../src/store/sql/text/dialect.ts'
import type { Store } from '../../src/store/store.ts'
import { type Client, createClient } from '../support/client/http-client.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'

const own = ({ name, thingsCount }: { name: string; thingsCount: number }) => `${name} ${thingsCount}`
const numbers = {
  counts: { things: 'things' },
  sums: { weight: 'things.weight' },
  computed: {
    label: { as: optional(text({ max: 60 })), from: ['name', 'thingsCount'], stored: true, make: own },
  },
  filter: { label: is },
}
function definitionOf(more: object, ofThings: object) {
  const write = { allow: anyone, accept: ['name', 'weight', 'box'] }
  const Box = resource('Box', {
    prefix: 'box',
    plural: 'boxes',
    fields: { name: text({ max: 20 }), things: many('Thing', 'box') },
    ...more,
    actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['name'] } },
  } as never)
  const Thing = resource('Thing', {
    prefix: 'thing',
    fields: { name: text({ max: 20 }), weight: integer(), box: one('Box') },
    ...ofThings,
    actions: { read: { allow: anyone }, create: write, update: write, delete: { allow: anyone } },
  } as never)
  return service({ resources: { User, Box, Thing }, roles: { ANY: 'everything' }, accounts } as never)
}
const plain = definitionOf({}, {})
const counted = definitionOf(numbers, { search: ['name'] })

interface Version {
  readonly client: Client
  stop(): Promise<void>
}

test('13.2.9 what an older version leaves as it is, apply --finish computes again next to requests', {
  skip: postgresMissing,
}, async (t) => {
  const { store, begin } = await sceneOf(t)
  const older = await begin(plain)
  const boxes = await fill(older.client)
  const again = new Set(['numbers to fill: finish'])
  assert.deepEqual(new Set(await apply(store, counted)), again)
  const newer = await begin(counted)
  assert.equal((await staleColumns(store)).length, 4)
  await Promise.all([older, newer].map(({ client }) => writeManyTimes(client, boxes, 30)))
  assert.deepEqual(new Set(await apply(store, counted)), again)
  await older.stop()

  let isOver = false
  const writing = Array.from({ length: 4 }, async () => {
    while (!isOver) await writeManyTimes(newer.client, boxes, 5)
  })
  assert.deepEqual(await apply(store, counted, true), [])
  isOver = true
  await Promise.all(writing)
  assert.deepEqual(await staleColumns(store), [])
  await assertComputed(newer.client)
  await assert.rejects(begin(plain), /is computed by the newer version/)
  assert.deepEqual(await apply(store, plain), [])
  const returned = await begin(plain)
  await Promise.all([returned, newer].map(({ client }) => writeManyTimes(client, boxes, 10)))
  await returned.stop()
  assert.deepEqual(await apply(store, counted, true), [])
  await assertComputed(newer.client)
})

test('13.2.9 apply --finish tries again while a request has a record that it computes', {
  skip: postgresMissing,
}, async (t) => {
  const { url, store, begin } = await sceneOf(t)
  const older = await begin(plain)
  const boxes = await fill(older.client)
  await apply(store, counted)
  await writeManyTimes(older.client, boxes, 5)
  await older.stop()
  const pool = new pg.Pool({ connectionString: url })
  const request = await pool.connect()
  await request.query('begin')
  await request.query('select from boxes for update')
  const finished = apply(store, counted, true)
  finished.catch(() => undefined)
  const attempts = new Set<string>()
  const deadline = performance.now() + 30_000
  while (attempts.size < 2 && performance.now() < deadline) {
    const { rows } = await pool.query(waitingForLock)
    for (const { begun } of rows) attempts.add(begun)
  }
  request.release(true)
  await pool.end()
  assert.equal(attempts.size, 2)
  assert.deepEqual(await finished, [])
  assert.deepEqual(await staleColumns(store), [])
})

test('13.2.9 the version that returns computes again what a newer one without it has left', {
  skip: postgresMissing,
}, async (t) => {
  const { store, begin } = await sceneOf(t)
  const older = await begin(counted)
  const boxes = await fill(older.client)
  assert.deepEqual(new Set(await apply(store, plain)), new Set(['numbers that go: finish']))
  const newer = await begin(plain)
  await Promise.all([older, newer].map(({ client }) => writeManyTimes(client, boxes, 30)))
  await newer.stop()
  assert.deepEqual(await apply(store, counted, true), [])
  await assertComputed(older.client)
})

const waitingForLock = `select xact_start::text as begun from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

async function sceneOf(t: TestContext) {
  const database = await createDatabase('postgres')
  const store = await openStore(database.url, { limits: defaultLimits, log: { warn: assert.fail, error: assert.fail } })
  const stops: (() => Promise<void>)[] = []
  t.after(async () => {
    for (const stop of [...stops, () => store.close(), () => database.drop()]) await stop()
  })
  async function begin(definition: typeof plain): Promise<Version> {
    const environment = { PORT: '0', DATABASE_URL: database.url, LIMIT_IP_PER_MINUTE: '0', LOG_LEVEL: 'off' }
    const running = await start(definition, { environment })
    const client = createClient(running.url)
    const stop = async () => {
      client.close()
      await running.stop()
    }
    stops.push(stop)
    return { client, stop }
  }
  return { url: database.url, store, begin }
}

async function apply(store: Store, definition: typeof plain, finish = false): Promise<readonly string[]> {
  const model = compileService(definition)
  const desired = desiredSchema(model, postgresDialect, internalTables(model))
  const holder = { name: 'test', isGone: () => false }
  const options = { holder, finish, accepted: new Set<string>(), report: () => undefined }
  return (await applyMigration(store, desired, options)).map(({ step, why }) => `${step.change}: ${why}`)
}

async function staleColumns(store: Store): Promise<readonly string[]> {
  const model = compileService(counted)
  const desired = desiredSchema(model, postgresDialect, internalTables(model))
  const existing = await store.read(introspect('postgres'))
  return (await store.read(readStatus(desired, existing))).stale
}

async function fill({ send }: Client): Promise<readonly string[]> {
  const boxes: string[] = []
  for (let at = 0; at < 20; at++)
    boxes.push((await send('POST /api/v1/boxes', { body: { name: `b${at}` } })).body.data.id)
  for (const [at, box] of boxes.entries())
    await send('POST /api/v1/things', { body: { name: `t${at}`, weight: at, box_id: box } })
  return boxes
}

/** Creates, changes, moves and deletes things. */
async function writeManyTimes({ send }: Client, boxes: readonly string[], times: number): Promise<void> {
  const box = (at: number) => boxes[at % boxes.length]!
  for (let at = 0; at < times; at++) {
    const body = { name: `made ${at}`, weight: at, box_id: box(at) }
    const { status, body: made } = await send('POST /api/v1/things', { body })
    assert.equal(status, 201, JSON.stringify(made))
    const path = `/api/v1/things/${made.data.id}`
    if (at % 3 === 0)
      assert.equal((await send(`PATCH ${path}`, { body: { box_id: box(at + 7), name: `moved ${at}` } })).status, 200)
    if (at % 3 === 1) assert.equal((await send(`DELETE ${path}`)).status, 204)
    if (at % 10 === 0) assert.equal((await send('POST /api/v1/boxes', { body: { name: `c${at}` } })).status, 201)
  }
}

async function everyRecord({ send }: Client, path: string): Promise<readonly Record<string, never>[]> {
  const all: Record<string, never>[] = []
  for (let next = `${path}?limit=100`; ; ) {
    const { status, body } = await send(`GET ${next}`)
    assert.equal(status, 200)
    all.push(...body.data)
    if (body.meta.next_cursor === null) return all
    next = `${path}?limit=100&cursor=${body.meta.next_cursor}`
  }
}

async function assertComputed(client: Client): Promise<void> {
  const things = await everyRecord(client, '/api/v1/things')
  const boxes = await everyRecord(client, '/api/v1/boxes')
  assert(boxes.length > 20)
  for (const { id, name, things_count, weight, label } of boxes) {
    const members = things.filter((each) => each['box_id'] === id)
    const sum = members.reduce((total, each) => total + Number(each['weight']), 0)
    assert.deepEqual([things_count, weight, label], [members.length, sum, `${name} ${members.length}`])
  }
  for (const word of ['made', 'moved', 't7']) {
    const found = await everyRecord(client, '/api/v1/things')
    const named = found.filter(({ name }) => String(name).split(' ').includes(word))
    const { body } = await client.send(`GET /api/v1/things?q=${word}&limit=100`)
    assert.equal(body.data.length, Math.min(100, named.length), word)
  }
}
