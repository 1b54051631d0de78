// `npm run changes -- 1000000 500`: applies changes to so many records on PostgreSQL while the version before and then both versions
// serve so many requests a second, and prints what requests noticed.

import { setTimeout as pause } from 'node:timers/promises'
import { anyone, integer, optional, resource, service, start, text } from 'duet-api'
import { defaultLimits } from '../../src/limits.ts'
import { internalTables } from '../../src/service/open/open-database.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { applyMigration } from '../../src/store/migration/live/apply.ts'
import { desiredSchema } from '../../src/store/sql/schema/schema.ts'
import { postgresDialect } from '../../src/store/sql/text/dialect.ts'
import { bind, command } from '../../src/store/store.ts'
import { accounts, User } from '../support/domain/account.ts'
import { createDatabase } from '../support/server/databases.ts'

const [count = '1000000', perSecond = '500'] = process.argv.slice(2)

function definitionOf(fields: object, more: object) {
  const actions = { read: { allow: anyone }, create: { allow: anyone, accept: ['title', 'level'] } }
  const all = { title: text({ max: 50 }), level: integer(), ...fields }
  const Task = resource('Task', { prefix: 'task', fields: all, actions, ...more } as never)
  return service({ resources: { User, Task }, roles: { ANY: 'everything' }, accounts } as never)
}
const former = definitionOf({ note: optional(text({ max: 50 })) }, {})
const next = definitionOf({ rank: integer({ default: 3 }) }, { sort: ['level', 'rank'], unique: [['title']] })

const database = await createDatabase('postgres')
const environment = { PORT: '0', DATABASE_URL: database.url, LIMIT_IP_PER_MINUTE: '0' }
const urls = [(await start(former, { environment })).url]
const store = await openStore(database.url, { limits: defaultLimits, log: console })
const made = `select 'task_' || lpad(n::text, 10, '0'), 'Task ' || n, n % 1000, now(), now() from generate_series(1, ${Number(count)}) n`
await store.write(
  function* () {
    yield bind(command(`insert into tasks (id, title, level, created_at, updated_at) ${made}`))
  },
  { withoutTimeout: true },
)
await store.runAlone('vacuum analyze tasks')

const seen = { requests: 0, failed: 0, slowestMs: 0 }
let phase = 'start'
let isRunning = true
async function request(at: number): Promise<void> {
  const began = performance.now()
  const url = `${urls[at % urls.length]}/api/v1/tasks`
  const body = JSON.stringify({ title: `New ${phase} ${at} ${began}`, level: at % 1000 })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(
    at % 4 === 0 ? url : `${url}?limit=5`,
    at % 4 === 0 ? { method: 'POST', headers, body } : {},
  )
  await answer.arrayBuffer()
  seen.requests++
  if (!answer.ok) {
    seen.failed++
    if (seen.failed < 5) process.stderr.write(`${phase}: ${answer.status}\n`)
  }
  seen.slowestMs = Math.max(seen.slowestMs, performance.now() - began)
}
async function load(): Promise<void> {
  const running = new Set<Promise<void>>()
  for (let at = 0; isRunning; at += 5) {
    for (let each = at; each < at + 5; each++) {
      const one = request(each).finally(() => running.delete(one))
      running.add(one)
    }
    await pause(5_000 / Number(perSecond))
  }
  await Promise.all(running)
}
const loading = load()
function report(line: string): void {
  process.stdout.write(
    `${line}; ${seen.requests} requests, ${seen.failed} failed, slowest ${Math.round(seen.slowestMs)} ms\n`,
  )
  Object.assign(seen, { requests: 0, failed: 0, slowestMs: 0 })
}
const model = compileService(next)
const desired = desiredSchema(model, postgresDialect, internalTables(model))
const holder = { name: 'changes', isGone: () => false }
await pause(3_000)
report('before')
phase = 'apply'
const left = await applyMigration(store, desired, { holder, finish: false, accepted: new Set(), report })
process.stdout.write(`left: ${left.map(({ step }) => step.change).join(', ')}\n`)
phase = 'both'
urls.push((await start(next, { environment })).url)
await pause(3_000)
report('both versions')
isRunning = false
await loading
process.exit()
