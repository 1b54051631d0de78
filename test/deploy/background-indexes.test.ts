// Indexes that are built while requests are served, by one instance and then another. (contract 18.1.10)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { anyone, resource, service, start, text } from 'duet-api'
import pg from 'pg'
import { createClient } from '../support/client/http-client.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'

function definitionOf(more: object) {
  const fields = { title: text({ max: 50 }) }
  const actions = { read: { allow: anyone }, create: { allow: anyone, accept: ['title'] } }
  const Note = resource('Note', { prefix: 'note', fields, actions, ...more } as never)
  return service({ resources: { User, Note }, roles: { ANY: 'everything' }, accounts } as never)
}

test('18.1.10 serves while an index is built, and builds it again', {
  skip: postgresMissing,
  timeout: 600_000,
}, async (t) => {
  const database = await createDatabase('postgres')
  const ends: (() => Promise<unknown>)[] = []
  t.after(async () => {
    for (const end of ends) await end()
    await database.drop()
  })
  const environment = {
    PORT: '0',
    NODE_ENV: 'production',
    BASE_URL: 'http://service.example',
    DATABASE_URL: database.url,
    LIMIT_IP_PER_MINUTE: '0',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'off',
  }
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  ends.push(() => client.end())
  const run = async (definition: ReturnType<typeof definitionOf>) => {
    const { url, stop } = await start(definition, { environment })
    const { send, close } = createClient(url)
    let isOver = false
    const end = async () => {
      if (isOver) return
      isOver = true
      close()
      await stop()
    }
    ends.push(end)
    return { send, end }
  }
  const first = await run(definitionOf({}))
  assert.equal((await first.send('POST /api/v1/notes', { body: { title: 'One' } })).status, 201)

  // Building an index concurrently waits for transactions that have written.
  await client.query('begin')
  await client.query(`update notes set title = 'Two'`)
  const sorted = definitionOf({ sort: ['title'] })
  const [one, other] = [await run(sorted), await run(sorted)]
  for (const { send } of [one, other]) {
    const { status, body } = await send('GET /health/ready')
    assert.deepEqual([status, body.data.indexes], [200, { pending: 1, progress: 0 }])
    assert.equal((await send('GET /api/v1/notes?sort=title')).status, 200)
  }
  const lease = async () => (await client.query(`select position from duet_migration where kind = 'lease'`)).rows
  while ((await lease()).length === 0) await wait(5)
  const building = await lease()
  // Either one builds; the other goes on.
  await one.end()
  await client.query('commit')
  while ((await other.send('GET /health/ready')).body.data.indexes !== undefined) await wait(20)
  const { rows } = await client.query(
    `select indisvalid from pg_index where indrelid = 'notes'::regclass and pg_get_indexdef(indexrelid) like '%(title, id)%'`,
  )
  assert.deepEqual(rows, [{ indisvalid: true }])
  assert.equal(building.length, 1)
  const third = await run(sorted)
  assert.equal((await third.send('GET /health/ready')).body.data.indexes, undefined)
})
