// The outbox: its order on PostgreSQL, with transactions that overlap as one wants them to; what it forgets. (contract 6.1.4, 6.3.2)

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { createDatabase, forEachEngine, postgresMissing } from '../../test/support/server/databases.ts'
import { openTestStore } from '../../test/support/server/test-store.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import { bind, command, type Engine } from '../store/store.ts'
import { eventTables, openOutbox, type Position } from './outbox.ts'

const beginning: Position = { transaction: 0n, number: 0n }

/** An outbox in a database of its own. */
async function openTestOutbox(t: TestContext, engine: Engine) {
  const database = await createDatabase(engine)
  const store = await openTestStore(t, database)
  await store.write(function* () {
    for (const sql of eventTables.create[engine]) yield bind(command(sql))
  })
  const outbox = await openOutbox(store, dialectOf(engine))
  return {
    outbox,
    store,
    url: database.url,
    emit: (name: string, at: Date) =>
      store.write(() => outbox.emit([{ name, resource: 'Post', id: 'post_1', by: null, previous: null }], at)),
    names: async (after = beginning) => (await outbox.after(after, 100)).map(({ name }) => name),
    async look() {
      const { events, isHeldBack } = await outbox.poll(beginning, 100)
      return { names: events.map(({ name }) => name), isHeldBack }
    },
  }
}

/** Another session, in a transaction that counts as one that writes. */
async function begin(url: string) {
  const session = new pg.Client({ connectionString: url })
  await session.connect()
  await session.query('begin')
  await session.query('select pg_current_xact_id()')
  const emit = `insert into duet_event (name, resource, record_id, at) values ($1, 'Post', 'post_1', now())`
  return {
    emit: (name: string) => session.query(emit, [name]),
    async commit() {
      await session.query('commit')
      await session.end()
    },
  }
}

test('an event waits for every transaction that began before its own, however many began after it', {
  skip: postgresMissing,
}, async (t) => {
  const { url, names, look } = await openTestOutbox(t, 'postgres')
  const slow = await begin(url)
  const quick = await begin(url)
  const younger = [await begin(url), await begin(url), await begin(url)]
  await quick.emit('quick')
  await quick.commit()
  assert.deepEqual(await names(), [], 'what is older may still commit')
  assert.deepEqual(await look(), { names: [], isHeldBack: true })
  await slow.emit('slow')
  await slow.commit()
  assert.deepEqual(await names(), ['slow', 'quick'])
  for (const each of younger) await each.commit()
})

test('transactions are in the order of their numbers, not of their digits', { skip: postgresMissing }, async (t) => {
  const { url, outbox, names } = await openTestOutbox(t, 'postgres')
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  for (const transaction of ['10', '9', '100', '99'])
    await other.query(
      `insert into duet_event (transaction, name, resource, record_id, at) values ($1::xid8, $1, 'Post', 'post_1', now())`,
      [transaction],
    )
  await other.end()
  assert.deepEqual(await names(), ['9', '10', '99', '100'])
  assert.equal((await outbox.end()).transaction, 100n)
})

test('instances that start at once have one epoch: an id of one is good at all', {
  skip: postgresMissing,
}, async (t) => {
  const { url, store, outbox } = await openTestOutbox(t, 'postgres')
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query(`begin; delete from duet_event_epoch; commit; begin; insert into duet_event_epoch values ('first')`)
  const opening = openOutbox(store, dialectOf('postgres'))
  // It waits for the one that is making the epoch; whoever does not wait makes another.
  await Promise.race([opening, someoneWaits(other)])
  await other.query('commit')
  await other.end()
  assert.equal((await opening).epoch, 'first')
  assert.notEqual(outbox.epoch, 'first')
})

async function someoneWaits(client: pg.Client): Promise<void> {
  while ((await client.query('select 1 from pg_locks where not granted')).rows.length === 0);
}

test('a transaction in another database of the server keeps no event waiting', { skip: postgresMissing }, async (t) => {
  const { names, look, emit } = await openTestOutbox(t, 'postgres')
  const elsewhere = await createDatabase('postgres')
  t.after(() => elsewhere.drop())
  const slow = await begin(elsewhere.url)
  await emit('here', new Date(0))
  assert.deepEqual(await look(), { names: [], isHeldBack: true }, 'one statement cannot tell')
  assert.deepEqual(await names(), ['here'])
  await slow.commit()
})

forEachEngine((engine) => {
  test('events that are too old are forgotten, the oldest first, so many at a time', async (t) => {
    const { outbox, emit, names } = await openTestOutbox(t, engine)
    for (const [name, second] of Object.entries({ one: 1, two: 2, three: 3, four: 9, late: 4 }))
      await emit(name, new Date(second * 1_000))
    assert.equal(await outbox.forget(new Date(5_000), 2), true)
    assert.deepEqual(await names(), ['three', 'four', 'late'])
    assert.equal(await outbox.forget(new Date(5_000), 2), false)
    assert.deepEqual(await names(), ['four', 'late'], 'nothing is forgotten that came after what is kept')
    assert.equal(await outbox.forget(new Date(5_000), 2), false)
  })
  test('the last event is kept, however old: after it nothing was missed', async (t) => {
    const { outbox, emit } = await openTestOutbox(t, engine)
    const [old, recent] = [new Date('2026-01-01'), new Date('2026-02-01')]
    assert.deepEqual(await outbox.end(), beginning)
    assert.equal(await outbox.isForgotten(beginning), false, 'nothing has happened yet')
    await emit('first', old)
    const first = await outbox.end()
    assert.equal(await outbox.isForgotten(beginning), false, 'what happened since is there')
    await outbox.forget(recent, 10)
    assert.equal(await outbox.isForgotten(first), false, 'it is the last')
    await emit('second', recent)
    await outbox.forget(recent, 10)
    assert.equal(await outbox.isForgotten(first), true)
    assert.equal(await outbox.isForgotten(beginning), true)
    assert.equal(await outbox.isForgotten(await outbox.end()), false)
  })
})
