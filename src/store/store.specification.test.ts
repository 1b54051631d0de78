// What every store promises, whichever database is behind it.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createDatabase, forEachEngine, type TestDatabase } from '../../test/support/databases.ts'
import { Failure } from '../failure/failure.ts'
import { defaultLimits, type Limits } from '../limits.ts'
import { openStore } from './open.ts'
import { dialectOf } from './sql/dialect.ts'
import {
  bind,
  command,
  type Program,
  query,
  ReferenceViolation,
  type Run,
  type Store,
  type StoredRow,
  UniqueViolation,
  type Value,
} from './store.ts'

const quiet = { warn: () => undefined }
const isUnavailable = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE' && error.retryAfterSeconds === 1

forEachEngine((engine) => {
  const dialect = dialectOf(engine)
  const [first, second] = [dialect.parameter(1), dialect.parameter(2)]
  const insert = command(`insert into thing (id, name) values (${first}, ${second})`)
  const select = query(`select id, name from thing order by id`)
  const broken = query('select id from nowhere')

  let database: TestDatabase
  let store: Store
  const opened: Store[] = []
  const open = async (limits: Partial<Limits> = {}): Promise<Store> => {
    const made = await openStore(database.url, { limits: { ...defaultLimits, ...limits }, log: quiet })
    opened.push(made)
    return made
  }

  before(async () => {
    database = await createDatabase(engine)
    const first = await open()
    await first.write(function* () {
      const { text, integer, boolean, timestamp, json } = dialect.columnTypes
      yield bind(
        command(`create table thing (id ${text} primary key, name ${text}, other ${text} references thing (id))`),
      )
      yield bind(command('create unique index thing_name_key on thing (name)'))
      yield bind(command(`create table number (value ${integer} primary key)`))
      yield bind(command(`create table kind (t ${text}, i ${integer}, b ${boolean}, m ${timestamp}, j ${json})`))
    })
    await first.close()
  })
  beforeEach(async () => {
    store = await open()
    await store.write(function* () {
      for (const table of ['thing', 'number', 'kind']) yield bind(command(`delete from ${table}`))
    })
  })
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())))
  after(() => database.drop())

  function* put(id: string, name: string | null = null): Program<string> {
    yield bind(insert, id, name)
    return id
  }
  function* list(): Program<readonly StoredRow[]> {
    return yield bind(select)
  }
  const rowsOf = (sql: string, ...values: Value[]): Promise<readonly StoredRow[]> => {
    const statement = query(sql)
    return store.read(
      (function* (): Program<readonly StoredRow[]> {
        return yield bind(statement, ...values)
      })(),
    )
  }
  const ids = async (from = store): Promise<unknown[]> => (await from.read(list())).map(([id]) => id)
  const pausing = (work: (run: Run) => Promise<void>) =>
    function* (): Program<void> {
      yield { pause: work }
    }

  test('shows a read every write that was answered before it', async () => {
    for (let number = 0; number < 30; number++) {
      const id = `thing_${String(number).padStart(2, '0')}`
      assert.equal(await store.write(() => put(id)), id)
      assert.equal((await ids()).at(-1), id)
    }
  })

  test('answers a program with what it returns, and each statement with its rows', async () => {
    const rows = await store.write(function* () {
      const none = yield bind(insert, 'a', 'A')
      yield bind(insert, 'b', null)
      return [none, yield bind(select)]
    })
    assert.deepEqual(rows, [
      [],
      [
        ['a', 'A'],
        ['b', null],
      ],
    ])
  })

  test('undoes a program that fails, and none of those beside it', async () => {
    const outcomes = await Promise.allSettled([
      store.write(() => put('a')),
      store.write(function* () {
        yield* put('b')
        throw new Failure('BUSINESS_RULE_VIOLATION')
      }),
      store.write(() => put('c')),
    ])
    assert.deepEqual(
      outcomes.map((each) => each.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal((outcomes[1] as PromiseRejectedResult).reason.code, 'BUSINESS_RULE_VIOLATION')
    assert.deepEqual(await ids(), ['a', 'c'])
  })

  test('undoes a program whose later statement fails', async () => {
    await assert.rejects(
      store.write(function* () {
        yield* put('a')
        yield bind(broken)
      }),
      /nowhere/,
    )
    await assert.rejects(
      store.read(
        (function* () {
          yield bind(broken)
        })(),
      ),
      /nowhere/,
    )
    assert.deepEqual(await ids(), [])
  })

  test('never shows a read what is not committed', async () => {
    const seen = await store.write(
      function* (): Program<unknown> {
        yield* put('a')
        let seen: unknown
        yield {
          pause: async (run) => {
            await run(put('b'))
            seen = await ids()
          },
        }
        return seen
      },
      { alone: true },
    )
    assert.deepEqual(seen, [])
    assert.deepEqual(await ids(), ['a', 'b'])
  })

  test('shows a write what it has written itself, pauses and all', async () => {
    let inside: readonly StoredRow[] = []
    await store.write(
      function* () {
        yield* put('a')
        yield {
          pause: async (run) => {
            await wait(5)
            await Promise.all([run(put('b')), run(put('c'))])
            inside = await run(list())
          },
        }
        yield* put('d')
      },
      { alone: true },
    )
    assert.deepEqual(
      inside.map(([id]) => id),
      ['a', 'b', 'c'],
    )
    assert.deepEqual(await ids(), ['a', 'b', 'c', 'd'])
  })

  test('waits in a pause for what the work itself does not wait for', async () => {
    await store.write(
      pausing(async (run) => {
        void run(put('a'))
        void run(put('b'))
      }),
      { alone: true },
    )
    assert.deepEqual(await ids(), ['a', 'b'])
  })

  test('undoes a write whose pause fails', async () => {
    const failing = pausing(async (run) => {
      await run(put('a'))
      throw new Failure('BUSINESS_RULE_VIOLATION')
    })
    await assert.rejects(store.write(failing, { alone: true }), { code: 'BUSINESS_RULE_VIOLATION' })
    assert.deepEqual(await ids(), [])
  })

  test('undoes a write in which something failed, even where its work goes on', async () => {
    const forgiving = pausing(async (run) => {
      await run(put('a'))
      await run(put('a')).catch(() => undefined)
      await run(put('b')).catch(() => undefined)
    })
    await assert.rejects(store.write(forgiving, { alone: true }), UniqueViolation)
    const failing = pausing(async (run) => {
      await run(
        (function* (): Program<void> {
          yield* put('c')
          throw new Failure('NOT_FOUND')
        })(),
      ).catch(() => undefined)
    })
    await assert.rejects(store.write(failing, { alone: true }), { code: 'NOT_FOUND' })
    assert.deepEqual(await ids(), [])
  })

  test('lets only a write pause that is alone, and nothing that such a write runs', async () => {
    let paused = false
    const idle = pausing(async () => {
      paused = true
    })
    await assert.rejects(store.write(idle), /Invariant/)
    await assert.rejects(store.read(idle()), /Invariant/)
    await assert.rejects(
      store.write(
        pausing((run) => run(idle())),
        { alone: true },
      ),
      /Invariant/,
    )
    assert.equal(paused, false)
  })

  test('gives up a write whose pause takes too long, and takes nothing more from it', { timeout: 10_000 }, async () => {
    const impatient = await open({ effectTimeoutMs: 50 })
    const { promise: late, resolve } = Promise.withResolvers<Promise<unknown>>()
    const slow = pausing(async (run) => {
      await run(put('a'))
      await wait(100)
      const written = run(put('b'))
      resolve(written)
      await written
    })
    await assert.rejects(impatient.write(slow, { alone: true }), isUnavailable)
    await impatient.write(() => put('c'))
    await assert.rejects(late, /has ended/)
    assert.deepEqual(await ids(), ['c'])
  })

  test('runs writes that are alone one by one with the others', async () => {
    const add = command(`insert into number (value) values (${first})`)
    let most = 0
    let running = 0
    const alone = (value: number) =>
      function* (): Program<void> {
        running++
        yield bind(add, value)
        yield {
          pause: async () => {
            most = Math.max(most, running)
            await wait(1)
          },
        }
        running--
      }
    const plain = (value: number) =>
      function* (): Program<number> {
        yield bind(add, value)
        return running
      }
    const writes = Array.from({ length: 20 }, (_, at) =>
      at % 3 === 0 ? store.write(alone(at), { alone: true }) : store.write(plain(at)),
    )
    await Promise.all(writes)
    assert.deepEqual(await rowsOf('select count(*) from number'), [[20]])
    if (engine === 'sqlite') assert.equal(most, 1)
  })

  test('names the index whose value is taken', async () => {
    await store.write(() => put('a', 'A'))
    const taken = (index: string) => (error: unknown) => error instanceof UniqueViolation && error.index === index
    await assert.rejects(
      store.write(() => put('b', 'A')),
      taken('thing_name_key'),
    )
    await assert.rejects(
      store.write(() => put('a')),
      taken('thing_pkey'),
    )
    assert.deepEqual(await ids(), ['a'])
  })

  test('says that a relation leads nowhere', async () => {
    const refer = command(`insert into thing (id, other) values (${first}, ${second})`)
    const write = store.write(function* () {
      yield bind(refer, 'a', 'missing')
    })
    await assert.rejects(
      write,
      (error) =>
        error instanceof ReferenceViolation && error.constraint === (engine === 'sqlite' ? null : 'thing_other_fkey'),
    )
  })

  test('lets a program say in its own words why a statement failed, and do nothing after it', async () => {
    await store.write(() => put('a'))
    const told = store.write(function* () {
      yield* put('b')
      try {
        yield* put('a')
      } catch (error) {
        assert.ok(error instanceof UniqueViolation)
        throw new Failure('CONFLICT')
      }
    })
    await assert.rejects(told, { code: 'CONFLICT' })
    const goesOn = store.write(function* () {
      try {
        yield* put('a')
      } catch {
        yield* put('c')
      }
    })
    await assert.rejects(goesOn, UniqueViolation)
    const returns = store.write(function* () {
      yield* put('d')
      try {
        yield* put('a')
      } catch {
        return
      }
    })
    await assert.rejects(returns, UniqueViolation)
    assert.deepEqual(await ids(), ['a'])
  })

  test('closes the generator of a program that failed', async () => {
    let closed = 0
    const careful = function* (): Program<void> {
      try {
        yield bind(broken)
      } finally {
        closed++
      }
    }
    await assert.rejects(store.write(careful))
    await assert.rejects(store.read(careful()))
    assert.equal(closed, 2)
  })

  test('counts statements, rows and commits', async () => {
    const before = { ...store.counts }
    await store.write(function* () {
      yield* put('a')
      yield* put('b')
      yield bind(select)
    })
    await store.read(list())
    const { statements, rows, transactions } = store.counts
    assert.deepEqual(
      [statements - before.statements, rows - before.rows, transactions - before.transactions],
      [4, 4, 1],
    )
  })

  test('takes a parameter in several places, and question marks that are none', async () => {
    const text = engine === 'postgres' ? '::text' : ''
    const [one, two] = [`${first}${text}`, `${second}${text}`]
    const rows = await rowsOf(`select ${two}, ${one}, ${two}, '?1 it''s ?' as "?"`, 'one', 'two')
    assert.deepEqual(rows, [['two', 'one', 'two', "?1 it's ?"]])
  })

  test('gives back each kind of value as the dialect reads it', async () => {
    const values = [
      '‎a\u{1F600}\r\n"',
      2_147_483_647,
      true,
      new Date('2026-11-20T09:30:00.070Z'),
      { a: ['é', 1.5, null] },
    ]
    const types = ['text', 'integer', 'boolean', 'timestamp', 'json'] as const
    const all = values.map((_, at) => dialect.parameter(at + 1)).join(', ')
    const write = command(`insert into kind values (${all})`)
    const row = await store.write(function* (): Program<StoredRow> {
      yield bind(write, ...values.map((value, at) => dialect.encode(value, types[at]!)))
      yield bind(write, ...values.map(() => null))
      return (yield bind(query('select * from kind where t is not null')))[0]!
    })
    assert.deepEqual(
      row.map((value, at) => dialect.decode(value, types[at]!)),
      values,
    )
    assert.deepEqual(
      row.map((value, at) => JSON.parse(dialect.json[types[at]!](value))),
      JSON.parse(JSON.stringify(values)),
    )
    assert.deepEqual(await rowsOf('select * from kind where t is null'), [[null, null, null, null, null]])
  })

  test('takes truth as the engine keeps it', async () => {
    const write = command(`insert into kind (b) values (${first})`)
    const rows = await store.write(function* (): Program<readonly StoredRow[]> {
      yield bind(write, true)
      yield bind(write, false)
      return yield bind(query('select b from kind order by b'))
    })
    assert.deepEqual(
      rows.map(([value]) => dialect.decode(value!, 'boolean')),
      [false, true],
    )
  })

  test('orders text by code point and null as the greatest, and finds its place again by key', async () => {
    // UTF-16 would put the astral face before the private-use character; a locale would mix cases and accents.
    const names = ['', 'A', 'B', 'Z', 'a', 'aa', 'ab', 'b', 'e\u0301', 'z', '\u00e9', '\uE000', '\uFFFD', '\u{1F600}']
    const shuffled = [...names.keys()].sort((one, other) => ((one * 7) % 13) - ((other * 7) % 13) || one - other)
    await store.write(function* () {
      for (const at of shuffled) yield* put(`id_${String(at).padStart(2, '0')}`, names[at]!)
      yield* put('id_14')
      yield* put('id_15')
    })
    const expected: (string | null)[] = [...names, null, null]
    const by = (down: boolean) => `${dialect.order('name', down, true)}, ${dialect.order('id', down, false)}`
    const namesBy = async (sql: string, ...values: Value[]): Promise<Value[]> =>
      (await rowsOf(sql, ...values)).map(([name]) => name!)
    assert.deepEqual(await namesBy(`select name from thing order by ${by(false)}`), expected)
    assert.deepEqual(await namesBy(`select name from thing order by ${by(true)}`), expected.toReversed())
    for (const [at, name] of names.entries()) {
      const after = `select name from thing where (name, id) > (${first}, ${second}) order by ${by(false)}`
      assert.deepEqual(await namesBy(after, name, `id_${String(at).padStart(2, '0')}`), names.slice(at + 1))
    }
  })

  test('refuses more writes than may wait', async () => {
    const narrow = await open({ writesWaiting: 4, poolSize: 2 })
    const writes = Array.from({ length: 40 }, (_, at) => narrow.write(() => put(`thing_${at}`)))
    const outcomes = await Promise.allSettled(writes)
    const refused = outcomes.filter((each) => each.status === 'rejected')
    assert.ok(refused.length > 0 && refused.length <= 36)
    for (const { reason } of refused) assert.ok(isUnavailable(reason))
    assert.equal((await ids()).length, 40 - refused.length)
  })

  test('answers a ping, and everything that was accepted before it is closed', async () => {
    await store.ping()
    const writes = Array.from({ length: 10 }, (_, at) => store.write(() => put(`thing_${at}`)))
    const alone = store.write(
      pausing(async (run) => {
        await wait(5)
        await run(put('thing_last'))
      }),
      { alone: true },
    )
    await store.close()
    await Promise.all([...writes, alone])
    await assert.rejects(
      store.write(() => put('late')),
      isUnavailable,
    )
    await assert.rejects(store.read(list()), isUnavailable)
    await assert.rejects(store.ping(), isUnavailable)
    assert.equal((await ids(await open())).length, 11)
  })

  test('keeps every write that it answered when its process is killed', { timeout: 30_000 }, async () => {
    for (const [round, afterLines] of [1, 40, 200].entries()) {
      const answered = await killedAfter(afterLines, database.url, 1_000_000 * round)
      assert.ok(answered.length >= afterLines)
      const rows = await rowsOf('select value from number')
      const kept = new Set(rows.map(([value]) => value))
      assert.deepEqual(
        answered.filter((each) => !kept.has(each)),
        [],
      )
    }
  })
})

/** Starts a process that writes numbers, kills it amid its work, and answers the numbers that it was told are kept. */
async function killedAfter(lines: number, url: string, from: number): Promise<readonly number[]> {
  const script = new URL('../../test/support/writing-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--conditions=duet-source', script, url, `${from}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let told = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text
    if (told.split('\n').length > lines) child.kill('SIGKILL')
  })
  await ended
  return told.split('\n').slice(0, -1).map(Number)
}
