// Connections to PostgreSQL that are lost, late or none: the adapter outlives them, and says so.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import { isUnavailable, withLevels } from '../../../test/support/domain/postgres-levels.ts'
import { defaultLimits } from '../../limits.ts'
import { separate } from '../combine.ts'
import { type Bound, bind, type Program, query } from '../store.ts'
import { send } from './connection.ts'
import { Transaction } from './transaction.ts'

const killAll =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'

test('a statement that the driver does not send fails once, and is not waited for', async () => {
  const broken = {
    connection: { stream: new PassThrough() },
    query() {
      throw new TypeError('cannot be sent')
    },
  }
  let settlements = 0
  const read = { reject: () => undefined, giveUp: () => undefined, settled: () => void settlements++ }
  const counts = { statements: 0, rows: 0, transactions: 0 }
  const rows = send(broken as never, bind(query('select 1')), counts, undefined, read)
  await assert.rejects(rows, { message: 'cannot be sent' })
  assert.equal(settlements, 1)
})

test('what is sent in one turn is one packet', async () => {
  const packets: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _, done) => void done(void packets.push(text)),
    writev: (all, done) => void done(void packets.push(all.map(({ chunk }) => chunk).join())),
  })
  const client = {
    connection: { stream },
    query: ({ text }: { readonly text: string }, done: (error: unknown, answer: unknown) => void) =>
      stream.write(text, () => done(null, { rows: [], fields: [] })),
  }
  const counts = { statements: 0, rows: 0, transactions: 0 }
  const sendAll = (...texts: readonly string[]) =>
    Promise.all(texts.map((text) => send(client as never, bind(query(text)), counts, undefined)))
  await sendAll('a', 'b', 'c')
  await sendAll('d')
  assert.deepEqual(packets, ['a,b,c', 'd'])
})

