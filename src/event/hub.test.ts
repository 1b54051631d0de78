// What subscribers get when, while reading them fails, takes long, or cannot keep up. (contract 6.1.2, 6.2.8)

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { api } from '../../reference/service.ts'
import { createFixtures } from '../../test/support/rows/fixtures.ts'
import { SharedRoom } from '../budget/answer-room.ts'
import { Failure } from '../failure/failure.ts'
import { defaultLimits } from '../limits.ts'
import { createPlanCache } from '../read-plan/plan-cache.ts'
import { openStore } from '../service/open/open-store.ts'
import { compileService } from '../service/start/compile-service.ts'
import { migrate } from '../store/migration/migrate.ts'
import { desiredSchema } from '../store/sql/schema/schema.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import type { Program, Store } from '../store/store.ts'
import { Hub, type Listening, type Subscriber } from './hub.ts'
import { isBeyond, type OutboxEvent, type Position } from './outbox.ts'

const at = (number: number): Position => ({ transaction: 0n, number: BigInt(number) })

interface World {
  /** Lets `posts` happen once more, and hands it to the hub. */
  happen(): void
  /** What subscribers of `title` or `content` got: the events' numbers, or errors. `seen` is the last they know. */
  subscribe(field: 'title' | 'content', seen?: number): unknown[]
  readonly settled: () => Promise<void>
  /** How often the outbox was read again. */
  readonly rereads: () => number
  readonly store: Store
}

