import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { createDatabase, postgresMissing } from '../../../test/support/server/databases.ts'
import { listen } from './listen.ts'

const limits = { connectTimeoutMs: 5_000, listenRetryMs: 10 }

test('a notification wakes, also after the connection was lost', { skip: postgresMissing }, async () => {
  const database = await createDatabase('postgres')
  const other = new Client({ connectionString: database.url })
  await other.connect()
  let wakes = 0
  let waiting: (() => void) | null = null
  const wake = () => {
    wakes++
    waiting?.()
  }
  const woken = (count: number) =>
    new Promise<void>((resolve) => {
      waiting = () => wakes >= count && resolve()
      waiting()
    })
  const warnings: string[] = []
  const listener = listen(database.url, {
    channel: 'news',
    wake,
    limits,
    log: { warn: (sentence) => void warnings.push(sentence) },
  })
  await listener.begun
  assert.equal(wakes, 1)
  await other.query('notify news')
  await woken(2)
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'duet listener' and datname = current_database()`,
  )
  await woken(3)
  await other.query('notify news')
  await woken(4)
  await listener.stop()
  await other.query('notify news')
  await other.end()
  await database.drop()
  assert.equal(wakes, 4)
  assert.deepEqual(warnings, [])
})

test('0.1.12 of several hosts the one that takes listeners is found without a warning', {
  skip: postgresMissing,
}, async () => {
  const database = await createDatabase('postgres')
  const woken = Promise.withResolvers<void>()
  const listener = listen(
    database.url.replace(/^postgres:\/\/(?:[^/@]*@)?/, (start) => `${start}127.0.0.1:1,`),
    {
      channel: 'news',
      wake: () => woken.resolve(),
      limits: { ...limits, listenRetryMs: 60_000 },
      log: { warn: assert.fail },
    },
  )
  await woken.promise
  await listener.begun
  await listener.stop()
  await database.drop()
})

test('a database that cannot be listened to delays no start', { skip: postgresMissing }, async () => {
  const warnings: string[] = []
  const listener = listen('postgres://127.0.0.1:1/nowhere', {
    channel: 'news',
    wake: () => assert.fail(),
    limits,
    log: { warn: (sentence) => void warnings.push(sentence) },
  })
  await listener.begun
  await listener.stop()
  assert.equal(warnings.length, 1)
  assert.match(warnings[0]!, /^PostgreSQL cannot be listened to: .*ECONNREFUSED/)
})

test('on SQLite there is nothing to wait for', async () => {
  const listener = listen('sqlite:./anywhere.db', {
    channel: 'news',
    wake: () => assert.fail(),
    limits,
    log: { warn: () => assert.fail() },
  })
  await listener.begun
  await listener.stop()
})
