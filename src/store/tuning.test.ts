// That each optimisation of a store is on unless said, and off where it is switched off. That the answers stay the same is
// what the specifications of stores and the oracle of GraphQL show.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createDatabase, postgresMissing } from '../../test/support/server/databases.ts'
import { clientGone } from '../budget/deadline.ts'
import { defaultLimits } from '../limits.ts'
import { openStore } from '../service/open/open-store.ts'
import { TableStatistics } from './postgres/statistics.ts'
import { insertOf } from './sql/text/batching.ts'
import { dialectOf } from './sql/text/dialect.ts'
import { bind, command, type Engine, type Program, query, type Store, type StoredRow } from './store.ts'
import { fullTuning, type Tuning } from './tuning.ts'

/** An empty table of things, behind a store with this optimisation, or without it. */
async function open(engine: Engine, name: keyof Tuning, isOn: boolean, t: TestContext): Promise<Store> {
  const database = await createDatabase(engine)
  const log = { warn: () => {}, error: () => {} }
  const limits = { ...defaultLimits, abandonedSweepMs: 20, readBlockingMs: 5_000 }
  const tuning = isOn ? {} : { tuning: { ...fullTuning, [name]: false } }
  const store = await openStore(database.url, { limits, log, ...tuning })
  t.after(async () => {
    await store.close()
    await database.drop()
  })
  await store.write(function* () {
    yield bind(command('create table thing (id text primary key)'))
  })
  return store
}

function* rows(sql: string): Program<readonly StoredRow[]> {
  return yield bind(query(sql))
}

async function transactionsOfTwoWrites(store: Store): Promise<number> {
  const insert = insertOf('insert into thing (id)', ['text'], dialectOf(store.engine))
  const { transactions } = store.counts
  const put = (id: string) =>
    store.write(
      function* (): Program<void> {
        yield bind(insert, id)
      },
      { shareable: true },
    )
  await Promise.all([put('a'), put('b')])
  return store.counts.transactions - transactions
}

async function statementsOfTwoReads(store: Store): Promise<number> {
  const select = query('select id from thing')
  const { statements } = store.counts
  function* list(): Program<readonly StoredRow[]> {
    return yield bind(select)
  }
  await Promise.all([store.read(list()), store.read(list())])
  return store.counts.statements - statements
}

/** Whether a read has its rows before the event loop's next turn. */
async function readsAtOnce(store: Store): Promise<boolean> {
  let isAnswered = false
  const before = turn().then(() => isAnswered)
  const read = store.read(rows('select 1')).then(() => {
    isAnswered = true
  })
  const result = await before
  await read
  return result
}

/** Whether a read whose client has gone waits for a statement that takes `ms`. */
async function waitsForServer(store: Store, ms: number): Promise<boolean> {
  // Connected before the time counts.
  await store.read(rows('select 1'))
  const start = performance.now()
  let isGone = false
  const deadline = { ended: () => (isGone ? clientGone : null), expired: () => null }
  const read = store.read(rows(`select pg_sleep(${ms / 1_000})`), deadline)
  await turn()
  await turn()
  isGone = true
  await assert.rejects(read, clientGone)
  return performance.now() - start >= ms
}

const cases: readonly {
  readonly engine: Engine
  readonly name: keyof Tuning
  readonly measure: (store: Store) => Promise<unknown>
  readonly on: unknown
  readonly off: unknown
}[] = [
  { engine: 'sqlite', name: 'readBatch', measure: readsAtOnce, on: false, off: true },
  { engine: 'sqlite', name: 'sharedCommit', measure: transactionsOfTwoWrites, on: 1, off: 2 },
  { engine: 'postgres', name: 'batching', measure: statementsOfTwoReads, on: 1, off: 2 },
  { engine: 'postgres', name: 'groupCommit', measure: transactionsOfTwoWrites, on: 1, off: 2 },
]

for (const { engine, name, measure, on, off } of cases) {
  const skip = engine === 'postgres' && postgresMissing
  test(`${engine}: ${name} is on, and can be switched off`, { skip, timeout: 20_000 }, async (t) => {
    assert.equal(await measure(await open(engine, name, true, t)), on)
    assert.equal(await measure(await open(engine, name, false, t)), off)
  })
}

test('postgres: cancellation is on, and can be switched off', { skip: postgresMissing }, async (t) => {
  assert.equal(await waitsForServer(await open('postgres', 'cancellation', true, t), 30_000), false)
  assert.equal(await waitsForServer(await open('postgres', 'cancellation', false, t), 500), true)
})

test('postgres: statistics is on, and can be switched off', { skip: postgresMissing }, async (t) => {
  const note = t.mock.method(TableStatistics.prototype, 'noteCommit')
  const notes = async (isOn: boolean): Promise<boolean> => {
    note.mock.resetCalls()
    await open('postgres', 'statistics', isOn, t)
    return note.mock.callCount() > 0
  }
  assert.equal(await notes(true), true)
  assert.equal(await notes(false), false)
})
