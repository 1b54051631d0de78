// Every connection to PostgreSQL is busy with a transaction that takes long. (contract 8.5.4)

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { bind, type Program, query, type Store } from '../../src/store/store.ts'
import { postgresMissing } from '../support/server/databases.ts'
import { startTestService, type TestService } from '../support/server/service.ts'

/** Two of them are for writes. */
const poolSize = 5
const writers = 2
const writesWaiting = 4

function* countHeldUp(): Program<number> {
  const [row] = yield bind(
    query(`select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
  )
  return row![0] as number
}
async function untilHeldUp(store: Store, wanted: number): Promise<void> {
  while ((await store.read(countHeldUp())) !== wanted);
}

describe('8.5 Exhaustion', { skip: postgresMissing }, () => {
  let service: TestService
  before(async () => {
    service = await startTestService('postgres', { limits: { poolSize, writesWaiting, writeWaitMs: 1_000 } })
  })
  after(() => service.stop())

  test('8.5.4 further writes are 503 soon, reads go on, and each is carried out when it is repeated', async () => {
    const other = new pg.Client({ connectionString: service.databaseUrl })
    await other.connect()
    await other.query('begin; lock table posts in exclusive mode')
    const question = (key: string) => ({
      as: 'editor' as const,
      headers: { 'Idempotency-Key': key },
      body: { title: key, content: 'C' },
    })
    const send = (key: string) => service.send('POST /api/v2/posts', question(key))
    const title = (answer: Awaited<ReturnType<typeof send>>) => answer.body.data.title
    await service.send('GET /api/v2/users/me', { as: 'editor' })
    const held = Array.from({ length: writers }, (_, at) => send(`held-${at}`))
    await untilHeldUp(service.store, writers)
    // As many as may wait for a connection, and two more.
    const keys = Array.from({ length: writesWaiting + 2 }, (_, at) => `refused-${at}`)
    for (const answer of await Promise.all(keys.map(send))) {
      assert.deepEqual([answer.status, answer.body.error?.code], [503, 'SERVICE_UNAVAILABLE'])
      assert.equal(answer.headers['retry-after'], '1')
    }
    assert.equal((await service.send('GET /api/v2/posts')).status, 200)
    assert.equal((await service.send('GET /health/ready')).status, 200)
    await other.query('rollback')
    await other.end()
    for (const [at, answer] of (await Promise.all(held)).entries()) assert.equal(title(answer), `held-${at}`)
    for (const key of keys) {
      const answer = await send(key)
      assert.deepEqual([answer.status, title(answer)], [201, key])
    }
    service.assertLog()
  })
})
