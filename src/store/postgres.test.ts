// What only the PostgreSQL adapter must do: run again after a lost race, outlive lost connections, share them for reads.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import { createDatabase, postgresMissing, type TestDatabase } from '../../test/support/databases.ts'
import { Failure } from '../failure/failure.ts'
import { defaultLimits, type Limits } from '../limits.ts'
import { openPostgres } from './postgres.ts'
import {
  type Bound,
  bind,
  command,
  type Program,
  query,
  type Run,
  type Store,
  type StoredRow,
  type Value,
} from './store.ts'

const killAll =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
const isUnavailable = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE' && error.retryAfterSeconds === 1

suite('postgres', { skip: postgresMissing }, () => {
  const insert = command('insert into thing (id) values ($1)')
  const raise = command('update thing set level = level + 1 where id = $1')
  let database: TestDatabase
  let store: Store
  const warnings: string[] = []
  const opened: Store[] = []

  function open(limits: Partial<Limits> = {}, url = database.url): Store {
    const log = { warn: (sentence: string) => warnings.push(sentence) }
    const made = openPostgres({ url, limits: { ...defaultLimits, ...limits }, log })
    opened.push(made)
    return made
  }
  function withOptions(options: string): string {
    const url = new URL(database.url)
    url.searchParams.set('options', options)
    return url.href
  }
  function* rows(sql: string, ...values: Value[]): Program<readonly StoredRow[]> {
    return yield bind(query(sql), ...values)
  }
  const read = (sql: string, from = store): Promise<readonly StoredRow[]> => from.read(rows(sql))
  const write = (sql: string): Promise<unknown> => store.write(() => rows(sql))
  const levels = async (): Promise<unknown> => read('select id, level from thing order by id')
  /** A statement that fails with this SQLSTATE. */
  const failWith = (state: string) => rows(`select fail('${state}')`)

  before(async () => {
    database = await createDatabase('postgres')
    store = open()
    await write('create table thing (id text primary key, level integer not null default 0)')
    await write(
      `create function fail(state text) returns void language plpgsql as $$ begin
        raise exception 'as asked' using errcode = state;
      end $$`,
    )
    await store.close()
  })
  beforeEach(async () => {
    store = open()
    warnings.length = 0
    await write('delete from thing')
    await write(`insert into thing values ('a'), ('b')`)
  })
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())))

  test('a database that takes no connections for now is one that is away, not a bug', async () => {
    // 55000 is how PostgreSQL says so.
    await assert.rejects(store.read(failWith('55000')), isUnavailable)
  })
  after(() => database.drop())

  for (const state of ['40001', '40P01']) {
    test(`runs a write again from the start after ${state}`, async () => {
      let attempts = 0
      const racing = function* (): Program<number> {
        attempts++
        yield bind(raise, 'a')
        if (attempts < 3) yield* failWith(state)
        return attempts
      }
      assert.equal(await store.write(racing), 3)
      assert.deepEqual(await levels(), [
        ['a', 1],
        ['b', 0],
      ])
    })
  }

  test('runs a write again whose pause lost the race, whatever its work made of that', async () => {
    let attempts = 0
    const racing = function* (): Program<void> {
      attempts++
      yield bind(raise, 'a')
      yield {
        pause: async (run: Run) => {
          if (attempts < 2) {
            await run(failWith('40001')).catch(() => {
              throw new Failure('BUSINESS_RULE_VIOLATION')
            })
          }
        },
      }
    }
    await store.write(racing, { alone: true })
    assert.deepEqual(await levels(), [
      ['a', 1],
      ['b', 0],
    ])
  })

  test('gives up after as many attempts as the limit says', async () => {
    let attempts = 0
    let closed = 0
    const racing = function* (): Program<void> {
      attempts++
      try {
        yield* failWith('40001')
      } finally {
        closed++
      }
    }
    await assert.rejects(store.write(racing), isUnavailable)
    assert.deepEqual([attempts, closed], [3, 3])
  })

  test('resolves a deadlock of two writes, and both are done', async () => {
    const quick = open({}, withOptions('-c deadlock_timeout=50ms'))
    const met = Promise.withResolvers<void>()
    let waiting = 0
    const crossing = (one: string, other: string) =>
      function* (): Program<void> {
        yield bind(raise, one)
        yield {
          pause: async () => {
            if (++waiting === 2) met.resolve()
            await met.promise
          },
        }
        yield bind(raise, other)
      }
    await Promise.all([
      quick.write(crossing('a', 'b'), { alone: true }),
      quick.write(crossing('b', 'a'), { alone: true }),
    ])
    assert.deepEqual(await levels(), [
      ['a', 2],
      ['b', 2],
    ])
  })

  test('fails the writes of lost connections, reads again, and finds back by itself', async () => {
    await Promise.all(Array.from({ length: 8 }, () => read('select 1')))
    const administrator = open()
    const killed = Promise.all([
      read('select pg_sleep(0.2)'),
      assert.rejects(write('select pg_sleep(10)'), isUnavailable),
      assert.rejects(
        store.write(
          function* () {
            yield bind(raise, 'a')
            yield {
              pause: async (run) => {
                await read(killAll, administrator)
                await run(rows('select 1'))
              },
            }
          },
          { alone: true },
        ),
        isUnavailable,
      ),
    ])
    await killed
    await store.ping()
    assert.deepEqual(await levels(), [
      ['a', 0],
      ['b', 0],
    ])
    await store.write(() => rows(`update thing set level = 5 where id = 'a'`))
    assert.deepEqual(await levels(), [
      ['a', 5],
      ['b', 0],
    ])
    assert.ok(warnings.some((each) => each.startsWith('A connection to PostgreSQL was lost')))
  })

  test('notices by itself that idle connections were lost, before or after they are used again', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 ? read('select 1') : write('select 1'))))
    const administrator = new pg.Client(database.url)
    await administrator.connect()
    const killing = administrator.query(killAll)
    // Some of these are sent on connections whose end is not known yet.
    while ((await Promise.race([killing, turn('turn')])) === 'turn') {
      await Promise.all([read('select 1'), write('select 1')]).catch((error) => assert.ok(isUnavailable(error)))
    }
    await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 ? read('select 1') : write('select 1'))))
    await administrator.end()
  })

  test('tries again on another connection what was sent on one that was lost unnoticed', async () => {
    const proxy = await startProxy(new URL(database.url))
    const url = Object.assign(new URL(database.url), { host: `127.0.0.1:${proxy.port}` })
    const behind = open({ poolSize: 2 }, url.href)
    await behind.read(rows('select 1'))
    await behind.write(() => rows('select 1'))
    proxy.loseAll()
    assert.deepEqual(await behind.read(rows('select 2')), [[2]])
    let attempts = 0
    await behind.write(function* () {
      attempts++
      yield bind(raise, 'a')
    })
    assert.equal(attempts, 2)
    assert.deepEqual(await levels(), [
      ['a', 1],
      ['b', 0],
    ])
    await behind.close()
    proxy.close()
  })

  test('ends a statement that takes too long, and leaves the reads that share its connection alone', async () => {
    const hasty = open({ statementTimeoutMs: 100, poolSize: 2 })
    const slow = assert.rejects(read('select pg_sleep(5)', hasty), isUnavailable)
    const others = await Promise.all(Array.from({ length: 20 }, (_, at) => read(`select ${at}`, hasty)))
    assert.deepEqual(others.flat(2), [...others.keys()])
    await slow
    await assert.rejects(
      hasty.write(() => rows('select pg_sleep(5)')),
      isUnavailable,
    )
  })

  test('answers reads that share a connection each with its own rows or error', async () => {
    const narrow = open({ poolSize: 2 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, at) => read(at % 3 === 0 ? `select 1 / 0 as a${at}` : `select ${at}`, narrow)),
    )
    for (const [at, outcome] of outcomes.entries()) {
      if (at % 3 === 0) assert.match(String(outcome.status === 'rejected' && outcome.reason), /division by zero/)
      else assert.deepEqual(outcome, { status: 'fulfilled', value: [[at]] })
    }
  })

  test('lets go of its locks when a paused write is given up amid a statement', { timeout: 10_000 }, async () => {
    const impatient = open({ effectTimeoutMs: 50, statementTimeoutMs: 60_000 })
    const stuck = impatient.write(
      function* () {
        yield bind(raise, 'a')
        yield { pause: (run) => run(rows('select pg_sleep(60)')).then(() => undefined) }
      },
      { alone: true },
    )
    await assert.rejects(stuck, isUnavailable)
    await store.write(() => rows(`update thing set level = 7 where id = 'a'`))
    assert.deepEqual(await levels(), [
      ['a', 7],
      ['b', 0],
    ])
  })

  test('takes no more time limits from the server when it is patient', async () => {
    const hasty = open({ statementTimeoutMs: 50 })
    await hasty.write(() => rows('select pg_sleep(0.2)'), { patient: true })
    await assert.rejects(
      hasty.write(() => rows('select pg_sleep(0.2)')),
      isUnavailable,
    )
  })

  test('uses a new connection once the old one holds too many prepared statements', async () => {
    const thrifty = open({ preparedStatements: 5, poolSize: 2 })
    const held = 'select count(*) from pg_prepared_statements'
    for (let at = 0; at < 30; at++) {
      await read(`select ${at}, 'read'`, thrifty)
      await thrifty.write(() => rows(`select ${at}, 'write'`))
    }
    assert.ok(Number((await read(held, thrifty))[0]![0]) <= 7)
    assert.ok(Number((await thrifty.write(() => rows(held)))[0]![0]) <= 7)
    await thrifty.close()
    const [[left]] = (await read(
      `select count(*) from pg_stat_activity where datname = current_database() and application_name = 'duet' and pid <> pg_backend_pid()`,
    )) as [[number]]
    assert.ok(left <= 10)
  })

  test('prepares a statement once for each connection', async () => {
    const narrow = open({ poolSize: 2 })
    const again = query('select $1::integer')
    const ask = (value: number) =>
      narrow.read(
        (function* (): Program<readonly StoredRow[]> {
          return yield bind(again, value)
        })(),
      )
    await Promise.all(Array.from({ length: 10 }, (_, at) => ask(at)))
    const prepared = await read(
      `select name from pg_prepared_statements where statement = 'select $1::integer'`,
      narrow,
    )
    assert.equal(prepared.length, 1)
  })

  test('speaks of time in UTC, whatever the URL asks for', async () => {
    const abroad = open({}, withOptions('-c timezone=Asia/Tokyo -c search_path=elsewhere,public'))
    const asked = `select timestamptz '2026-11-20 09:30:00.5+01', current_setting('search_path')`
    assert.deepEqual(await read(asked, abroad), [['2026-11-20 08:30:00.5+00', 'elsewhere,public']])
    assert.deepEqual(await abroad.write(() => rows(asked)), [['2026-11-20 08:30:00.5+00', 'elsewhere,public']])
  })

  test('reads numbers and truth as such, and everything else as text', async () => {
    const [row] = await read(
      `select 1::smallint, 2::integer, 3::bigint, 1.5::float8, true, '{"a": 1}'::jsonb, count(*), null, 'x'::bytea from thing`,
    )
    assert.deepEqual(row!.slice(0, -1), [1, 2, 3, 1.5, true, '{"a": 1}', 2, null])
    assert.deepEqual(Buffer.from(row!.at(-1) as Uint8Array), Buffer.from('x'))
  })

  test('needs no connection for a program that asks nothing', async () => {
    const nowhere = open({}, 'postgres://postgres@127.0.0.1:1/nothing')
    const idle = function* (): Program<number> {
      for (const each of [] as Bound[]) yield each
      return 1
    }
    assert.equal(await nowhere.write(idle), 1)
    assert.equal(await nowhere.read(idle()), 1)
    await assert.rejects(nowhere.ping(), isUnavailable)
    await assert.rejects(
      nowhere.write(() => rows('select 1')),
      isUnavailable,
    )
  })

  test('does not wait long for a server that never speaks', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const waiting = open({ connectTimeoutMs: 50 }, `postgres://postgres@127.0.0.1:${port}/nothing`)
    await assert.rejects(waiting.ping(), isUnavailable)
    await assert.rejects(
      waiting.write(() => rows('select 1')),
      isUnavailable,
    )
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  test('waits for a connection no longer than for a new one', async () => {
    const single = open({ poolSize: 1, connectTimeoutMs: 50 })
    const free = Promise.withResolvers<void>()
    const holding = single.write(
      function* () {
        yield bind(insert, 'c')
        yield { pause: () => free.promise }
      },
      { alone: true },
    )
    await assert.rejects(
      single.write(() => rows('select 1')),
      isUnavailable,
    )
    free.resolve()
    await holding
  })

  test('gives back a connection that came too late for a write', async () => {
    const single = open({ poolSize: 1, effectTimeoutMs: 50 })
    const free = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const holding = open({ poolSize: 1 }).write(
      function* () {
        yield bind(raise, 'a')
        yield {
          pause: () => {
            held.resolve()
            return free.promise
          },
        }
      },
      { alone: true },
    )
    await held.promise
    // Takes the only connection of `single`, and waits there for the lock.
    const waiting = single.write(() => rows(`update thing set level = 9 where id = 'a'`))
    const late = single.write(
      function* () {
        yield { pause: (run) => run(rows('select 1')).then(() => undefined) }
      },
      { alone: true },
    )
    await assert.rejects(late, isUnavailable)
    free.resolve()
    await Promise.all([holding, waiting])
    await single.write(() => rows('select 1'))
  })

  test('runs nothing twice: a statement that begins a transaction with a write waits for BEGIN', async () => {
    const before = { ...store.counts }
    await store.write(function* () {
      yield bind(insert, 'c')
      yield* rows('select 1')
    })
    await store.write(function* () {
      yield* rows(`select id from thing where id = 'c' for update`)
      yield bind(raise, 'c')
    })
    assert.deepEqual(await levels(), [
      ['a', 0],
      ['b', 0],
      ['c', 1],
    ])
    assert.equal(store.counts.transactions - before.transactions, 2)
    const open = await read(
      `select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
    )
    assert.deepEqual(open, [[0]])
  })
})

/** Stands between a store and PostgreSQL. A connection that it loses ends when something is next sent on it. */
async function startProxy(to: URL): Promise<{ readonly port: number; loseAll(): void; close(): void }> {
  const lost = new Set<Socket>()
  const all = new Set<Socket>()
  const server = createServer((socket) => {
    all.add(socket)
    const onward = connect(Number(to.port), to.hostname)
    socket.on('data', (bytes) => (lost.has(socket) ? socket.destroy() : onward.write(bytes)))
    onward.on('data', (bytes) => socket.write(bytes))
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    loseAll: () => {
      for (const socket of all) lost.add(socket)
    },
    close: () => server.close(),
  }
}
