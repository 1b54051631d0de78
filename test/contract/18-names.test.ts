// Names of columns and tables: both versions run on one database. (contract 18.1.8)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, optional, resource, service, start, text } from 'duet-api'
import { createClient } from '../support/client/http-client.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createDatabase, forEachEngine } from '../support/server/databases.ts'

const actionsOf = (field: string) => ({
  read: { allow: anyone },
  create: { allow: anyone, accept: ['title', field] },
  update: { allow: anyone, accept: [field] },
})
const serviceOf = (resources: object) =>
  service({
    resources: { User, ...resources },
    versions: { v1: { deprecated: '2026-01-01', sunset: '2030-01-01' }, v2: 'current' },
    roles: { ANY: 'everything' },
    accounts,
  } as never)
const Task = resource('Task', {
  prefix: 'task',
  fields: { title: text({ max: 50 }), note: optional(text({ max: 50 })) },
  sort: ['note'],
  actions: actionsOf('note'),
} as never)
const Job = resource('Job', {
  prefix: 'task',
  table: 'tasks',
  fields: { title: text({ max: 50 }), remark: optional(text({ max: 50, column: 'note' })) },
  formerly: { v1: { remark: 'note' } },
  sort: ['remark'],
  actions: actionsOf('remark'),
} as never)

forEachEngine((engine) => {
  test('18.1.8 both versions read and write what the other wrote, by their own names', async (t) => {
    const database = await createDatabase(engine)
    t.after(() => database.drop())
    const run = async (definition: ReturnType<typeof serviceOf>) => {
      const { url, stop } = await start(definition, { environment: { PORT: '0', DATABASE_URL: database.url } })
      const { send, close } = createClient(url)
      return { send, end: () => stop().finally(close) }
    }
    const older = await run(serviceOf({ Task }))
    const made = await older.send('POST /api/v2/tasks', { body: { title: 'A', note: 'first' } })
    assert.equal(made.status, 201, made.text)
    const { id } = made.body.data
    // On SQLite one instance runs.
    if (engine === 'sqlite') await older.end()
    const newer = await run(serviceOf({ Job }))
    const rest = await newer.send(`GET /api/v2/jobs/${id}`)
    assert.equal(rest.body.data.remark, 'first', rest.text)
    assert.equal((await newer.send(`GET /api/v1/jobs/${id}`)).body.data.note, 'first')
    const ask = (query: string) => newer.send('POST /graphql', { body: { query } })
    assert.deepEqual((await ask(`{ job(id: "${id}") { remark note } }`)).body.data.job, {
      remark: 'first',
      note: 'first',
    })
    const written = await ask(`mutation { updateJob(id: "${id}", input: { remark: "second" }) { remark } }`)
    assert.equal(written.body.errors, undefined, written.text)
    const again = engine === 'sqlite' ? await newer.end().then(() => run(serviceOf({ Task }))) : older
    assert.equal((await again.send(`GET /api/v2/tasks/${id}`)).body.data.note, 'second')
    const { body } = await again.send('POST /graphql', { body: { query: `{ task(id: "${id}") { note } }` } })
    assert.deepEqual(body.data.task, { note: 'second' })
    assert.equal((await again.send(`PATCH /api/v2/tasks/${id}`, { body: { note: 'third' } })).status, 200)
    await again.end()
    if (engine === 'postgres') {
      assert.equal((await newer.send(`GET /api/v2/jobs/${id}`)).body.data.remark, 'third')
      await newer.end()
    }
  })
})
