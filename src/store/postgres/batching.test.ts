// What requests ask PostgreSQL at the same time: asked as one, answered to each, and failing for nobody else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { isUnavailable, withLevels } from '../../../test/support/domain/postgres-levels.ts'
import { Failure } from '../../failure/failure.ts'
import { executeTogether } from '../combine.ts'
import { byKey, insertOf, listsOf } from '../sql/text/batching.ts'
import { postgresDialect } from '../sql/text/dialect.ts'
import {
  bind,
  command,
  type Program,
  query,
  type Statement,
  type Store,
  type StoredRow,
  UniqueViolation,
} from '../store.ts'

const levelOf = query(
  'select level from thing where id = $1',
  byKey('select level, id from thing where id = any($1::text[])', 0, postgresDialect),
)
const lockLevelOf = query(
  'select level from thing where id = $1 for share',
  byKey('select level, id from thing where id = any($1::text[]) order by id for share', 0, postgresDialect),
)
const higherThan = query(
  'select level from thing where level > $1 and id = $2',
  byKey('select level, id from thing where level > $1 and id = any($2::text[])', 1, postgresDialect),
)
const manyTexts = query("select repeat('x', 10) from generate_series(1, 5)")
const setLevel = command('update thing set level = $2 where id = $1')
/** How long it takes is its value, in seconds. */
const wait = query(
  'select pg_sleep($1::float)',
  listsOf(
    {
      sql: "select 'awake', place::int - 1 from unnest($1::text[]) with ordinality as k(seconds, place) cross join lateral (select pg_sleep(seconds::float)) each",
      varying: [0],
      values: [{ place: 0 }],
    },
    postgresDialect,
  ),
)
const insertThing = insertOf('insert into thing (id, level)', ['text', 'integer'], postgresDialect)

