// Statements that may take long: on a thread where there is a file, and where they are asked otherwise.

import assert from 'node:assert/strict'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { outOfTime, questionTooSlow } from '../../budget/deadline.ts'
import { defaultLimits, type Limits } from '../../limits.ts'
import { silentLog } from '../../observation/log.ts'
import { bind, command, type Program, query, type ScanSize, type Store, type StoreLog, type Value } from '../store.ts'
import { openSqlite } from './store.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'duet-test-'))
})
after(() => rm(folder, { recursive: true }))

const numbers = 'with recursive c(n) as (select 1 union all select n + 1 from c where n < 3000) select n from c'

async function open(
  t: TestContext,
  path: string | null,
  limits: Partial<Limits> = {},
  log: StoreLog = silentLog,
): Promise<Store> {
  const store = openSqlite({ path, limits: { ...defaultLimits, ...limits }, log })
  t.after(() => store.close())
  await store.write(function* () {
    yield bind(command('create table if not exists numbers (n integer primary key)'))
    yield bind(command(`insert or ignore into numbers ${numbers}`))
  })
  return store
}

const asking = (sql: string, scanSize: ScanSize) => ({ ...query(sql), scanSize })
const endless = 'select count(*) from numbers a, numbers b, numbers c where duet_watch(a.n + b.n + c.n) is null'
const brief = 'select n from numbers where duet_watch(rowid) and n < ? order by n'

function* ask(sql: string, scanSize: ScanSize, ...values: readonly Value[]): Program<unknown> {
  const first = yield bind(asking(sql, scanSize), ...values)
  const second = yield bind(query('select 2'))
  return [...first, ...second]
}

for (const scanSize of ['walk', 'matches'] as const) {
  test(`a program goes on after a statement that scans ${scanSize}`, async (t) => {
    const store = await open(t, join(folder, scanSize))
    assert.deepEqual(await store.read(ask(brief, scanSize, 3)), [[1], [2], [2]])
    assert.equal(store.counts.statements, 4)
  })

  test(`a statement that scans ${scanSize} ends, and others are read meanwhile`, async (t) => {
    const store = await open(t, join(folder, scanSize), { whereTimeoutMs: 1_000 })
    let hasEnded = false
    const slow = store.read(ask(endless, scanSize)).catch((error: unknown) => {
      hasEnded = true
      return error
    })
    assert.deepEqual(await store.read(ask('select 1', 'page')), [[1], [2]])
    assert.equal(hasEnded, false, 'nobody waited')
    assert.equal(await slow, outOfTime)
    assert.deepEqual(await store.read(ask(brief, scanSize, 2)), [[1], [2]])
  })
}

test('what fails on the thread fails as anywhere else', async (t) => {
  const store = await open(t, join(folder, 'failing'))
  await assert.rejects(store.read(ask('select n from nowhere', 'walk')), /no such table: nowhere/)
  assert.deepEqual(await store.read(ask(brief, 'walk', 2)), [[1], [2]])
})

test('a store that closes waits for the thread', async () => {
  const store = openSqlite({
    path: join(folder, 'walk'),
    limits: { ...defaultLimits, whereTimeoutMs: 100 },
    log: silentLog,
  })
  const slow = store.read(ask(endless, 'walk')).catch((error: unknown) => error)
  await store.close()
  assert.equal(await slow, outOfTime)
})

test('12.1.13 in memory a statement ends after its own time', async (t) => {
  const store = await open(t, null, { whereBlockingMs: 50 })
  await assert.rejects(store.read(ask(endless, 'walk')), (error) => error === questionTooSlow)
  assert.deepEqual(await store.read(ask(brief, 'walk', 2)), [[1], [2]])
})

test('in a transaction a statement ends after its own time', async (t) => {
  const store = await open(t, join(folder, 'written'), { whereBlockingMs: 50 })
  await assert.rejects(
    store.write(() => ask(endless, 'walk')),
    (error) => error === questionTooSlow,
  )
})

test('without a second thread, a statement runs on this one', async (t) => {
  const path = join(folder, 'moved')
  const warnings: string[] = []
  const log = { ...silentLog, warn: (sentence: string) => void warnings.push(sentence) }
  const store = await open(t, path, { whereBlockingMs: 50 }, log)
  // The connections that are open see the file still; the thread would open another.
  await rename(path, join(folder, 'elsewhere'))
  assert.deepEqual(await store.read(ask(brief, 'walk', 2)), [[1], [2]])
  await assert.rejects(store.read(ask(endless, 'matches')), (error) => error === questionTooSlow)
  assert.equal(warnings.length, 1)
  assert.match(warnings[0]!, /no second thread/)
})
