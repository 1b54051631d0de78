// What only the PostgreSQL adapter must do: run again after a lost race, end what takes too long, share connections for reads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnavailable, withLevels } from '../../../test/support/domain/postgres-levels.ts'
import { Failure } from '../../failure/failure.ts'
import { defaultLimits } from '../../limits.ts'
import { LostRace } from '../program.ts'
import { bind, command, type Program, query, type Run, type StoredRow } from '../store.ts'

withLevels('postgres', (given) => {
  const { insert, levels, open, failWith, raise, read, rows } = given

  function withOptions(options: string): string {
    const url = new URL(given.url)
    url.searchParams.set('options', options)
    return url.href
  }

  for (const state of ['40001', '40P01']) {
    test(`runs a write again from the start after ${state}`, async () => {
      let attempts = 0
      const racing = function* (): Program<number> {
        attempts++
        yield bind(raise, 'a')
        if (attempts < 3) yield* failWith(state)
        return attempts
      }
      assert.equal(await given.store.write(racing), 3)
      assert.deepEqual(await levels(), [
        ['a', 1],
        ['b', 0],
      ])
    })
  }

  test('runs a write again whose asynchronous step lost the race, whatever its work made of that', async () => {
    let attempts = 0
    const racing = function* (): Program<void> {
      attempts++
      yield bind(raise, 'a')
      yield {
        run: async (run: Run) => {
          if (attempts < 2) {
            await run(failWith('40001')).catch(() => {
              throw new Failure('BUSINESS_RULE_VIOLATION')
            })
          }
        },
      }
    }
    await given.store.write(racing, { exclusive: true })
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
    await assert.rejects(given.store.write(racing), isUnavailable)
    assert.deepEqual([attempts, closed], [3, 3])
  })

  for (const [nearer, runs] of [
    [20, 23],
    [Number.POSITIVE_INFINITY, 502],
  ] as const)
    test(`runs after which the next one locks more do not count as attempts: ${nearer} of them`, async () => {
      let count = 0
      const racing = function* (): Program<void> {
        count++
        yield bind(raise, 'a')
        throw new LostRace(new Failure('CONFLICT'), count <= nearer)
      }
      await assert.rejects(given.store.write(racing), { code: 'CONFLICT' })
      assert.equal(count, runs)
    })

  test('resolves a deadlock of two writes, and both are done', async () => {
    const quick = open({}, withOptions('-c deadlock_timeout=50ms'))
    const met = Promise.withResolvers<void>()
    let waiting = 0
    const crossing = (one: string, other: string) =>
      function* (): Program<void> {
        yield bind(raise, one)
        yield {
          run: async () => {
            if (++waiting === 2) met.resolve()
            await met.promise
          },
        }
        yield bind(raise, other)
      }
    await Promise.all([
      quick.write(crossing('a', 'b'), { exclusive: true }),
      quick.write(crossing('b', 'a'), { exclusive: true }),
    ])
    assert.deepEqual(await levels(), [
      ['a', 2],
      ['b', 2],
    ])
  })

  test('ends a statement that takes too long, and leaves the reads that share its connection alone', async () => {
    const hasty = open({ statementTimeoutMs: 300, poolSize: 2 })
    const slow = assert.rejects(read('select pg_sleep(5)', hasty), isUnavailable)
    const others = await Promise.all(Array.from({ length: 20 }, (_, at) => read(`select ${at}`, hasty)))
    assert.deepEqual(others.flat(2), [...others.keys()])
    await slow
    await assert.rejects(
      hasty.write(() => rows('select pg_sleep(5)')),
      isUnavailable,
    )
  })

  test('12.1.14, 12.1.18 a read that takes long holds up no others, and has another connection from then on', async () => {
    const store = open({ poolSize: 3, readBlockingMs: defaultLimits.readBlockingMs })
    const slow = query('select 7 from pg_sleep($1)')
    function* sleep(seconds: number): Program<readonly StoredRow[]> {
      return yield bind(slow, seconds)
    }
    const statementsOf = async (seconds: number): Promise<number> => {
      const { statements } = store.counts
      assert.deepEqual(await store.read(sleep(seconds)), [[7]])
      return store.counts.statements - statements
    }
    let isAnswered = false
    const first = store.read(sleep(2)).then(() => {
      isAnswered = true
    })
    const others = await Promise.all(Array.from({ length: 20 }, (_, at) => read(`select ${at}`, store)))
    assert.deepEqual(others.flat(2), [...others.keys()])
    assert.equal(isAnswered, false)
    await first
    assert.equal(await statementsOf(0.2), 1)
    // Until it was quick some dozen times. A busy machine takes it for slow for longer.
    let statements = 1
    for (let attempt = 0; attempt < 100 && statements === 1; attempt++) {
      for (let time = 0; time < 20; time++) await statementsOf(0)
      statements = await statementsOf(0.2)
    }
    assert.equal(statements, 2)
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

  test('releases its locks when an exclusive write is cancelled amid a statement', { timeout: 10_000 }, async () => {
    const impatient = open({ effectTimeoutMs: 50, statementTimeoutMs: 60_000 })
    const stuck = impatient.write(
      function* () {
        yield bind(raise, 'a')
        yield { run: (run) => run(rows('select pg_sleep(60)')).then(() => undefined) }
      },
      { exclusive: true },
    )
    await assert.rejects(stuck, isUnavailable)
    await given.store.write(() => rows(`update thing set level = 7 where id = 'a'`))
    assert.deepEqual(await levels(), [
      ['a', 7],
      ['b', 0],
    ])
  })

  test('takes no more time limits from the server when it is patient', async () => {
    const hasty = open({ statementTimeoutMs: 200 })
    await hasty.write(() => rows('select pg_sleep(0.5)'), { withoutTimeout: true })
    await assert.rejects(
      hasty.write(() => rows('select pg_sleep(0.5)')),
      isUnavailable,
    )
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

  test('has times in UTC, whatever the URL sets', async () => {
    const abroad = open({}, withOptions('-c timezone=Asia/Tokyo -c search_path=elsewhere,public'))
    const sql = `select timestamptz '2026-11-20 09:30:00.5+01', current_setting('search_path')`
    assert.deepEqual(await read(sql, abroad), [['2026-11-20 08:30:00.5+00', 'elsewhere,public']])
    assert.deepEqual(await abroad.write(() => rows(sql)), [['2026-11-20 08:30:00.5+00', 'elsewhere,public']])
  })

  test('runs a write again once the shared transaction before it holds no lock', async () => {
    const claim = query('select pg_try_advisory_xact_lock(7)')
    let attempts = 0
    const claims = given.store.write(
      function* (): Program<unknown> {
        attempts++
        const [[isFree]] = (yield bind(claim)) as unknown as [[boolean]]
        if (!isFree) return false
        yield bind(raise, 'a')
        return true
      },
      { shareable: true },
    )
    const fails = given.store.write(
      function* (): Program<void> {
        yield* rows('select 1')
        yield bind(raise, 'b')
        // Nobody waits for its answer before the failure.
        yield bind(command('select pg_sleep(0.2)'))
        throw new Failure('BUSINESS_RULE_VIOLATION')
      },
      { shareable: true },
    )
    await assert.rejects(fails, { code: 'BUSINESS_RULE_VIOLATION' })
    assert.deepEqual([await claims, attempts], [true, 2])
    assert.deepEqual(await levels(), [
      ['a', 1],
      ['b', 0],
    ])
  })

  test('reads numbers and truth as such, and everything else as text', async () => {
    const [row] = await read(
      `select 1::smallint, 2::integer, 3::bigint, 1.5::float8, true, '{"a": 1}'::jsonb, count(*), null, 'x'::bytea from thing`,
    )
    assert.deepEqual(row!.slice(0, -1), [1, 2, 3, 1.5, true, '{"a": 1}', 2, null])
    assert.deepEqual(Buffer.from(row!.at(-1) as Uint8Array), Buffer.from('x'))
  })

  test('runs nothing twice: a statement that begins a transaction with a write waits for BEGIN', async () => {
    const before = { ...given.store.counts }
    await given.store.write(function* () {
      yield bind(insert, 'c')
      yield* rows('select 1')
    })
    await given.store.write(function* () {
      yield* rows(`select id from thing where id = 'c' for update`)
      yield bind(raise, 'c')
    })
    assert.deepEqual(await levels(), [
      ['a', 0],
      ['b', 0],
      ['c', 1],
    ])
    assert.equal(given.store.counts.transactions - before.transactions, 2)
    const open = await read(
      `select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
    )
    assert.deepEqual(open, [[0]])
  })
})
