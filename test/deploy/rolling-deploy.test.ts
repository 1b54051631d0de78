// An old and a new version of a service on one PostgreSQL database at the same time, each through its own HTTP.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  integer,
  is,
  one,
  optional,
  resource,
  type Service,
  type StartedService,
  self,
  service,
  start,
  state,
  text,
} from 'duet-api'
import { createClient } from '../support/client/http-client.ts'
import { accountFields, accounts } from '../support/domain/account.ts'
import { createDatabase, postgresMissing, type TestDatabase } from '../support/server/databases.ts'

/** A service of accounts and tasks, with these fields and actions of tasks, and whatever else there is. */
function version(task: { fields?: object; accept?: string[]; more?: object } = {}, others: object = {}) {
  const User = resource('User', {
    prefix: 'usr',
    fields: { ...accountFields, status: state('ACTIVE', 'GONE') },
    actions: {
      read: { allow: self },
      create: { allow: anyone, accept: ['email', 'password'] },
      leave: { allow: self, from: 'ACTIVE', to: 'GONE' },
    },
  })
  const accept = ['title', 'kind', ...(task.accept ?? [])]
  const Task = resource('Task', {
    prefix: 'task',
    fields: { title: text({ max: 100 }), kind: choice(['chore', 'wish'], { default: 'chore' }), ...task.fields },
    filter: { kind: is },
    actions: {
      read: { allow: anyone },
      create: { allow: anyone, accept },
      update: { allow: anyone, accept },
      delete: { allow: anyone },
    },
    ...task.more,
  } as never)
  return service({
    resources: { User, Task, ...others },
    accounts,
    roles: { ANY: {} },
  } as never) as Service<unknown>
}
const Remark = resource('Remark', {
  prefix: 'rem',
  fields: { task: one('Task', { cascade: 'regardless' }), words: text({ max: 100 }) },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['task', 'words'] } },
})
const old = version()
/** All that is additive: fields with and without a default, a value, a sort with its index, a resource. */
const additions = {
  kind: choice(['chore', 'wish', 'duty'], { default: 'chore' }),
  note: optional(text({ max: 100 })),
  urgent: boolean({ default: false }),
  weight: integer({ default: 3 }),
}
const next = version({ fields: additions, accept: ['note', 'urgent'], more: { sort: ['weight'] } }, { Remark })

describe('a rolling deploy', { skip: postgresMissing }, () => {
  let database: TestDatabase
  let running: StartedService[]
  beforeEach(async () => {
    database = await createDatabase('postgres')
    running = []
  })
  afterEach(async () => {
    await Promise.all(running.map((each) => each.stop()))
    await database.drop()
  })

  /** Starts an instance, and waits until the others can know of it. */
  async function run(definition: Service<unknown>) {
    const environment = { PORT: '0', DATABASE_URL: database.url, LIMIT_IP_PER_MINUTE: '0' }
    const started = await start(definition, { environment })
    running.push(started)
    const client = createClient(started.url)
    return {
      send: client.send,
      async ask(query: string) {
        const { body } = await client.send('POST /graphql', { body: { query } })
        assert.equal(body.errors, undefined, JSON.stringify(body.errors))
        return body.data
      },
      async stop() {
        client.close()
        running.splice(running.indexOf(started), 1)
        await started.stop()
      },
    }
  }
  const refusal = (definition: Service<unknown>): Promise<string> =>
    run(definition).then(
      () => assert.fail('It started.'),
      (error: Error) => error.message,
    )

  test('both versions work while many instances start at once, and the old one may start again', async () => {
    const first = await run(old)
    const written: Promise<{ status: number }>[] = []
    let isOver = false
    const load = (async () => {
      while (!isOver) {
        written.push(first.send('POST /api/v1/tasks', { body: { title: 'T' } }))
        await written.at(-1)
      }
    })()
    const [second, again] = await Promise.all([run(next), run(old), run(next), run(old), run(next)])
    isOver = true
    await load
    assert.ok(written.length > 0)
    for (const each of written) assert.equal((await each).status, 201)

    for (const older of [first, again]) {
      const { body: made } = await older.send('POST /api/v1/tasks', { body: { title: 'Old', kind: 'wish' } })
      const path = `/api/v1/tasks/${made.data.id}`
      const { body: seen } = await second.send(`GET ${path}`)
      assert.deepEqual([seen.data.note, seen.data.urgent, seen.data.weight], [null, false, 3])
      const change = { kind: 'duty', note: 'N', urgent: true }
      assert.equal((await second.send(`PATCH ${path}`, { body: change })).status, 200)
      // A value that it does not know is shown as it is, by both faces; what it does not know it leaves alone.
      assert.equal((await older.send(`GET ${path}`)).body.data.kind, 'duty')
      assert.deepEqual(await older.ask(`{ task(id: "${made.data.id}") { kind } }`), { task: { kind: 'duty' } })
      assert.equal((await older.send(`PUT ${path}`, { body: { title: 'New', kind: 'chore' } })).status, 200)
      const { body: after } = await second.send(`GET ${path}`)
      const { title, kind, note, urgent } = after.data
      assert.deepEqual([title, kind, note, urgent], ['New', 'chore', 'N', true])
      const remark = { task_id: made.data.id, words: 'W' }
      assert.equal((await second.send('POST /api/v1/remarks', { body: remark })).status, 201)
      assert.equal((await older.send(`DELETE ${path}`)).status, 204)
      assert.equal((await second.send(`GET ${path}`)).status, 404)
    }
  })

  test('the old version returns alone, with everything that the new one has added still there', async () => {
    await (await run(old)).stop()
    const newer = await run(next)
    const { body } = await newer.send('POST /api/v1/tasks', { body: { title: 'T', note: 'N' } })
    await newer.stop()
    const older = await run(old)
    assert.equal((await older.send(`PATCH /api/v1/tasks/${body.data.id}`, { body: { title: 'U' } })).status, 200)
    await older.stop()
    const { send } = await run(next)
    assert.equal((await send(`GET /api/v1/tasks/${body.data.id}`)).body.data.note, 'N')
  })

  test('what running instances could not bear is refused, and done once they are gone', async () => {
    const older = await run(version({ fields: { note: optional(text({ max: 9 })) } }))
    const renamed = version({ fields: { remark: optional(text({ max: 9, was: 'note' })) } })
    const required = version({ fields: { note: text({ max: 9 }) }, accept: ['note'] })
    const needed = version({ fields: { note: optional(text({ max: 9 })), size: integer() }, accept: ['size'] })
    const stopThem = 'and instances of another version are running: stop them before this one starts.'
    assert.match(await refusal(renamed), RegExp(`Task.remark had the name "note" before, ${stopThem}`))
    assert.match(await refusal(required), RegExp(`Task.note was optional and is required now, ${stopThem}`))
    assert.match(await refusal(needed), RegExp(`Task.size is required and has no default, ${stopThem}`))
    assert.equal((await older.send('POST /api/v1/tasks', { body: { title: 'T' } })).status, 201)
    await older.stop()
    const newer = await run(renamed)
    assert.match(
      await refusal(version({ fields: { note: optional(text({ max: 9 })) } })),
      /^A newer version of this service .*\nTask\.note: the column "note" of "tasks" is not there any more\.$/,
    )
    assert.equal((await newer.send('GET /api/v1/tasks')).body.data[0].remark, null)
  })
})
