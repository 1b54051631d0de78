// What every store promises of statements, of what they are given and answer, and of its own end, whichever database is
// behind it.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { forEachStore, isUnavailable } from '../../test/support/domain/things.ts'
import { programArguments } from '../../test/support/process/program.ts'
import { Failure } from '../failure/failure.ts'
import { executeTogether } from './combine.ts'
import { insertOf } from './sql/text/batching.ts'
import {
  bind,
  command,
  type Program,
  query,
  ReferenceViolation,
  type StoredRow,
  UniqueViolation,
  type Value,
} from './store.ts'

forEachStore((things) => {
  const {
    engine,
    dialect,
    parameters: [first, second],
    select,
    broken,
    open,
    put,
    list,
    rowsOf,
    ids,
    asynchronous,
  } = things

  test('joins any number of texts into one, in their order', async () => {
    for (const count of [1, 2, 3, 100, 101, 497, 1_000, 2_345]) {
      const texts = Array.from({ length: count }, (_, at) => String(at))
      const sql = `select ${dialect.concat(texts.map((text) => `'${text}'`))}`
      const [[joined]] = (await rowsOf(sql)) as unknown as [[string]]
      assert.equal(joined, texts.join(''))
    }
  })

  test('inserts any number of rows together, in their order', async () => {
    const columns = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
    await things.store.write(function* () {
      yield bind(command(`create table wide (${columns.map((each) => `${each} text`).join(', ')})`))
    })
    const insert = insertOf(
      `insert into wide (${columns.join(', ')})`,
      columns.map(() => 'text'),
      dialect,
    )
    const rows = Array.from({ length: 5_000 }, (_, at) => bind(insert, String(at), ...columns.slice(1)))
    await things.store.write(() => executeTogether(rows))
    const [[count]] = (await rowsOf('select count(distinct a) from wide')) as unknown as [[number]]
    assert.equal(Number(count), rows.length)
    await things.store.write(function* () {
      yield bind(command('drop table wide'))
    })
  })

  test('names the index whose value is taken', async () => {
    await things.store.write(() => put('a', 'A'))
    const taken = (index: string) => (error: unknown) => error instanceof UniqueViolation && error.index === index
    await assert.rejects(
      things.store.write(() => put('b', 'A')),
      taken('thing_name_key'),
    )
    await assert.rejects(
      things.store.write(() => put('a')),
      taken('thing_pkey'),
    )
    assert.deepEqual(await ids(), ['a'])
  })

  test('reports that a relation leads nowhere', async () => {
    const refer = command(`insert into thing (id, other) values (${first}, ${second})`)
    const write = things.store.write(function* () {
      yield bind(refer, 'a', 'missing')
    })
    await assert.rejects(
      write,
      (error) =>
        error instanceof ReferenceViolation && error.constraint === (engine === 'sqlite' ? null : 'thing_other_fkey'),
    )
  })

  test('lets a program say in its own words why a statement failed, and do nothing after it', async () => {
    await things.store.write(() => put('a'))
    const write = things.store.write(function* () {
      yield* put('b')
      try {
        yield* put('a')
      } catch (error) {
        assert.ok(error instanceof UniqueViolation)
        throw new Failure('CONFLICT')
      }
    })
    await assert.rejects(write, { code: 'CONFLICT' })
    const goesOn = things.store.write(function* () {
      try {
        yield* put('a')
      } catch {
        yield* put('c')
      }
    })
    await assert.rejects(goesOn, UniqueViolation)
    const returns = things.store.write(function* () {
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
    await assert.rejects(things.store.write(careful))
    await assert.rejects(things.store.read(careful()))
    assert.equal(closed, 2)
  })

  test('counts statements, rows and commits', async () => {
    const before = { ...things.store.counts }
    await things.store.write(function* () {
      yield* put('a')
      yield* put('b')
      yield bind(select)
    })
    await things.store.read(list())
    const { statements, rows, transactions } = things.store.counts
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
    const row = await things.store.write(function* (): Program<StoredRow> {
      yield bind(write, ...values.map((value, at) => dialect.encode(value, types[at]!)))
      yield bind(write, ...values.map(() => null))
      return (yield bind(query('select * from kind where t is not null')))[0]!
    })
    assert.deepEqual(
      row.map((value, at) => dialect.decode(value, types[at]!)),
      values,
    )
    assert.deepEqual(
      row.map((value, at) => JSON.parse(dialect.codec(types[at]!).json(value))),
      JSON.parse(JSON.stringify(values)),
    )
    assert.deepEqual(await rowsOf('select * from kind where t is null'), [[null, null, null, null, null]])
  })

  test('takes truth as the engine keeps it', async () => {
    const write = command(`insert into kind (b) values (${first})`)
    const rows = await things.store.write(function* (): Program<readonly StoredRow[]> {
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
    await things.store.write(function* () {
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

  test('answers a hundred reads that come at once each with its own rows or failure', async () => {
    const reads = Array.from({ length: 100 }, (_, at) =>
      things.store.read(
        (function* (): Program<unknown> {
          const [[found]] = (yield bind(query(`select ${at}`))) as [StoredRow]
          if (at % 7 === 0) throw new Failure('NOT_FOUND')
          return found
        })(),
      ),
    )
    for (const [at, each] of (await Promise.allSettled(reads)).entries()) {
      if (at % 7 === 0) assert.equal(each.status, 'rejected')
      else assert.deepEqual(each, { status: 'fulfilled', value: at })
    }
  })

  test('answers a ping, and everything that was accepted before it is closed', async () => {
    await things.store.ping()
    const writes = Array.from({ length: 10 }, (_, at) => things.store.write(() => put(`thing_${at}`)))
    const alone = things.store.write(
      asynchronous(async (run) => {
        await wait(5)
        await run(put('thing_last'))
      }),
      { exclusive: true },
    )
    const reads = Array.from({ length: 100 }, () => things.store.read(list()))
    await things.store.close()
    await Promise.all([...writes, alone, ...reads])
    await assert.rejects(
      things.store.write(() => put('late')),
      isUnavailable,
    )
    await assert.rejects(things.store.read(list()), isUnavailable)
    await assert.rejects(things.store.ping(), isUnavailable)
    assert.equal((await ids(await open())).length, 11)
  })

  test('keeps every write that it answered when its process is killed', { timeout: 30_000 }, async () => {
    for (const [round, afterLines] of [1, 40, 200].entries()) {
      const answered = await killedAfter(afterLines, things.url, 1_000_000 * round)
      assert.ok(answered.length >= afterLines)
      const rows = await rowsOf('select value from number')
      const values = new Set(rows.map(([value]) => value))
      assert.deepEqual(
        answered.filter((each) => !values.has(each)),
        [],
      )
    }
  })
})

/** Starts a process that writes numbers, kills it amid its work, and answers the numbers that it was told are kept. */
async function killedAfter(lines: number, url: string, from: number): Promise<readonly number[]> {
  const program = programArguments('test/support/process/writing-process.ts')
  const child = spawn(process.execPath, [...program, url, `${from}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.split('\n').length > lines) child.kill('SIGKILL')
  })
  await ended
  return output.split('\n').slice(0, -1).map(Number)
}
