// `npm run changes -- 1000000 500`: changes a service with so many records on PostgreSQL, one kind of change after the other, while the
// version before and then both versions serve so many requests a second. Prints what requests noticed.

import { setTimeout as pause } from 'node:timers/promises'
import {
  anyone,
  choice,
  integer,
  is,
  one,
  optional,
  resource,
  type StartedService,
  service,
  start,
  text,
} from 'duet-api'
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

interface Version {
  readonly fields?: object
  readonly more?: object
  readonly others?: object
}
function definitionOf({ fields, more, others }: Version) {
  const actions = { read: { allow: anyone }, create: { allow: anyone, accept: ['title', 'level'] } }
  const all = { title: text({ max: 50 }), level: integer(), ...fields }
  const Task = resource('Task', { prefix: 'task', fields: all, actions, ...more } as never)
  return service({ resources: { User, Task, ...others }, roles: { ANY: 'everything' }, accounts } as never)
}

const Tag = resource('Tag', { prefix: 'tag', fields: { name: text({ max: 9 }) }, actions: { read: { allow: anyone } } })
const note = optional(text({ max: 50 }))
const kind = (...more: string[]) => choice(['chore', 'wish', ...more] as never, { default: 'chore' as never })
const remark = optional(text({ max: 50, column: 'note' }))
const size = optional(integer({ default: 1 }))
const last = { size, rank: integer({ default: 3 }), kind: kind('plan'), owner: optional(one('User')), remark }
const { remark: _, ...withoutRemark } = last
const longer = { ...withoutRemark, rank: optional(integer({ default: 3 })) }

const required = { ...longer, size: integer({ default: 1 }) }
const texts = { ...required, level: text({ max: 9, column: 'level_text', was: { column: 'level' } }) }
const { size: __, ...others } = texts
const renamed = { ...others, extent: integer({ default: 1, was: 'size' }) }

/** Each is what the one before was, with one change. */
const versions: readonly (readonly [change: string, version: Version])[] = [
  ['', { fields: { size, note } }],
  ['a field with a default', { fields: { size, note, rank: integer({ default: 3 }) } }],
  ['a choice', { fields: { size, note, rank: last.rank, kind: kind() } }],
  ['a value of a choice more', { fields: { size, note, rank: last.rank, kind: last.kind } }],
  ['a relation', { fields: { size, note, rank: last.rank, kind: last.kind, owner: last.owner } }],
  ['another name', { fields: last }],
  ['a resource more', { fields: last, others: { Tag } }],
  ['a sort', { fields: last, others: { Tag }, more: { sort: ['level'] } }],
  ['a filter', { fields: last, others: { Tag }, more: { sort: ['level'], filter: { kind: is } } }],
  [
    'unique values',
    { fields: last, others: { Tag }, more: { sort: ['level'], filter: { kind: is }, unique: [['title']] } },
  ],
  ['a sort less', { fields: last, others: { Tag }, more: { filter: { kind: is }, unique: [['title']] } }],
  ['unique values less', { fields: last, others: { Tag }, more: { filter: { kind: is } } }],
  ['a filter less', { fields: last, others: { Tag } }],
  ['a field less', { fields: withoutRemark, others: { Tag } }],
  ['a resource less', { fields: withoutRemark }],
  ['a field that becomes optional', { fields: longer }],
  ['a field that becomes required', { fields: required }],
  ['another kind', { fields: texts }],
  ['another name of the column', { fields: renamed }],
  ['a search', { fields: renamed, more: { search: ['title'] } }],
]

const database = await createDatabase('postgres')
const environment = { PORT: '0', DATABASE_URL: database.url, LIMIT_IP_PER_MINUTE: '0', LOG_LEVEL: 'off' }
const run = ([, version]: (typeof versions)[number]) => start(definitionOf(version), { environment })
let running: readonly StartedService[] = [await run(versions[0]!)]
const store = await openStore(database.url, { limits: defaultLimits, log: console })
const made = `select 'task_' || lpad(n::text, 10, '0'), 'Task ' || n, n % 1000, 1, now(), now() from generate_series(1, ${Number(count)}) n`
await store.write(
  function* () {
    yield bind(command(`insert into tasks (id, title, level, size, created_at, updated_at) ${made}`))
  },
  { withoutTimeout: true },
)
await store.runAlone('vacuum analyze tasks')

/** Those whose level is a text. */
const textual = new Set<StartedService>()
const seen = { requests: 0, failed: 0, slowestMs: 0 }
let isRunning = true
async function request(at: number): Promise<void> {
  if (running.length === 0) return
  const began = performance.now()
  const service = running[at % running.length]!
  const url = `${service.url}/api/v1/tasks`
  const level = textual.has(service) ? `${at % 1000}` : at % 1000
  const body = JSON.stringify({ title: `New ${at} ${began}`, level })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(
    at % 4 === 0 ? url : `${url}?limit=5`,
    at % 4 === 0 ? { method: 'POST', headers, body } : {},
  )
  const answered = await answer.text()
  seen.requests++
  if (!answer.ok) {
    seen.failed++
    if (seen.failed < 5) process.stderr.write(`${answer.status} ${answered}\n`)
  }
  seen.slowestMs = Math.max(seen.slowestMs, performance.now() - began)
}
const inFlight = new Set<Promise<void>>()
async function load(): Promise<void> {
  for (let at = 0; isRunning; at += 5) {
    for (let each = at; each < at + 5; each++) {
      const sent = request(each).finally(() => inFlight.delete(sent))
      inFlight.add(sent)
    }
    await pause(5_000 / Number(perSecond))
  }
  await Promise.all(inFlight)
}
const loading = load()
function report(line: string): void {
  process.stdout.write(
    `${line}; ${seen.requests} requests, ${seen.failed} failed, slowest ${Math.round(seen.slowestMs)} ms\n`,
  )
  Object.assign(seen, { requests: 0, failed: 0, slowestMs: 0 })
}
async function end(services: readonly StartedService[]): Promise<void> {
  running = running.filter((each) => !services.includes(each))
  await Promise.all(inFlight)
  await Promise.all(services.map(({ stop }) => stop()))
}
const losses = new Set(['tasks.note', 'tasks.level', 'tags'])
async function apply(version: Version, finish: boolean) {
  const model = compileService(definitionOf(version))
  const desired = desiredSchema(model, postgresDialect, internalTables(model))
  const holder = { name: 'changes', isGone: () => false }
  const options = { holder, finish, accepted: finish ? losses : new Set<string>(), report: () => undefined }
  return applyMigration(store, desired, options)
}

await pause(3_000)
report('before')
for (const each of versions.slice(1)) {
  const [change, version] = each
  const former = running
  const began = performance.now()
  const left = await apply(version, false)
  const needsAlone = left.some(({ why }) => why === 'instances' || why === 'order')
  if (needsAlone) {
    await end(former)
    await apply(version, false)
  }
  report(`${change}: ${((performance.now() - began) / 1000).toFixed(1)} s${needsAlone ? ', alone' : ''}`)
  const next = await run(each)
  if (version.fields?.['level' as never] === texts.level) textual.add(next)
  running = [...running, next]
  await pause(1_000)
  report(needsAlone ? '  the new version' : '  both versions')
  if (!needsAlone) await end(former)
  if (left.some(({ why }) => why === 'finish')) {
    await apply(version, true)
    report('  finish')
  }
}
isRunning = false
await loading
process.exit()
