// A field of another kind: both versions run on one database while both write. (contract 18.4)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, integer, many, member, nobody, one, readable, resource, service, start, text } from 'duet-api'
import { defaultLimits } from '../../src/limits.ts'
import { internalTables } from '../../src/service/open/open-database.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { applyMigration } from '../../src/store/migration/live/apply.ts'
import { desiredSchema } from '../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { query, rowsOf } from '../../src/store/store.ts'
import { createClient } from '../support/client/http-client.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createDatabase, forEachEngine } from '../support/server/databases.ts'
import { loggingFails } from '../support/server/test-store.ts'

const number = integer()
const words = text({ max: 20, column: 'level_text', was: { column: 'level' } })

/** Tasks of their own, and parts two levels deep in a tenant. */
function versionOf(level: unknown) {
  const Firm = resource('Firm', {
    prefix: 'firm',
    fields: { memberships: many('Membership', 'firm') },
    members: { list: 'memberships', account: 'user', role: 'role' },
    actions: { read: { allow: member() }, create: { allow: nobody } },
  } as never)
  const Membership = resource('Membership', {
    prefix: 'mem',
    within: 'firm',
    fields: { firm: one('Firm'), user: one('User'), role: choice(['OWNER']) },
    actions: { read: { allow: member('firm') } },
  } as never)
  const Job = resource('Job', {
    prefix: 'job',
    within: 'firm',
    fields: { firm: one('Firm') },
    actions: { read: { allow: member('firm') }, create: { allow: nobody, accept: ['firm'] } },
  } as never)
  const Part = resource('Part', {
    prefix: 'part',
    within: 'job',
    fields: { job: one('Job'), level },
    actions: {
      read: { allow: readable('job') },
      create: { allow: nobody, accept: ['job', 'level'] },
      update: { allow: nobody, accept: ['level'] },
    },
  } as never)
  const Task = resource('Task', {
    prefix: 'task',
    fields: { title: text({ max: 50 }), level },
    sort: ['level'],
    actions: {
      read: { allow: anyone },
      create: { allow: anyone, accept: ['title', 'level'] },
      update: { allow: anyone, accept: ['level'] },
    },
  } as never)
  return service({
    resources: { User, Firm, Membership, Job, Part, Task },
    roles: { ANY: 'everything' },
    tenantRoles: { Firm: { OWNER: 'everything' } },
    accounts,
  } as never)
}

