// `npm run changes -- 1000000 500 postgres`: changes a service with so many records, one kind of change after the other, while the
// version before serves so many requests a second; on PostgreSQL then both versions do, and on SQLite the next one after it. Prints
// what requests noticed, the longest wait for a lock, and how long each change was estimated to take.

import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type StartedService, start } from 'duet-api'
import { Client } from 'pg'
import { defaultLimits } from '../../src/limits.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { bind, command } from '../../src/store/store.ts'
import { createDatabase } from '../support/server/databases.ts'
import { definitionOf, type Version, versions } from './changes.ts'
import type { Applied } from './changes-apply.ts'

const [count = '1000000', perSecond = '500', engine = 'postgres'] = process.argv.slice(2)
const isSqlite = engine === 'sqlite'
const database = await createDatabase(isSqlite ? 'sqlite' : 'postgres')
const environment = { PORT: '0', DATABASE_URL: database.url, LIMIT_IP_PER_MINUTE: '0', LOG_LEVEL: 'off' }
const run = ([, version]: readonly [string, Version]) => start(definitionOf(version), { environment })
let running: readonly StartedService[] = [await run(versions[0]!)]
await fill()

/** Those whose level is a text. */
const textual = new Set<StartedService>()
const noticed = { requests: 0, failed: 0, slowestMs: 0, lockMs: 0 }
let isRunning = true
const inFlight = new Set<Promise<void>>()
const watching = watchLocks()
const loading = load()
await pause(3_000)
report('before')
for (const at of versions.keys()) if (at > 0) await change(at)
isRunning = false
await Promise.all([loading, watching])
process.exit()

async function fill(): Promise<void> {
  const store = await openStore(database.url, { limits: defaultLimits, log: console })
  const id = isSqlite ? `printf('%010d', n)` : `lpad(n::text, 10, '0')`
  const now = isSqlite ? `'2026-11-26T09:30:00.000Z'` : 'now()'
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${Number(count)})`
  const rows = `${numbers} select 'task_' || ${id}, 'Task ' || n, n % 1000, 1, ${now}, ${now} from numbers`
  await store.write(
    function* () {
      yield bind(command(`insert into tasks (id, title, level, size, created_at, updated_at) ${rows}`))
      const part = `'part_' || substr(id, 6), id, created_at, updated_at`
      yield bind(command(`insert into parts (id, task_id, created_at, updated_at) select ${part} from tasks`))
    },
    { withoutTimeout: true },
  )
  if (!isSqlite) for (const table of ['tasks', 'parts']) await store.runAlone(`vacuum analyze ${table}`)
  await store.close()
}

async function change(at: number): Promise<void> {
  const [name, version] = versions[at]!
  const former = running
  const planned = await apply(at, 'plan')
  const endsBefore = isSqlite && planned.needsAlone
  if (endsBefore) await end(former)
  let { seconds, left } = await apply(at, 'apply')
  const needsAlone = endsBefore || left.some((why) => why === 'instances' || why === 'order')
  if (needsAlone && !endsBefore) {
    await end(former)
    const again = await apply(at, 'apply')
    seconds += again.seconds
    left = again.left
  }
  const times = `${seconds.toFixed(1)} s, estimated ${planned.estimatedSeconds.toFixed(1)} s`
  report(`${name}: ${times}${needsAlone ? ', alone' : ''}`)
  if (isSqlite) await end(former)
  const next = await run(versions[at]!)
  if (JSON.stringify(version.fields).includes('level_text')) textual.add(next)
  running = [...running, next]
  await pause(1_000)
  report(needsAlone || isSqlite ? '  the new version' : '  both versions')
  await end(former)
  if (!left.includes('finish')) return
  const finished = await apply(at, 'finish')
  report(`  finish: ${finished.seconds.toFixed(1)} s, estimated ${finished.estimatedSeconds.toFixed(1)} s`)
}

async function apply(at: number, verb: string): Promise<Applied> {
  const script = new URL('changes-apply.ts', import.meta.url).pathname
  const args = ['--conditions=duet-source', script, database.url, `${at}`, verb]
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout)
}

async function end(services: readonly StartedService[]): Promise<void> {
  running = running.filter((each) => !services.includes(each))
  await Promise.all(inFlight)
  await Promise.all(services.map(({ stop }) => stop()))
}

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
  const text = await answer.text()
  noticed.requests++
  if (!answer.ok && noticed.failed++ < 5) process.stderr.write(`${answer.status} ${text}\n`)
  noticed.slowestMs = Math.max(noticed.slowestMs, performance.now() - began)
}

/** How long requests wait for locks; only changes wait for a table of their own, for transactions, and for their lease. */
async function watchLocks(): Promise<void> {
  if (isSqlite) return
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const longest = `select coalesce(max(extract(epoch from clock_timestamp() - waitstart)) * 1000, 0)::float8
    from pg_locks join pg_stat_activity using (pid) where backend_type = 'client backend'
    and query not like '%duet_migration%' and not granted and locktype <> 'virtualxid' and mode <> 'AccessExclusiveLock'
    and pg_locks.database = (select oid from pg_database where datname = current_database())`
  while (isRunning) {
    const { rows } = await client.query({ text: longest, rowMode: 'array' })
    noticed.lockMs = Math.max(noticed.lockMs, rows[0]![0])
    await pause(5)
  }
  await client.end()
}

function report(line: string): void {
  const { requests, failed, slowestMs, lockMs } = noticed
  const locks = isSqlite ? '' : `, longest lock ${Math.round(lockMs)} ms`
  process.stdout.write(`${line}; ${requests} requests, ${failed} failed, slowest ${Math.round(slowestMs)} ms${locks}\n`)
  Object.assign(noticed, { requests: 0, failed: 0, slowestMs: 0, lockMs: 0 })
}
