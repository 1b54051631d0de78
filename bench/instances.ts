// `node --conditions=duet-source bench/instances.ts`: what one, two and four instances cost themselves and a PostgreSQL of
// their own for one request, and how long an event takes from its commit to a thousand subscribers of several instances.
// `--quick` measures each once and for a second.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import pg from 'pg'
import { startPostgresServer } from '../test/support/server/postgres-server.ts'
import { stop } from './child.ts'
import { inChunks } from './chunks.ts'
import { loadProgram, runLoad } from './load.ts'
import { secondsOf, sized } from './scale.ts'
import { type Ids, type Workload, workloads } from './workloads.ts'

interface Instance {
  readonly process: ChildProcess
  readonly url: string
  readonly token: string
}
interface Spent {
  readonly perSecond: number
  readonly instanceUs: number
  readonly postgresUs: number
  readonly statements: number
}

const isQuick = process.argv.includes('--quick')
const [rounds, seconds] = [isQuick ? 1 : sized(3, 1), isQuick ? 1 : secondsOf(3)]
/** How many instances take part, one time after the other. */
const counts = sized([1, 2, 4], [1, 2])
const connections = 64
const [subscribers, events] = [sized(1_000, 20), sized(40, 2)]

const postgres = await startPostgresServer({ shared_preload_libraries: 'pg_stat_statements' })
const client = new pg.Client({ connectionString: postgres.url })
await client.connect()
await client.query('create extension pg_stat_statements')
const instances: Instance[] = []
try {
  const { ids } = await start()
  while (instances.length < counts.at(-1)!) await start()
  await costs(workloads(ids).filter(({ name }) => ['W1', 'W4', 'W6'].includes(name)))
  await latencies()
  await idle()
} finally {
  await Promise.all(instances.map(({ process }) => stop(process)))
  await client.end()
  await postgres.remove()
}

async function costs(chosen: readonly Workload[]): Promise<void> {
  const rows: (string | number)[][] = []
  for (const workload of chosen) {
    const runs = counts.map((count) => ({ count, spent: [] as Spent[] }))
    for (let round = 0; round < rounds; round++)
      for (const { count, spent } of runs) spent.push(await measure(instances.slice(0, count), workload))
    for (const { count, spent } of runs) {
      const middle = (of: (each: Spent) => number) => median(spent.map(of))
      rows.push([
        workload.name,
        count,
        Math.round(middle((each) => each.perSecond)).toLocaleString('en'),
        middle((each) => each.instanceUs).toFixed(0),
        middle((each) => each.postgresUs).toFixed(0),
        middle((each) => each.statements).toFixed(2),
      ])
    }
  }
  const [own, its] = ['instances: CPU µs/request', 'PostgreSQL: CPU µs/request']
  print(['', 'instances', 'requests/s', own, its, 'statements/request'], rows)
}

async function latencies(): Promise<void> {
  const rows: (string | number)[][] = []
  for (const count of counts) rows.push([count, ...(await latency(instances.slice(0, count)))])
  print(['instances', 'write to its answer, median ms', 'from there to delivery, median ms', 'p99 ms'], rows)
}

/** The first of them fills the database and knows what is in it. */
async function start(): Promise<{ readonly ids: Ids }> {
  const child = fork(inChunks(new URL('contenders/duet.ts', import.meta.url)), {
    env: { ...process.env, BENCH_DATABASE_URL: postgres.url },
    execArgv: [],
  })
  const [told] = (await once(child, 'message')) as [{ url: string; token: string } & Ids]
  instances.push({ process: child, url: told.url, token: told.token })
  return { ids: told }
}

/** All at once, with the same number of connections in all. */
async function measure(chosen: readonly Instance[], workload: Workload): Promise<Spent> {
  const spentBy = () => chosen.reduce((sum, { process }) => sum + cpuMs(process.pid!), 0)
  const before = { instances: spentBy(), postgres: postgresCpuMs(), statements: await statements() }
  const each = connections / chosen.length
  const results = await Promise.all(
    chosen.map(({ url, token }) => runLoad(url, workload, token, seconds, { open: each })),
  )
  if (results.some(({ failures }) => failures > 0)) throw new Error(`${workload.name} failed.`)
  const perSecond = results.reduce((sum, result) => sum + result.requestsPerSecond, 0)
  const perRequest = (spent: number) => spent / (perSecond * seconds)
  return {
    perSecond,
    instanceUs: 1_000 * perRequest(spentBy() - before.instances),
    postgresUs: 1_000 * perRequest(postgresCpuMs() - before.postgres),
    statements: perRequest((await statements()) - before.statements),
  }
}

/** What begins and ends transactions included. */
async function statements(): Promise<number> {
  const { rows } = await client.query('select sum(calls)::float8 as calls from pg_stat_statements')
  return (rows[0] as { calls: number }).calls
}

/** The median time of a write; median and p99 of what its event takes from there to each subscriber. */
async function latency(chosen: readonly Instance[]): Promise<readonly string[]> {
  const listeners = fork(
    new URL('subscribers.ts', import.meta.url),
    chosen.map(({ url }) => url),
  )
  const next = async <T>(): Promise<T> => ((await once(listeners, 'message')) as [T])[0]
  listeners.send({ open: subscribers, query: 'subscription { postCreated { id title author { name } } }' })
  await next()
  const [answered, delivered]: [number[], number[]] = [[], []]
  for (let count = 0; count < events; count++) {
    const heard = next<{ all: readonly number[] }>()
    const begun = now()
    await write(chosen[count % chosen.length]!)
    const committed = now()
    answered.push(committed - begun)
    delivered.push(...(await heard).all.map((at) => at - committed))
  }
  listeners.kill()
  const sorted = delivered.toSorted((left, right) => left - right)
  const p99 = sorted[Math.floor(sorted.length * 0.99)]!
  return [median(answered), median(delivered), p99].map((value) => value.toFixed(1))
}

async function write({ url, token }: Instance): Promise<void> {
  const answer = await fetch(`${url}/api/v2/posts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ title: 'An event', content: 'Words.', publish: true }),
  })
  if (answer.status !== 201) throw new Error(`A post is answered ${answer.status}: ${await answer.text()}`)
}

/** What idle instances send to PostgreSQL. */
async function idle(): Promise<void> {
  const idleSeconds = seconds * 3
  const [before, spent] = [await statements(), postgresCpuMs()]
  await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1_000))
  const per = (value: number) => (value / idleSeconds / instances.length).toFixed(1)
  process.stdout.write(
    `An idle instance: ${per((await statements()) - before)} statements and ${per(postgresCpuMs() - spent)} ms of PostgreSQL's CPU a second.\n`,
  )
}

function print(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const lines = [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  process.stdout.write(
    `Node ${process.version}, ${cpus()[0]!.model}, ${loadProgram}, ${connections} connections, medians of ${rounds} × ${seconds} s.\n\n${lines.join('\n')}\n\n`,
  )
}

/** User and system, and that of children that have ended; in hundredths of a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field) * 10, 0)
}

/** The server's processes: the first one, and those that it started and that are still there. */
function postgresCpuMs(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parentOf = (pid: string): number => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1])
    } catch {
      // It ended a moment ago.
      return 0
    }
  }
  const children = pids.filter((pid) => parentOf(pid) === postgres.pid)
  return [postgres.pid, ...children.map(Number)].reduce((sum, pid) => sum + cpuMs(pid), 0)
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!
}
function now(): number {
  return performance.timeOrigin + performance.now()
}
