// What only the SQLite adapter must do: share commits, keep other processes from stopping it, and be durable.

import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, type TestContext, test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import { Failure } from '../../failure/failure.ts'
import { defaultLimits, type Limits } from '../../limits.ts'
import { bind, command, type Program, query, type Store, type StoredRow, UniqueViolation } from '../store.ts'
import { openSqlite } from './store.ts'

const insert = command('insert into thing (id) values (?1)')
const select = query('select id from thing order by id')
const isUnavailable = (error: unknown): boolean => error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE'

let folder: string
let path: string
const opened: Store[] = []

function open(file: string | null, limits: Partial<Limits> = {}): Store {
  const store = openSqlite({
    path: file,
    limits: { ...defaultLimits, ...limits },
    log: { warn: () => {}, error: () => {} },
  })
  opened.push(store)
  return store
}
const run = (store: Store, sql: string): Promise<readonly StoredRow[]> =>
  store.write(function* (): Program<readonly StoredRow[]> {
    return yield bind(query(sql))
  })
function* put(id: string): Program<void> {
  yield bind(insert, id)
}
function* list(): Program<unknown[]> {
  return (yield bind(select)).map(([id]) => id)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'duet-sqlite-'))
  path = join(folder, 'test.db')
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
  rmSync(folder, { recursive: true })
})

async function withThings(file: string | null, limits: Partial<Limits> = {}): Promise<Store> {
  const store = open(file, limits)
  await run(store, 'create table thing (id text primary key) strict')
  return store
}

test('commits what arrives in one turn together, up to a limit', async () => {
  const store = await withThings(path, { writesPerCommit: 8 })
  const before = store.counts.transactions
  await Promise.all(Array.from({ length: 20 }, (_, at) => store.write(() => put(`${at}`))))
  assert.equal(store.counts.transactions - before, 3)
  await store.write(() => put('a'))
  await store.write(() => put('b'))
  assert.equal(store.counts.transactions - before, 5)
})

test('answers no write before the commit', async () => {
  const store = await withThings(path)
  const other = new Sqlite(path, { readonly: true })
  try {
    const count = other.prepare('select count(*) from thing').pluck()
    const counts = await Promise.all(
      Array.from({ length: 5 }, (_, at) => store.write(() => put(`${at}`)).then(() => count.get())),
    )
    assert.deepEqual(counts, [5, 5, 5, 5, 5])
  } finally {
    other.close()
  }
})

test('keeps an exclusive write out of the commits of others', async () => {
  const store = await withThings(path)
  const before = store.counts.transactions
  const order: string[] = []
  const alone = function* (): Program<void> {
    order.push('alone begins')
    yield* put('alone')
    yield { run: () => turn() }
    order.push('alone ends')
  }
  const plain = (id: string) =>
    function* (): Program<void> {
      order.push(id)
      yield* put(id)
    }
  const writes = [store.write(plain('a')), store.write(plain('b')), store.write(alone, { exclusive: true })]
  await Promise.all([...writes, store.write(plain('c')), store.write(plain('d'))])
  assert.deepEqual(order, ['a', 'b', 'alone begins', 'alone ends', 'c', 'd'])
  assert.equal(store.counts.transactions - before, 3)
})

test('rejects every write when the commit itself fails', async () => {
  const store = await withThings(path)
  await run(store, 'create table part (thing text references thing (id) deferrable initially deferred)')
  const outcomes = await Promise.allSettled([
    store.write(() => put('a')),
    run(store, `insert into part values ('missing') returning 1`),
    store.write(() => put('c')),
  ])
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && isUnavailable(outcome.reason))
  await store.write(() => put('d'))
  assert.deepEqual(await store.read(list()), ['d'])
})

test('reports that it cannot when the disk is full, and goes on when there is room again', async () => {
  const store = await withThings(path)
  const [[pages]] = (await run(store, 'pragma page_count')) as [[number]]
  await run(store, `pragma max_page_count = ${pages}`)
  const fill = store.write(function* () {
    for (let at = 0; at < 2_000; at++) yield* put(`${'x'.repeat(100)}${at}`)
  })
  const outcomes = await Promise.allSettled([store.write(() => put('a')), fill])
  assert.ok(outcomes[1].status === 'rejected' && isUnavailable(outcomes[1].reason))
  await run(store, 'pragma max_page_count = 100000')
  await store.write(() => put('b'))
  // Whatever was answered is there, and nothing else.
  assert.deepEqual(await store.read(list()), outcomes[0].status === 'fulfilled' ? ['a', 'b'] : ['b'])
})