withLevels('postgres, asked by many at once', (given) => {
  const cost = async <T>(store: Store, work: () => Promise<T>): Promise<[T, number, number]> => {
    const { statements, transactions } = store.counts
    const result = await work()
    return [result, store.counts.statements - statements, store.counts.transactions - transactions]
  }
  function* add(id: string, level: number): Program<readonly StoredRow[]> {
    yield bind(insertThing, id, level)
    return yield bind(levelOf, id)
  }
  const addTogether = (store: Store, ids: readonly string[]) =>
    Promise.allSettled(ids.map((id, level) => store.write(() => add(id, level), { shareable: true })))
  const outcomes = (settled: readonly PromiseSettledResult<unknown>[]) =>
    settled.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error).constructor))
  /** Another session holds what `sql` locks until it is let go, or the work ends. */
  async function holding(sql: string, work: (letGo: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const other = new pg.Client({ connectionString: given.url })
    await other.connect()
    await other.query(`begin; ${sql}`)
    try {
      await work(() => other.query('commit'))
    } finally {
      await other.end()
    }
  }
  function* ask(statement: Statement, ...values: (string | number)[]): Program<readonly StoredRow[]> {
    return yield bind(statement, ...values)
  }
  const read = (statement: Statement, ...values: (string | number)[]) => given.store.read(ask(statement, ...values))

  test('lists that together reach the time limit are answered all the same', async () => {
    const store = given.open({ readBlockingMs: 400 })
    const reads = [0.15, 0.16, 0.17, 0.01].map((seconds) => store.read(ask(wait, seconds)))
    for (const { length } of await Promise.all(reads)) assert.equal(length, 1)
  })

  test('a counted read runs alone, and fails for no other', async () => {
    const { store } = given
    const tooMuch = new Failure('QUERY_TOO_COMPLEX')
    function* askCounted(max: number): Program<readonly StoredRow[]> {
      let read = 0
      const addRead = (chars: number): void => {
        read += chars
        if (read > max) throw tooMuch
      }
      return yield { ...bind(manyTexts), counter: { addRead, readableChars: Number.POSITIVE_INFINITY } }
    }
    const [settled, statements] = await cost(store, () =>
      Promise.allSettled([20, 50, 50].map((max) => store.read(askCounted(max)))),
    )
    assert.deepEqual(
      settled.map((each) => (each.status === 'fulfilled' ? each.value.length : each.reason)),
      [tooMuch, 5, 5],
    )
    assert.equal(statements, 3)
    await assert.rejects(
      store.write(() => askCounted(20)),
      tooMuch,
    )
    assert.equal((await store.read(askCounted(50))).length, 5)
    const shared = await Promise.allSettled(
      [20, 50].map((max) => store.write(() => askCounted(max), { shareable: true })),
    )
    assert.deepEqual(
      shared.map((each) => (each.status === 'fulfilled' ? each.value.length : each.reason)),
      [tooMuch, 5],
    )
  })

  test('reads that ask alike are one statement, and each has the rows of its own key', async () => {
    await given.write(`update thing set level = 5 where id = 'b'`)
    const ids = ['a', 'b', 'nobody', `it's {"b"}, \\ and "c"`, 'a']
    const [answers, statements] = await cost(given.store, () => Promise.all(ids.map((id) => read(levelOf, id))))
    assert.deepEqual(
      answers.map((rows) => rows.map(([level]) => level)),
      [[0], [5], [], [], [0]],
    )
    assert.equal(statements, 1)
  })

  test('reads whose other values differ are not one statement', async () => {
    await given.write(`update thing set level = 5`)
    const [answers, statements] = await cost(given.store, () =>
      Promise.all([read(higherThan, 1, 'a'), read(higherThan, 9, 'a'), read(higherThan, 1, 'b')]),
    )
    assert.deepEqual(
      answers.map((rows) => rows.length),
      [1, 0, 1],
    )
    assert.equal(statements, 2)
  })

  test('equal reads are one statement, whatever it reads; writes are not', async () => {
    const levels = query('select level from thing where level >= $1 order by id')
    const [answers, statements] = await cost(given.store, () =>
      Promise.all([read(levels, 0), read(levels, 9), read(levels, 0)]),
    )
    assert.deepEqual(answers, [[[0], [0]], [], [[0], [0]]])
    assert.equal(statements, 2)
    const adding = query(`insert into thing select 'new ' || count(*), $1 from thing returning id`)
    const add = () => given.store.write(() => ask(adding, 1), { shareable: true })
    assert.deepEqual(await Promise.all([add(), add()]), [[['new 2']], [['new 3']]])
  })

  test('a read whose statement fails takes no other read of its batch with it', async () => {
    const settled = await Promise.allSettled(['a', '\0', 'b'].map((id) => read(levelOf, id)))
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })

  test('a read that takes too long fails alone', { timeout: 20_000 }, async () => {
    const hasty = given.open({ statementTimeoutMs: 300 })
    const sleep = `case id when 'a' then pg_sleep(2)::text end`
    const sleepy = query(
      `select ${sleep}, level from thing where id = $1`,
      byKey(`select ${sleep}, level, id from thing where id = any($1::text[])`, 0, postgresDialect),
    )
    const [slow, quick] = await Promise.allSettled(['a', 'b'].map((id) => hasty.read(ask(sleepy, id))))
    assert.ok(slow!.status === 'rejected' && isUnavailable(slow!.reason))
    assert.deepEqual(quick, { status: 'fulfilled', value: [[null, 0]] })
  })

  test('a read whose client has gone fails, and the others of its batch are answered', async () => {
    const gone = { ended: () => new Failure('SERVICE_UNAVAILABLE'), expired: () => null }
    const left = given.store.read(ask(levelOf, 'a'), gone)
    const stays = given.store.read(ask(levelOf, 'a'), { ended: () => null, expired: () => null })
    await assert.rejects(left, { code: 'SERVICE_UNAVAILABLE' })
    assert.equal((await stays).length, 1)
  })

  test('writes that only add share a commit and their statements, and each sees what it wrote', async () => {
    const ids = Array.from({ length: 13 }, (_, at) => `new ${at}`)
    const [settled, statements, transactions] = await cost(given.store, () => addTogether(given.store, ids))
    assert.deepEqual(
      outcomes(settled).map((rows) => (rows as StoredRow[])[0]![0]),
      ids.map((_, at) => at),
    )
    assert.equal(transactions, 1)
    assert.equal(statements, 2, 'all rows, and all of them read')
    assert.equal((await given.read('select 1 from thing')).length, 15)
  })

  test('many rows of one statement keep their order, and any text, null included', async () => {
    await given.store.write(function* () {
      yield bind(
        command('create table odd (number integer generated always as identity, word text, at timestamptz(3))'),
      )
    })
    const insert = insertOf('insert into odd (word, at)', ['text', 'timestamptz'], postgresDialect)
    const at = '2026-11-20T09:30:00.500Z'
    const words = ['', 'null', 'NULL', null, '"', '\\', '\\"', '{a,b}', ' a ', "it's", 'a\nb', 'ä👍', ',']
    const [, statements] = await cost(given.store, () =>
      given.store.write(() => executeTogether(words.map((word) => bind(insert, word, word === null ? null : at)))),
    )
    assert.equal(statements, 1)
    const rows = await given.read('select word, at is null from odd order by number')
    assert.deepEqual(
      rows,
      words.map((word) => [word, word === null]),
    )
  })

  test('a write that fails fails alone: those beside it are done once', async () => {
    const settled = await addTogether(given.store, ['new', 'a', 'other', 'new'])
    const [first, ...others] = outcomes(settled).map((each) => (Array.isArray(each) ? 'done' : each))
    const last = others.pop()
    assert.deepEqual(others, [UniqueViolation, 'done'])
    // Run again alone, either of the two may be the first.
    assert(first === 'done' ? last === UniqueViolation : first === UniqueViolation && last === 'done')
    assert.deepEqual(await given.read('select id from thing order by id'), [['a'], ['b'], ['new'], ['other']])
  })

  test('a write that gives up after it wrote leaves nothing, and one that gives up before costs the others nothing', async () => {
    const refuse = (id: string, late: boolean) =>
      function* (): Program<never> {
        yield bind(levelOf, id)
        if (late) yield bind(insertThing, id, 1)
        if (late) yield bind(levelOf, id)
        throw new Failure('BUSINESS_RULE_VIOLATION')
      }
    const shareable = { shareable: true }
    const early = () =>
      Promise.allSettled([
        given.store.write(refuse('refused', false), shareable),
        given.store.write(() => add('one', 1), shareable),
      ])
    const [first, , transactions] = await cost(given.store, early)
    assert.deepEqual([first.map(({ status }) => status), transactions], [['rejected', 'fulfilled'], 1])
    const late = await Promise.allSettled([
      given.store.write(refuse('refused', true), shareable),
      given.store.write(() => add('two', 1), shareable),
    ])
    assert.deepEqual(
      late.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    )
    assert.deepEqual(await given.read('select id from thing order by id'), [['a'], ['b'], ['one'], ['two']])
  })

  test('writes that change what others change or read share no transaction with them', async () => {
    // Without a lock, so that only this keeps them apart.
    function* climb(id: string, from: string): Program<void> {
      const [[level]] = (yield bind(levelOf, from)) as unknown as [[number]]
      yield bind(setLevel, id, level + 1)
    }
    const write = (id: string, from: string, reads: readonly string[]) =>
      given.store.write(() => climb(id, from), { shareable: true, changes: [id], reads })
    const [, , ofOne] = await cost(given.store, () => Promise.all(Array.from({ length: 5 }, () => write('a', 'a', []))))
    assert.deepEqual(await given.levels(), [
      ['a', 5],
      ['b', 0],
    ])
    assert.equal(ofOne, 5)
    // The second reads what the first changes, and comes after it.
    const [, , ofBoth] = await cost(given.store, () => Promise.all([write('a', 'a', []), write('b', 'a', ['a'])]))
    assert.deepEqual(await given.levels(), [
      ['a', 6],
      ['b', 7],
    ])
    assert.equal(ofBoth, 2)
    const [, , ofOthers] = await cost(given.store, () => Promise.all([write('a', 'a', ['c']), write('b', 'b', ['c'])]))
    assert.equal(ofOthers, 1)
  })

  test('a held lock delays only statements that need it', { timeout: 20_000 }, async () => {
    function* behind(lock: string, id: string): Program<string> {
      yield bind(lockLevelOf, lock)
      yield bind(insertThing, id, 1)
      return id
    }
    await holding(`update thing set level = 1 where id = 'a'`, async (letGo) => {
      const stuck = given.store.write(() => behind('a', 'behind a'), { shareable: true })
      assert.equal(await given.store.write(() => behind('b', 'behind b'), { shareable: true }), 'behind b')
      await letGo()
      assert.equal(await stuck, 'behind a')
    })
  })

  test('a command that fails is known before the commit, whichever write waited for it', async () => {
    const settled = await Promise.allSettled([
      given.store.write(
        function* () {
          yield bind(levelOf, 'a')
          yield bind(command('insert into thing values ($1)'), 'a')
          yield bind(command('insert into thing values ($1)'), 'c')
        },
        { shareable: true },
      ),
    ])
    assert.deepEqual(outcomes(settled), [UniqueViolation])
    assert.equal((await given.read('select 1 from thing')).length, 2)
  })

  test('if the server is gone amid a shared commit, all fail and none is run again', async () => {
    await given.write(
      `create function cut() returns trigger language plpgsql as $$ begin
         perform pg_terminate_backend(pg_backend_pid()); return null;
       end $$`,
    )
    await given.write(
      `create constraint trigger cut after insert on thing deferrable initially deferred
         for each row when (new.level = 77) execute function cut()`,
    )
    let runs = 0
    function* cut(id: string): Program<void> {
      runs++
      yield bind(insertThing, id, 77)
    }
    const writes = ['x', 'y'].map((id) => given.store.write(() => cut(id), { shareable: true }))
    for (const write of writes) await assert.rejects(write, isUnavailable)
    assert.equal(runs, 2)
    assert.equal((await addTogether(given.store, ['after']))[0]!.status, 'fulfilled')
    await given.write('drop trigger cut on thing')
  })

  test('a database that takes no writes refuses all of them, and it is logged once', async () => {
    const url = new URL(given.url)
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    const standby = given.open({}, url.href)
    for (const each of await addTogether(standby, ['x', 'y'])) {
      assert.ok(each.status === 'rejected' && isUnavailable(each.reason))
    }
    assert.equal(given.warnings.length, 1)
    assert.match(given.warnings[0]!, /takes no writes/)
  })

  test('refuses more than may wait, and those who waited too long', { timeout: 20_000 }, async () => {
    const narrow = given.open({ writesWaiting: 3, writesPerCommit: 1, writeWaitMs: 500, statementTimeoutMs: 5_000 })
    const began = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holders = began.map(({ resolve }) =>
      narrow.write(
        function* () {
          resolve()
          yield bind(query('select pg_sleep(1.5)'))
        },
        { shareable: true },
      ),
    )
    await Promise.all(began.map(({ promise }) => promise))
    const late = ['c', 'd', 'e', 'f'].map((id) => narrow.write(() => add(id, 1), { shareable: true }))
    assert.equal(narrow.waiting, 3)
    for (const each of await Promise.allSettled(late)) {
      assert.ok(each.status === 'rejected' && isUnavailable(each.reason))
    }
    await Promise.all(holders)
    assert.equal((await addTogether(narrow, ['g']))[0]!.status, 'fulfilled')
  })
})
