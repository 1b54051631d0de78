// A database behind a real PgBouncer, where it is installed. (contract 0.1.11, 0.1.13)

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { createDatabase, postgresMissing } from '../../../test/support/server/databases.ts'
import { patientLimits } from '../../../test/support/server/patient-limits.ts'
import { startPgbouncer, withoutPgbouncer } from '../../../test/support/server/pgbouncer.ts'
import { defaultLimits } from '../../limits.ts'
import { openStore } from '../../service/open/open-store.ts'
import { bind, query, rowsOf, type Store } from '../store.ts'
import type { Pooling } from './pooler.ts'

const skip = postgresMissing || withoutPgbouncer()

for (const mode of ['session', 'transaction'] as const)
  test(`0.1.11, 0.1.13 a pooler of ${mode}s is used once the role has the settings`, { skip }, async (t) => {
    const database = await createDatabase('postgres')
    const url = await behind(t, database.url, mode)
    const refusal = await open(url).then(
      () => assert.fail('It opened.'),
      (error: Error) => error.message,
    )
    const [, statements] = /it ignores the options of connections, .* new connections: (.+)\.$/.exec(refusal)!
    assert.match(statements!, /^alter role \S+ in database \S+ set .* set statement_timeout = '\d+'$/)
    const direct = new Client({ connectionString: database.url })
    await direct.connect()
    await direct.query(statements!)
    t.after(async () => {
      await direct.end()
      await database.drop()
    })
    const found: Pooling[] = []
    const store = await open(await behind(t, database.url, mode), {
      notePooling: (pooling: Pooling) => void found.push(pooling),
    })
    assert.deepEqual(found, [{ lends: `${mode}s`, mixesStatements: mode === 'transaction' }])
    await useAtOnce(store)
    const index = 'create index concurrently thing_number on thing (number)'
    if (mode === 'session') await store.runAlone(index)
    else await assert.rejects(store.runAlone(index), /DATABASE_LISTEN_URL has to name the server itself/)
    await store.close()
    const other = await open(await behind(t, database.url, mode), { listenUrl: database.url })
    await other.runAlone(index.replace('thing_number', 'thing_other'))
    await other.close()
  })

test('nothing stands before a server itself', { skip: postgresMissing }, async () => {
  const database = await createDatabase('postgres')
  const found: Pooling[] = []
  const store = await open(database.url, { notePooling: (pooling: Pooling) => void found.push(pooling) })
  await store.close()
  await database.drop()
  assert.deepEqual(found, [{ lends: 'nothing', mixesStatements: false }])
})

const open = (url: string, more: object = {}): Promise<Store> =>
  openStore(url, {
    limits: { ...defaultLimits, ...patientLimits },
    log: { warn: assert.fail, error: assert.fail },
    ...more,
  })

async function behind(t: TestContext, databaseUrl: string, mode: 'session' | 'transaction'): Promise<string> {
  const pgbouncer = await startPgbouncer(databaseUrl, mode)
  t.after(() => pgbouncer.stop())
  return pgbouncer.url
}

/** Many sessions, whose statements are alike. */
async function useAtOnce(store: Store): Promise<void> {
  await store.write(() => rowsOf(query('create table thing (number integer primary key)')))
  const insert = query('insert into thing values ($1) returning number')
  const sum = query('select count(*), coalesce(sum(number), 0) from thing where number < $1')
  await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      await store.write(() => rowsOf(insert, at))
      const [row] = await store.read(rowsOf(sum, 1_000))
      assert(Number(row![0]) > 0)
      await store.write(function* () {
        assert.deepEqual(yield bind(query('select number from thing where number = $1'), at), [[at]])
      })
    }),
  )
  assert.deepEqual(await store.read(rowsOf(sum, 1_000)), [[60, 1_770]])
}