test('reports a disk that takes no writes for as long as it takes none', async (t) => {
  const messages: string[] = []
  const store = openSqlite({
    path,
    limits: defaultLimits,
    log: { warn: (sentence) => messages.push(sentence), error: assert.fail },
  })
  opened.push(store)
  await run(store, 'create table thing (id text primary key) strict')
  assert.equal(await store.ping(), 'ok')
  const fault = breakStatement(t, 'commit')
  for (let tried = 0; tried < 2; tried++) {
    await assert.rejects(
      store.write(() => put('a')),
      isUnavailable,
    )
    assert.equal(await store.ping(), 'read-only')
  }
  assert.deepEqual(await store.read(list()), [])
  fault.mend()
  // Nobody has written meanwhile.
  assert.equal(await store.ping(), 'ok')
  assert.deepEqual(messages, ['The database takes no writes: disk I/O error', 'The database takes writes again.'])
})

for (const broken of ['rollback', 'rollback to program']) {
  test(`survives a \`${broken}\` that fails, and commits nothing of what was to be undone`, async (t) => {
    const store = await withThings(path)
    await store.write(() => put('a'))
    const fault = breakStatement(t, broken)
    const twice = function* (): Program<void> {
      yield* put('b')
      yield* put('a')
    }
    const alone = broken === 'rollback'
    const [failed, other] = await Promise.allSettled([
      store.write(twice, { exclusive: alone }),
      store.write(() => put('c')),
    ])
    assert.equal(failed.status, 'rejected')
    assert(fault.count > 0, 'it was tried')
    // Only what shares a transaction with the failure shares its fate.
    assert.equal(other.status, alone ? 'fulfilled' : 'rejected')
    fault.mend()
    await store.write(() => put('d'))
    assert.deepEqual(await store.read(list()), alone ? ['a', 'c', 'd'] : ['a', 'd'])
  })
}

/** Makes SQLite fail at this statement of the connection that writes, as a broken disk would, until it is mended. */
function breakStatement(t: TestContext, sql: string): { readonly count: number; mend(): void } {
  let count = 0
  const prototype = Object.getPrototypeOf(new Sqlite(':memory:').prepare(sql === 'rollback' ? sql : 'select 1'))
  const { run: original } = prototype
  const mocked = t.mock.method(prototype, 'run', function (this: Sqlite.Statement, ...values: unknown[]) {
    if (this.source !== sql || this.database.readonly) return original.apply(this, values)
    count++
    throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR')
  })
  return {
    get count() {
      return count
    },
    mend: () => mocked.mock.restore(),
  }
}

test('waits for another process that writes, without standing still', async () => {
  const store = await withThings(path)
  const other = new Sqlite(path)
  other.exec('begin immediate')
  const write = store.write(() => put('a'))
  // Standing still, the write would fail before the event loop goes on.
  for (let turns = 0; turns < 20; turns++) {
    await turn()
    assert.deepEqual(await store.read(list()), [])
  }
  other.exec('commit')
  other.close()
  await write
  assert.deepEqual(await store.read(list()), ['a'])
})

test('gives up when another process writes for too long', async () => {
  const store = await withThings(path, { statementTimeoutMs: 30 })
  const other = new Sqlite(path)
  other.exec('begin immediate')
  await assert.rejects(
    store.write(() => put('a')),
    isUnavailable,
  )
  let settled = false
  const patient = store
    .write(() => put('b'), { withoutTimeout: true })
    .finally(() => {
      settled = true
    })
  for (let at = 0; at < 5; at++) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(settled, false)
  other.exec('rollback')
  other.close()
  await patient
  assert.deepEqual(await store.read(list()), ['b'])
})

