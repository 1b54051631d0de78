// Reads that nobody waits for any more: they end at the server too, and whoever shares their connection is answered.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createDatabase, postgresMissing, type TestDatabase } from '../../../test/support/server/databases.ts'
import { clientGone, type Deadline } from '../../budget/deadline.ts'
import { defaultLimits } from '../../limits.ts'
import { bind, type Program, query, type Store, type StoredRow } from '../store.ts'
import { directServer } from './hosts.ts'
import { openPostgres } from './store.ts'

suite('abandoned reads of PostgreSQL', { skip: postgresMissing, timeout: 20_000 }, () => {
  const warnings: string[] = []
  let database: TestDatabase
  let store: Store
  let witness: Store

  const open = (poolSize: number, abandonedSweepMs = 20) =>
    openPostgres({
      server: directServer(database.url),
      limits: { ...defaultLimits, abandonedSweepMs, statementTimeoutMs: 60_000, poolSize },
      log: { warn: (sentence) => warnings.push(sentence), error: assert.fail },
    })
  before(async () => {
    database = await createDatabase('postgres')
    // One connection for all reads.
    store = open(2)
    witness = open(2)
  })
  after(async () => {
    await Promise.all([store.close(), witness.close()])
    await database.drop()
  })

  function* rows(sql: string): Program<readonly StoredRow[]> {
    return yield bind(query(sql))
  }
  /** Sleeping statements that the server runs. */
  const sleeping = async (): Promise<number> => {
    const sql = `select count(*) from pg_stat_activity where query like 'select pg_sleep%' and state = 'active' and datname = current_database()`
    return (await witness.read(rows(sql)))[0]![0] as number
  }
  const until = async (count: number): Promise<void> => {
    while ((await sleeping()) !== count) await turn()
  }
  const leaving = (): Deadline & { leave(): void } => {
    let isGone = false
    return {
      ended: () => (isGone ? clientGone : null),
      expired: () => null,
      leave() {
        isGone = true
      },
    }
  }

  test('a statement that runs is ended, and the reads behind it are answered by the same connection', async () => {
    const deadline = leaving()
    const slow = store.read(rows('select pg_sleep(50)'), deadline)
    const behind = Array.from({ length: 5 }, (_, at) => store.read(rows(`select ${at}, pg_backend_pid()`)))
    await until(1)
    deadline.leave()
    await assert.rejects(slow, clientGone)
    const answers = (await Promise.all(behind)).map(([row]) => row!)
    assert.deepEqual(
      answers.map(([at]) => at),
      [0, 1, 2, 3, 4],
    )
    assert.equal(new Set(answers.map(([, pid]) => pid)).size, 1)
    await until(0)
  })

  test('one that waits behind another does not end the other', async () => {
    const deadline = leaving()
    const first = store.read(rows('select 1 from pg_sleep(0.3)'))
    const second = store.read(rows('select pg_sleep(50)'), deadline)
    deadline.leave()
    await assert.rejects(second, clientGone)
    assert.deepEqual(await first, [[1]])
    await until(0)
  })

  test('a store that closes does not wait for them', async () => {
    const closing = open(2)
    const deadline = leaving()
    const slow = closing.read(rows('select pg_sleep(50)'), deadline)
    await until(1)
    deadline.leave()
    await assert.rejects(slow, clientGone)
    await closing.close()
    await until(0)
  })

  test('one whose connection was long in coming is given up, too', async () => {
    const late = open(2, 1)
    const deadline = leaving()
    const connect = late.read(rows('select pg_sleep(50)'), deadline)
    await until(1)
    // By now it was looked at while there was nothing to look at.
    deadline.leave()
    await assert.rejects(connect, clientGone)
    await late.close()
  })

  test('many that are abandoned at once leave the connections to who comes after', async () => {
    const deadline = leaving()
    const slow = Array.from({ length: 20 }, () => store.read(rows('select pg_sleep(50)'), deadline))
    await until(1)
    deadline.leave()
    const outcomes = await Promise.allSettled(slow)
    assert(outcomes.every((each) => each.status === 'rejected' && each.reason === clientGone))
    assert.deepEqual(await store.read(rows('select 7')), [[7]])
    await until(0)
    assert.deepEqual(warnings, [])
  })
})
