// A position in a real outbox that several readers share.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDatabase, forEachEngine } from '../../test/support/server/databases.ts'
import { openTestStore } from '../../test/support/server/test-store.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import { bind, command, type Engine, query, rowsOf } from '../store/store.ts'
import { eventTables, openOutbox } from './outbox.ts'
import { openOutboxConsumer, positionTable } from './outbox-consumer.ts'

const names = new Set(['made'])
const insert = command(`insert into used values ('x')`)

async function openTestConsumers(t: TestContext, engine: Engine) {
  const database = await createDatabase(engine)
  const store = await openTestStore(t, database)
  await store.write(function* () {
    const tables = [positionTable('duet_test_position'), 'create table used (what text)']
    for (const sql of [...eventTables.create[engine], ...tables]) yield bind(command(sql))
  })
  const dialect = dialectOf(engine)
  const outbox = await openOutbox(store, dialect)
  let reads = 0
  const after: typeof outbox.after = (...which) => {
    reads++
    return outbox.after(...which)
  }
  return {
    reads: () => reads,
    emit: (...names: readonly string[]) => {
      const events = names.map((name) => ({ name, resource: 'Thing', id: 'thing_1', by: null, previous: null }))
      return store.write(() => outbox.emit(events, new Date()))
    },
    used: async () => (await store.read(rowsOf(query('select what from used')))).length,
    stored: () => store.read(rowsOf(query('select after_number from duet_test_position'))),
    /** Uses each event named `made`, at most two at a time. */
    open: (before: () => Promise<void> = async () => {}) =>
      openOutboxConsumer({
        table: 'duet_test_position',
        names,
        store,
        dialect,
        outbox: { ...outbox, after },
        limits: { eventBatch: 2 },
        async handOn(events) {
          await before()
          const count = events.filter(({ name }) => names.has(name)).length
          const to = events.at(-1)!.position
          if (count === 0) return { to, write: null }
          return {
            to,
            *write() {
              for (let at = 0; at < count; at++) yield bind(insert)
            },
          }
        },
      }),
  }
}

forEachEngine((engine) => {
  test('uses every event once, by whichever reader is faster, and none from before it was opened', async (t) => {
    const { emit, open, used } = await openTestConsumers(t, engine)
    await emit('made')
    const [one, other] = [await open(), await open()]
    await emit('made', 'other', 'made', 'made', 'other')
    await Promise.all([one.all(), other.all(), one.all()])
    assert.equal(await used(), 3)
    await emit('made')
    await other.all()
    await one.all()
    assert.equal(await used(), 4)
  })

  test('looks again only after an event of its own, or after it failed', async (t) => {
    const { emit, open, used } = await openTestConsumers(t, engine)
    let isBroken = false
    const consumer = await open(async () => {
      if (isBroken) throw new Error('broken')
    })
    await consumer.catchUp()
    await emit('made')
    assert.equal(consumer.notice({ name: 'other' }), false)
    await consumer.catchUp()
    assert.equal(await used(), 0)
    assert.equal(consumer.notice({ name: 'made' }), true)
    isBroken = true
    await assert.rejects(consumer.catchUp(), /broken/)
    isBroken = false
    await consumer.catchUp()
    assert.equal(await used(), 1)
  })

  test('reads once for events that are fewer than a batch', async (t) => {
    const { emit, open, used, reads } = await openTestConsumers(t, engine)
    const consumer = await open()
    const readsFor = async (count: number) => {
      const before = reads()
      await emit(...Array.from({ length: count }, () => 'made'))
      await consumer.all()
      return reads() - before
    }
    assert.equal(await readsFor(1), 1)
    assert.equal(await readsFor(3), 2)
    assert.equal(await used(), 4)
  })

  test('a reader that is opened later begins where the others have settled', async (t) => {
    const { emit, open, used, stored } = await openTestConsumers(t, engine)
    const consumer = await open()
    await emit('other', 'other', 'other')
    await consumer.all()
    const before = await stored()
    await consumer.settle()
    assert.notDeepEqual(await stored(), before)
    await emit('made')
    const later = await open()
    await later.all()
    await consumer.all()
    assert.equal(await used(), 1)
  })
})