test('keeps reads of a database in memory from what is not committed', async () => {
  const store = await withThings(null)
  const { promise: paused, resolve: tellPaused } = Promise.withResolvers<void>()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const failing = store.write(
    function* () {
      yield* put('a')
      yield {
        run: async () => {
          tellPaused()
          await mayEnd
        },
      }
      throw new Failure('CONFLICT')
    },
    { exclusive: true },
  )
  await paused
  const read = store.read(list())
  end()
  await assert.rejects(failing, { code: 'CONFLICT' })
  assert.deepEqual(await read, [])
})

test('flushes each commit, checks references, and keeps the file to its owner', async () => {
  const store = await withThings(path)
  assert.deepEqual(await run(store, 'pragma synchronous'), [[2]])
  assert.deepEqual(await run(store, 'pragma journal_mode'), [['wal']])
  assert.deepEqual(await run(store, 'pragma foreign_keys'), [[1]])
  for (const file of [path, `${path}-wal`]) assert.equal(statSync(file).mode & 0o777, 0o600)
  await store.close()
  assert.equal(existsSync(`${path}-wal`), false)
})

test('carries the log over into the database, also under statements that write and answer rows', async () => {
  const store = await withThings(path)
  const returning = query('insert into thing (id) values (?1) returning id')
  for (let at = 0; at < 300; at++) {
    await store.write(function* () {
      yield bind(returning, `${at} ${'x'.repeat(20_000)}`)
    })
  }
  // Each commit writes 40 KB, in the table and in its index: unchecked, the log would hold 12 MB.
  assert.ok(statSync(`${path}-wal`).size < 8_000_000)
})

test('has everything in the file itself once there are no more writes', async () => {
  const store = await withThings(path, { checkpointIdleMs: 20 })
  await store.write(() => put('a'))
  const copy = join(folder, 'copy.db')
  const there = () => {
    copyFileSync(path, copy)
    const database = new Sqlite(copy)
    try {
      return database.prepare('select id from thing').pluck().all()
    } catch {
      return null
    } finally {
      database.close()
    }
  }
  while (!isDeepStrictEqual(there(), ['a'])) await sleep(10)
})

test('lets a read that meets an error of the disk fail alone, and reports it until it can be read', async () => {
  const messages: string[] = []
  const log = {
    warn: (sentence: string) => messages.push(sentence),
    error: (sentence: string) => messages.push(sentence),
  }
  const store = openSqlite({ path, limits: { ...defaultLimits, checkpointIdleMs: 3_600_000 }, log })
  opened.push(store)
  await run(store, 'create table thing (id text primary key) strict')
  await run(store, 'create table other (id text primary key) strict')
  for (let at = 0; at < 50; at++) await store.write(() => put(`${at} ${'x'.repeat(2_000)}`))
  const count = (table: string) => store.read(countOf(table))
  // From here on SQLite has it in memory.
  await count('other')
  const bytes = readFileSync(`${path}-wal`)
  // The index of the log still names what is not there any more.
  truncateSync(`${path}-wal`, 40_000)
  const [first, second, third] = await Promise.allSettled([count('other'), count('thing'), count('other')])
  assert.deepEqual(
    [first, third].map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  )
  assert(second.status === 'rejected' && isUnavailable(second.reason))
  assert.equal(await store.ping(), 'damaged')
  assert.deepEqual(messages, [`A part of ${path} cannot be read: disk I/O error (SQLITE_IOERR_SHORT_READ)`])
  writeFileSync(`${path}-wal`, bytes)
  assert.equal(await store.ping(), 'ok')
  assert.deepEqual(await count('thing'), 50)
})
function* countOf(table: string): Program<unknown> {
  const [[count]] = (yield bind(query(`select count(*) from ${table} where length(id) > 0`))) as [[number]]
  return count
}

test('names the columns of an index over several', async () => {
  const store = await withThings(path)
  await run(store, 'create table pair (one text, other text)')
  await run(store, 'create unique index pair_one_other_key on pair (one, other)')
  await run(store, `insert into pair values ('a', 'b')`)
  await assert.rejects(
    run(store, `insert into pair values ('a', 'b')`),
    (error) => error instanceof UniqueViolation && error.index === 'pair_one_other_key',
  )
})
