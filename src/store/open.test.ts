import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { createDatabase } from '../../test/support/databases.ts'
import { defaultLimits } from '../limits.ts'
import { openForReading, openStore } from './open.ts'
import { bind, command, type Program, query, type StoredRow } from './store.ts'

const options = { limits: defaultLimits, log: console }
function* run(sql: string): Program<readonly StoredRow[]> {
  return yield bind(sql.startsWith('select') ? query(sql) : command(sql))
}

test('a file that is opened for reading is read and never written, and none is made', async () => {
  const { url, drop } = await createDatabase('sqlite')
  try {
    await assert.rejects(
      openForReading(url, options),
      /^Error: DATABASE_URL names .*test\.db, which is not there: start /,
    )
    assert.ok(!existsSync(url.slice('sqlite:'.length)))

    const store = await openStore(url, options)
    await store.write(() => run('create table thing (id text)'))
    await store.write(() => run("insert into thing values ('a')"))
    const reader = await openForReading(url, options)
    try {
      assert.deepEqual(await reader.read(run('select id from thing')), [['a']])
      await assert.rejects(
        reader.write(() => run("insert into thing values ('b')")),
        { code: 'SERVICE_UNAVAILABLE' },
      )
      assert.deepEqual(await store.read(run('select id from thing')), [['a']])
    } finally {
      await reader.close()
      await store.close()
    }
  } finally {
    await drop()
  }
})

test('a database in memory can be read by nobody else', async () => {
  await assert.rejects(openForReading('sqlite::memory:', options), /in memory, which nobody else can read\.$/)
})
