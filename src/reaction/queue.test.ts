// The queue of tasks in a real database, by a clock that the test moves.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDatabase, forEachEngine } from '../../test/support/server/databases.ts'
import { openTestStore } from '../../test/support/server/test-store.ts'
import { eventTables, openOutbox } from '../event/outbox.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import { bind, command, type Engine } from '../store/store.ts'
import { createQueue, type Task } from './queue.ts'
import { createReactionAdmin } from './reaction-admin.ts'
import { reactionTables } from './tables.ts'

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1000)

/** A queue with a task of the reaction `greet` for each of so many events, due at second 0. */
async function openTestQueue(t: TestContext, engine: Engine, events: number) {
  const database = await createDatabase(engine)
  const store = await openTestStore(t, database)
  await store.write(function* () {
    for (const sql of [...eventTables.create[engine], ...reactionTables.create[engine]]) yield bind(command(sql))
  })
  const dialect = dialectOf(engine)
  const [queue, admin] = [createQueue(dialect), createReactionAdmin(dialect)]
  const outbox = await openOutbox(store, dialect)
  const from = await outbox.end()
  await store.write(() => queue.register(new Map([['greet', { event: 'userCreated' }]]), at(0)))
  for (let number = 0; number < events; number++) {
    const event = { name: 'userCreated', resource: 'User', id: `user_${number}`, by: null, previous: null }
    await store.write(() => outbox.emit([event], at(0)))
  }
  const handed = { from, to: await outbox.end(), epoch: outbox.epoch, seenSince: at(-1), now: at(0) }
  await store.write(() => queue.handOn(handed))
  return {
    queue,
    store,
    claim: (holder: string, seconds: number, count = 10): Promise<readonly Task[]> =>
      store.write(() =>
        queue.claim({ names: ['greet'], count, holder, now: at(seconds), until: () => at(seconds + 30) }),
      ),
    deadLetters: () => store.read(admin.deadLetters(null, 10)),
  }
}
const recordsOf = (tasks: readonly Task[]) => tasks.map(({ recordId, attempt }) => [recordId, attempt])

forEachEngine((engine) => {
  test('a task is held by one', async (t) => {
    const { claim } = await openTestQueue(t, engine, 2)
    assert.deepEqual(recordsOf(await claim('a', 1, 1)), [['user_0', 1]], 'the oldest first')
    assert.deepEqual(recordsOf(await claim('b', 1)), [['user_1', 1]])
    assert.deepEqual(await claim('b', 30), [], 'until the time of its holder is over')
    assert.deepEqual(recordsOf(await claim('b', 31)), [
      ['user_0', 2],
      ['user_1', 2],
    ])
  })

  test('a caller who has lost a task changes nothing of it', async (t) => {
    const { queue, store, claim, deadLetters } = await openTestQueue(t, engine, 1)
    const [task] = await claim('a', 1)
    await claim('b', 31)
    assert.equal(await store.write(() => queue.end(task!, 'a')), false)
    assert.equal(await store.write(() => queue.retry(task!, 'a', at(32), 'Late.')), false)
    assert.equal(await store.write(() => queue.deadLetter(task!, 'a', at(32), 'Late.')), false)
    assert.equal(await store.write(() => queue.release(task!, 'a', at(32))), false)
    assert.deepEqual(await deadLetters(), [])
    assert.equal(await store.write(() => queue.end(task!, 'b')), true)
    assert.deepEqual(await claim('a', 1_000), [])
  })

  test('what failed is due when it was said; what was given back counts as no attempt', async (t) => {
    const { queue, store, claim } = await openTestQueue(t, engine, 1)
    const [task] = await claim('a', 1)
    await store.write(() => queue.retry(task!, 'a', at(5), 'No such host.'))
    assert.equal(await store.read(queue.dueSince(['greet'], at(4))), null)
    assert.deepEqual(await store.read(queue.dueSince(['greet'], at(9))), at(5))
    assert.deepEqual(recordsOf(await claim('a', 5)), [['user_0', 2]])
    await store.write(() => queue.release(task!, 'a', at(6)))
    assert.deepEqual(recordsOf(await claim('b', 6)), [['user_0', 2]])
  })

  test('a dead letter is never due, and forgotten when it is old', async (t) => {
    const { queue, store, claim, deadLetters } = await openTestQueue(t, engine, 2)
    const [first, second] = await claim('a', 1)
    await store.write(() => queue.deadLetter(first!, 'a', at(2), 'No such host.'))
    await store.write(() => queue.end(second!, 'a'))
    await store.write(() => queue.insertDeadLetter(second!, 'User', at(9), 'Called twice.'))
    assert.deepEqual(await claim('a', 1_000_000), [])
    const errors = async () => (await deadLetters()).map(({ recordId, error }) => [recordId, error])
    assert.deepEqual(await errors(), [
      ['user_1', 'Called twice.'],
      ['user_0', 'No such host.'],
    ])
    assert.equal(await store.write(() => queue.forgetDeadLetters(at(9), 10)), 1)
    assert.deepEqual(await errors(), [['user_1', 'Called twice.']])
  })
})