withLevels('connections to PostgreSQL', (given) => {
  const { insert, levels, open, failWith, raise, read, rows, warnings, write } = given

  test('a database that takes no connections for now is one that is away, not a bug', async () => {
    // 55000 is how PostgreSQL says so.
    await assert.rejects(given.store.read(failWith('55000')), isUnavailable)
  })

  test('fails the writes of lost connections, reads again, and finds back by itself', async () => {
    await Promise.all(Array.from({ length: 8 }, () => read('select 1')))
    const administrator = open()
    const killed = Promise.all([
      read('select pg_sleep(0.2)'),
      assert.rejects(write('select pg_sleep(10)'), isUnavailable),
      assert.rejects(
        given.store.write(
          function* () {
            yield bind(raise, 'a')
            yield {
              run: async (run) => {
                await read(killAll, administrator)
                await run(rows('select 1'))
              },
            }
          },
          { exclusive: true },
        ),
        isUnavailable,
      ),
    ])
    await killed
    await given.store.ping()
    assert.deepEqual(await levels(), [
      ['a', 0],
      ['b', 0],
    ])
    await given.store.write(() => rows(`update thing set level = 5 where id = 'a'`))
    assert.deepEqual(await levels(), [
      ['a', 5],
      ['b', 0],
    ])
    assert.ok(warnings.some((each) => each.startsWith('A connection to PostgreSQL was lost')))
  })

  test('0.2.4 once a session may write again, older ones are left, and the log reports neither of them', async () => {
    const writable = new URL(given.url)
    writable.searchParams.set('options', '-c default_transaction_read_only=off')
    const admin = open({}, writable.href)
    const refuseWrites = (value: string) =>
      admin.write(() =>
        rows(`alter database ${writable.pathname.slice(1)} set default_transaction_read_only = ${value}`),
      )
    const store = open()
    const begin = async (end: () => Program<unknown>) => {
      const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const written = store.write(
        function* (): Program<unknown> {
          yield* rows('select 1')
          yield {
            run: () => {
              begun.resolve()
              return ended.promise
            },
          }
          return yield* end()
        },
        { exclusive: true },
      )
      written.catch(() => undefined)
      await begun.promise
      return () => {
        ended.resolve()
        return written
      }
    }
    const raiseA = () => rows(`update thing set level = level + 1 where id = 'a'`)
    await refuseWrites('on')
    const failing = await begin(() => failWith('23514'))
    const late = await begin(raiseA)
    await assert.rejects(store.write(raiseA), isUnavailable)
    await refuseWrites('off')
    const first = await begin(raiseA)
    // Its session is returned before the first one is known to write.
    await assert.rejects(failing())
    await first()
    await Promise.all((await Promise.all([begin(raiseA), begin(raiseA)])).map((end) => end()))
    await assert.rejects(late(), isUnavailable)
    assert.deepEqual(await levels(), [
      ['a', 3],
      ['b', 0],
    ])
    const refusal = 'cannot execute UPDATE in a read-only transaction'
    assert.deepEqual(warnings, [`The database takes no writes: ${refusal}`, 'The database takes writes again.'])
  })

  /** What a write sends that is given up while it begins. */
  const abandonedWhileBeginning = async (begin: (text: string) => string) => {
    const pool = new pg.Pool({ connectionString: given.url })
    const counts = { statements: 0, rows: 0, transactions: 0 }
    const transaction = new Transaction({
      pool,
      limits: defaultLimits,
      counts,
      combine: separate,
      isOutdated: () => false,
    })
    const sent: string[] = []
    let abandoned: Promise<void> | undefined
    pool.on('acquire', (client) => {
      const send = client.query.bind(client) as (given: object) => unknown
      Object.assign(client, {
        query(given: { readonly text: string }) {
          sent.push(given.text)
          const answer = send({ ...given, text: begin(given.text) })
          abandoned ??= transaction.abandon(false)
          return answer
        },
      })
    })
    await assert.rejects(transaction.execute(bind(insert, 'c')), isUnavailable)
    await abandoned
    await pool.end()
    return sent
  }

  const waiting = (text: string) => text.replace('begin isolation level read committed', 'select pg_sleep(2)')
  for (const [what, begin] of [
    ['answers', (text: string) => text],
    ['does not answer in time', waiting],
  ] as const) {
    test(`a transaction that is given up while it begins, if PostgreSQL ${what}, sends no statement after its rollback`, async () => {
      assert.deepEqual(await abandonedWhileBeginning(begin), ['begin isolation level read committed', 'rollback'])
      assert.equal(((await levels()) as unknown[]).length, 2)
    })
  }

  test('notices by itself that idle connections were lost, before or after they are used again', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 ? read('select 1') : write('select 1'))))
    const administrator = new pg.Client(given.url)
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
    const proxy = await startProxy(new URL(given.url))
    const url = Object.assign(new URL(given.url), { host: `127.0.0.1:${proxy.port}` })
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

  for (const [what, limits] of [
    ['too many prepared statements', { preparedStatements: 5 }],
    ['prepared statements that are too long', { preparedStatementChars: 5 * 17 }],
  ] as const)
    test(`8.4.5 uses a new connection once the old one holds ${what}`, async () => {
      const thrifty = open({ ...limits, poolSize: 2 })
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

  test('needs no connection for a program without statements', async () => {
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
    const single = open({ poolSize: 1, connectTimeoutMs: 500 })
    const free = Promise.withResolvers<void>()
    const holding = single.write(
      function* () {
        yield bind(insert, 'c')
        yield { run: () => free.promise }
      },
      { exclusive: true },
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
    const holding = open({ poolSize: 1, effectTimeoutMs: 60_000 }).write(
      function* () {
        yield bind(raise, 'a')
        yield {
          run: () => {
            held.resolve()
            return free.promise
          },
        }
      },
      { exclusive: true },
    )
    await held.promise
    // Takes the only connection of `single`, and waits there for the lock.
    const waiting = single.write(() => rows(`update thing set level = 9 where id = 'a'`))
    const late = single.write(
      function* () {
        yield { run: (run) => run(rows('select 1')).then(() => undefined) }
      },
      { exclusive: true },
    )
    await assert.rejects(late, isUnavailable)
    free.resolve()
    await Promise.all([holding, waiting])
    await single.write(() => rows('select 1'))
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