forEachEngine((engine) => {
  test('18.4.1, 18.4.2 both versions write, also twenty at once and two levels deep in a tenant', async (t) => {
    const isAlone = engine === 'sqlite'
    const database = await createDatabase(engine)
    const store = await openStore(database.url, { limits: defaultLimits, log: loggingFails })
    const run = async (level: unknown) => {
      const definition = versionOf(level)
      const environment = {
        PORT: '0',
        DATABASE_URL: database.url,
        LIMIT_IP_PER_MINUTE: '0',
      }
      const { url, stop, asService } = await start(definition, { environment })
      const { send, close } = createClient(url)
      const end = () => stop().finally(close)
      t.after(end)
      const ask = async (query: string) => (await send('POST /graphql', { body: { query } })).body
      // biome-ignore lint/suspicious/noExplicitAny: the definitions are made of parts
      const records = asService.records as any
      // biome-ignore lint/suspicious/noExplicitAny: the definitions are made of parts
      const { Firm, Job, Part } = definition.resources as any
      return { send, ask, records, Firm, Job, Part, end }
    }
    const apply = async (level: unknown, ...losses: readonly string[]) => {
      const model = compileService(versionOf(level))
      const left = await applyMigration(store, desiredSchema(model, dialectOf(engine), internalTables(model)), {
        holder: { name: 'test', isGone: () => false },
        finish: losses.length > 0,
        accepted: new Set(losses),
        report: () => undefined,
      })
      return left.map(({ step, why }) => `${step.loss ?? step.change}: ${why}`)
    }

    let older = await run(number)
    const make = (level: number) => older.send('POST /api/v1/tasks', { body: { title: 'T', level } })
    const made = await Promise.all(Array.from({ length: 20 }, (_, at) => make(at)))
    const ids: readonly string[] = made.map(({ body }) => body.data.id)
    const firm = await older.records.create(older.Firm, {})
    const job = await older.records.create(older.Job, { firm: firm.id })
    const part = await older.records.create(older.Part, { job: job.id, level: 5 })
    // The older version writes while columns are added and filled.
    let isApplying = true
    const writing = (async () => {
      let written = 0
      for (; isApplying || written < 20; written++) assert.equal((await make(1_000 + written)).status, 201)
      return written
    })()
    const finishes = ['parts.level: finish', 'tasks.level: finish']
    assert.deepEqual((await apply(words)).toSorted(), finishes)
    isApplying = false
    const count = ids.length + (await writing)

    if (isAlone) await older.end()
    const newer = await run(words)
    const inBoth = async () => {
      const rows = await store.read(
        rowsOf(query('select level, level_text from tasks union all select level, level_text from parts')),
      )
      assert.equal(rows.length, count + 1)
      return rows.every(([level, text]) => String(level) === text)
    }
    assert(await inBoth())
    const [first] = ids
    const texts = async (id: string) => [
      (await newer.send(`GET /api/v1/tasks/${id}`)).body.data.level,
      (await newer.ask(`{ task(id: "${id}") { level } }`)).data.task.level,
    ]
    const numbers = async (id: string) => [
      (await older.send(`GET /api/v1/tasks/${id}`)).body.data.level,
      (await older.ask(`{ task(id: "${id}") { level } }`)).data.task.level,
    ]
    const writesOfNewer = (at: number) => [
      () => newer.send(`PATCH /api/v1/tasks/${ids[at % 3]}`, { body: { level: `${at}` } }),
      () => newer.ask(`mutation { updateTask(id: "${ids[at % 3]}", input: { level: "${at}" }) { level } }`),
      () => newer.records.update(newer.Part, part.id, { level: `${at}` }),
    ]
    const writesOfOlder = (at: number) => [
      () => older.send(`PATCH /api/v1/tasks/${ids[at % 3]}`, { body: { level: at } }),
      () => older.ask(`mutation { updateTask(id: "${ids[at % 3]}", input: { level: ${at} }) { level } }`),
      () => older.records.update(older.Part, part.id, { level: at }),
    ]
    for (let round = 0; round < 5; round++) {
      const writes = Array.from({ length: 20 }, (_, at) => {
        const ways = [...writesOfNewer(at + 20 * round), ...(isAlone ? [] : writesOfOlder(at + 20 * round))]
        return ways[at % ways.length]!
      })
      for (const answer of await Promise.all(writes.map((write) => write()))) {
        assert.equal(answer.status ?? 200, 200, answer.text)
        assert.equal(answer.errors, undefined)
      }
      assert(await inBoth(), `round ${round}`)
    }
    await newer.send(`PATCH /api/v1/tasks/${first}`, { body: { level: '77' } })
    assert.deepEqual(await texts(first!), ['77', '77'])
    if (isAlone) {
      await newer.end()
      older = await run(number)
    }
    assert.deepEqual(await numbers(first!), [77, 77])
    assert.deepEqual((await older.send('GET /api/v1/tasks?sort=-level&per_page=1')).body.data.length, 1)
    await older.send(`PATCH /api/v1/tasks/${first}`, { body: { level: 78 } })
    await older.end()
    const last = isAlone ? await run(words) : newer
    assert.equal((await last.send(`GET /api/v1/tasks/${first}`)).body.data.level, '78')
    assert.deepEqual(await apply(words, 'tasks.level', 'parts.level'), [])
    assert.equal((await last.send(`PATCH /api/v1/tasks/${first}`, { body: { level: 'free' } })).body.data.level, 'free')
    await last.end()
    await store.close()
    await database.drop()
  })
})