/** A hub over one post, and a database in which reading goes through `read`. */
async function makeWorld(
  t: TestContext,
  read: (store: Store, program: Program<unknown>) => Promise<unknown>,
  limits: Partial<typeof defaultLimits> = {},
  onReread: (count: number) => void = () => {},
): Promise<World> {
  const model = compileService(api)
  const store = await openStore('sqlite::memory:', { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
  t.after(() => store.close())
  const dialect = dialectOf(store.engine)
  await migrate(store, desiredSchema(model, dialect, []))
  const makeFixtures = createFixtures(model, store, 'no hash', () => new Date(0))
  const account = { name: 'Editor', role: 'EDITOR', email: 'editor@example.com' }
  const recordId = await makeFixtures(new Map(), { editor: { User: account } }).idOf('post')

  const happened: OutboxEvent[] = []
  let rereads = 0
  const hub = new Hub({
    model,
    store: {
      ...store,
      engine: store.engine,
      counts: store.counts,
      read: (program) => read(store, program as Program<unknown>) as never,
      ping: () => read(store, ping()).then(() => 'ok' as const),
    },
    dialect,
    plans: createPlanCache(model, dialect),
    log: { error: () => {} },
    clock: () => new Date(0),
    limits: { ...defaultLimits, eventPollMs: 1, ...limits },
    answers: new SharedRoom(defaultLimits.answersBytes),
    outbox: {
      after: async (position, limit) => {
        onReread(++rereads)
        return happened.filter((each) => isBeyond(each.position, position)).slice(0, limit)
      },
    },
  })
  const resource = model.byName.get('Post')!
  const rootOf = (field: string): Listening['root'] => ({
    kind: 'records',
    etag: false,
    scoped: true,
    of: { resource, hidden: 'omit', parts: [{ kind: 'field', key: field, field, nullable: false }] },
  })
  const roots = { title: rootOf('title'), content: rootOf('content') }
  return {
    store,
    settled: () => hub.settled(),
    rereads: () => rereads,
    happen() {
      const number = happened.length + 1
      const event = { id: `${number}`, name: 'postCreated', resource: 'Post', recordId, by: null, previous: null }
      happened.push({ ...event, at: new Date(0), position: at(number) })
      hub.deliver(happened.slice(-1))
    },
    subscribe(field, seen = happened.length) {
      const deliveries: unknown[] = []
      const subscriber: Subscriber = {
        actor: null,
        listenings: [{ event: 'postCreated', by: null, root: roots[field], lists: [] }],
        after: at(seen),
        deliver: ({ errors }, { id }) =>
          deliveries.push(errors.length === 0 ? Number(id) : errors.map(({ code }) => code)),
      }
      hub.add(subscriber)
      return deliveries
    },
  }
}

function* ping(): Program<void> {}
const unavailable = () => Promise.reject(new Failure('SERVICE_UNAVAILABLE'))
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

/** A database that loses those of its reads that `loses` names by their number, the first being that of the rule. */
async function deliveredOver(t: TestContext, loses: (number: number) => boolean): Promise<readonly unknown[]> {
  let reads = 0
  const world = await makeWorld(t, (store, program) => (loses(++reads) ? unavailable() : store.read(program)))
  const deliveries = world.subscribe('title')
  world.happen()
  await until(() => deliveries.length > 0)
  return deliveries
}

test('a database that is away keeps an event back, and no subscriber gets an error instead of it', async (t) => {
  for (const first of [1, 2]) {
    const lost = (number: number) => number >= first && number < first + 6
    assert.deepEqual(await deliveredOver(t, lost), [1])
  }
})
test('a connection that was lost is no reason to deliver an error', async (t) => {
  assert.deepEqual(await deliveredOver(t, (number) => number === 2), [1])
})
test('what cannot be read while the database answers is delivered as what it is', async (t) => {
  assert.deepEqual(await deliveredOver(t, (number) => number === 2 || number === 4), [['SERVICE_UNAVAILABLE']])
})

/** A database that answers nobody who asks for `content`, until it is released. */
async function withSlowContent(
  t: TestContext,
  limits: Partial<typeof defaultLimits> = {},
  onReread?: (count: number) => void,
) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const world = await makeWorld(
    t,
    async (store, program) => {
      const first = program.next([])
      if (first.done) return first.value
      const step = first.value as { readonly statement: { readonly sql: string } }
      if (step.statement.sql.includes('"content"')) await released
      return store.read(resumed(program, first.value as never))
    },
    limits,
    onReread,
  )
  return { world, release }
}
function* resumed(program: Program<unknown>, first: Parameters<Program<unknown>['next']>[0] & never): Program<unknown> {
  let step = program.next(yield first)
  while (!step.done) step = program.next(yield step.value)
  return step.value
}

test('a subscriber whose answers take long waits alone, and gets everything in order', async (t) => {
  const { world, release } = await withSlowContent(t)
  const [slow, quick] = [world.subscribe('content'), world.subscribe('title')]
  for (const _ of numbers(5)) world.happen()
  await until(() => quick.length === 5)
  assert.deepEqual([slow, quick], [[], numbers(5)])
  release()
  await until(() => slow.length === 5)
  assert.deepEqual(slow, numbers(5))
  assert.equal(world.rereads(), 0)
})

test('what is too much to wait is read again, and delivered once and in order', async (t) => {
  const { world, release } = await withSlowContent(t, { eventsWaiting: 3, eventBatch: 4 })
  const slow = world.subscribe('content')
  for (const _ of numbers(20)) world.happen()
  assert.equal(world.rereads(), 0)
  release()
  await until(() => slow.length >= 10)
  for (const _ of numbers(5)) world.happen()
  await world.settled()
  assert.deepEqual(slow, numbers(25))
  assert.ok(world.rereads() > 3, `${world.rereads()} times`)
})

test('an outbox that cannot be read again is tried later', async (t) => {
  const { world, release } = await withSlowContent(t, { eventsWaiting: 1 }, (count) => {
    if (count === 1) throw new TypeError('a bug')
    if (count === 2) throw new Failure('SERVICE_UNAVAILABLE')
  })
  const slow = world.subscribe('content')
  for (const _ of numbers(5)) world.happen()
  release()
  await until(() => slow.length === 5)
  assert.deepEqual(slow, numbers(5))
})

test('groups take turns where there are more than may be served at once', async (t) => {
  const { world, release } = await withSlowContent(t, { eventGroupsAtOnce: 1 })
  const [slow, quick] = [world.subscribe('content'), world.subscribe('title')]
  world.happen()
  for (let count = 0; count < 20; count++) await turn()
  assert.deepEqual([slow, quick], [[], []])
  release()
  await until(() => quick.length === 1)
  assert.deepEqual([slow, quick], [[1], [1]])
})

test('a later subscriber gets the events from then on', async (t) => {
  const { world, release } = await withSlowContent(t)
  const first = world.subscribe('content')
  world.happen()
  const second = world.subscribe('content')
  world.happen()
  release()
  await until(() => second.length > 0 && first.length === 2)
  assert.deepEqual([first, second], [[1, 2], [2]])
})

test('a caller who has seen more, elsewhere, keeps nothing from those who have not', async (t) => {
  const world = await makeWorld(t, (store, program) => store.read(program))
  const ahead = world.subscribe('title', 2)
  const others = world.subscribe('title')
  for (const count of numbers(3)) {
    world.happen()
    await until(() => others.length === count)
  }
  assert.deepEqual([ahead, others], [[3], [1, 2, 3]])
})

test('equal subscribers share one look at the rule and one answer', async (t) => {
  const world = await makeWorld(t, (store, program) => store.read(program), { eventTestMs: 600_000 })
  const deliveries = Array.from({ length: 1_000 }, () => world.subscribe('title'))
  const other = world.subscribe('content')
  const before = world.store.counts.statements
  world.happen()
  await world.settled()
  assert.deepEqual([other, ...new Set(deliveries.flat())], [[1], 1])
  // One for the rule, and one for each of the two questions.
  assert.equal(world.store.counts.statements - before, 3)
})
