// `npm run bench`: the workloads on Duet, on bare node:http with an answer of the same size, and on what is written by hand
// where `npm ci --prefix bench/contenders` has installed it; in turn, several times. The machine is shared, so only ratios
// within one run count. `npm run bench -- W1 W4` runs only these, `--quick` runs each once and briefly.

import type { ChildProcess } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { cpuMs, megabytes, start, stop, told } from './child.ts'
import { loadProgram, runLoad } from './load.ts'
import { type Workload, workloads } from './workloads.ts'

interface Contender {
  readonly name: string
  readonly process: ChildProcess
  readonly url: string
  readonly token: string
}

const isQuick = process.argv.includes('--quick')
const [rounds, seconds, warmUpSeconds] = isQuick ? [1, 1, 1] : [3, 2, 4]
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const installed = existsSync(new URL('contenders/node_modules', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'duet-bench-'))
const seeded = join(folder, 'duet.db')
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
// A process of its own fills the database, so that the memory of the one that is measured is what serving takes.
const seeder = start('contenders/duet.ts', [], seeded)
const ids = await told<{ postId: string; authorId: string }>(seeder)
await stop(seeder)

const bareProcess = start('contenders/bare.ts')
const { port } = await told<{ port: number }>(bareProcess)
const bare: Contender = { name: 'bare node:http', process: bareProcess, url: `http://127.0.0.1:${port}`, token: '' }
const byHand = installed
  ? {
      fastify: await startByHand('fastify', 'full', 'HS256'),
      fastifyEs256: await startByHand('fastify', 'full', 'ES256'),
      fastifyNormal: await startByHand('fastify', 'normal', 'HS256'),
      mercurius: await startByHand('mercurius', 'full', 'HS256'),
      mercuriusNormal: await startByHand('mercurius', 'normal', 'HS256'),
    }
  : null
if (byHand === null) {
  process.stdout.write('Fastify and Mercurius are left out: `npm ci --prefix bench/contenders` installs them.\n')
}
const duetProcess = start('contenders/duet.ts', [], seeded)
const served = await told<{ url: string; token: string }>(duetProcess)
const duet: Contender = { name: 'Duet', process: duetProcess, ...served }

const results: string[][] = []
for (const workload of workloads(ids)) {
  if (chosen.length > 0 && !chosen.includes(workload.name)) continue
  const answer = await ask(duet, workload)
  bare.process.send({ key: `${workload.method} ${workload.path}`, ...answer })
  await told(bare.process)
  const others = rivals(workload)
  for (const other of others) {
    const { body } = await ask(other, workload)
    if (!isDeepStrictEqual(content(body, workload), content(answer.body, workload))) {
      throw new Error(`${workload.name}: ${other.name} does not answer what Duet answers.`)
    }
  }
  const contenders = [duet, ...others, bare]
  const runs = contenders.map((contender) => ({ contender, measured: [] as Measured[] }))
  // Nobody's first requests count: they are compiled while they are answered.
  for (const contender of contenders) await measure(contender, workload, warmUpSeconds)
  for (let round = 0; round < rounds; round++) {
    for (const { contender, measured } of runs) measured.push(await measure(contender, workload, seconds))
  }
  const ours = median(runs[0]!.measured.map((run) => run.perSecond))
  for (const { contender, measured } of runs) {
    const speeds = measured.map((run) => run.perSecond)
    const middle = median(speeds)
    results.push([
      workload.name,
      contender === duet ? `${workload.about}, ${answer.body.length} bytes` : '',
      contender.name,
      whole(middle),
      contender === duet ? '' : (ours / middle).toFixed(2),
      `${Math.round(((Math.max(...speeds) - Math.min(...speeds)) / middle) * 100)} %`,
      median(measured.map((run) => run.p50Ms)).toFixed(1),
      median(measured.map((run) => run.p99Ms)).toFixed(1),
      median(measured.map((run) => run.cpuUs)).toFixed(1),
      String(megabytes(contender.process)),
    ])
  }
}
const all = [duet, bare, ...(byHand === null ? [] : Object.values(byHand))]
await Promise.all(all.map((contender) => stop(contender.process)))

const heads = ['', 'what', 'who', 'requests/s', 'Duet ×', 'spread', 'p50 ms', 'p99 ms', 'CPU µs/request', 'memory MB']
const rows = [heads, heads.map(() => '---'), ...results].map((row) => `| ${row.join(' | ')} |`)
process.stdout.write(
  `Node ${process.version}, ${cpus()[0]!.model}, ${loadProgram}, 64 connections, medians of ${rounds} × ${seconds} s.\n\n${rows.join('\n')}\n`,
)

/** Who is asked the same, beside bare node:http. */
function rivals({ name, method }: Workload): readonly Contender[] {
  if (byHand === null) return []
  if (['W3', 'W4', 'W5'].includes(name)) return [byHand.mercurius]
  if (name === 'W7') return [byHand.mercurius, byHand.mercuriusNormal]
  if (name === 'W1J') return [byHand.fastify, byHand.fastifyEs256]
  return method === 'POST' ? [byHand.fastify, byHand.fastifyNormal] : [byHand.fastify]
}

/** What must be equal in the answers: all but cursors, how a page is described, and the ids and times of new records. */
function content(body: string, { name }: Workload): unknown {
  const opaque = new Set(['cursor', 'endCursor', ...(name >= 'W6' ? ['id', 'created_at', 'updated_at'] : [])])
  return JSON.parse(body, (key, value: unknown) => {
    if (key === 'pagination' || key === 'meta') return (value as { total?: number }).total
    return opaque.has(key) ? undefined : value
  })
}

interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
}

async function measure(
  { name, process, url, token }: Contender,
  workload: Workload,
  seconds: number,
): Promise<Measured> {
  const before = cpuMs(process)
  const run = await runLoad(url, workload, token, seconds)
  if (run.failures > 0) throw new Error(`${workload.name}: ${name} failed ${run.failures} requests.`)
  const cpuUs = ((cpuMs(process) - before) * 1_000) / (run.requestsPerSecond * seconds)
  return { perSecond: run.requestsPerSecond, p50Ms: run.p50Ms, p99Ms: run.p99Ms, cpuUs }
}

/** A contender on a copy of the database file that Duet filled. */
async function startByHand(program: string, synchronous: string, algorithm: string): Promise<Contender> {
  const path = join(folder, `${program}-${synchronous}-${algorithm}.db`)
  copyFileSync(seeded, path)
  const child = start(`contenders/${program}.ts`, [path, synchronous, algorithm, ids.authorId])
  const { url, token } = await told<{ url: string; token: string }>(child)
  const name = `${program === 'fastify' ? 'Fastify' : 'Mercurius'}, ${synchronous.toUpperCase()}, ${algorithm}`
  return { name, process: child, url, token }
}

async function ask(
  { name: who, url, token }: Contender,
  { method, path, body, signedIn, expects, name }: Workload,
): Promise<{ status: number; body: string }> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...(signedIn ? { Authorization: `Bearer ${token}` } : {}),
    },
    body,
  })
  const text = await response.text()
  if (!response.ok || !expects.test(text)) {
    throw new Error(`${name}: ${who} answers ${response.status}: ${text.slice(0, 200)}`)
  }
  return { status: response.status, body: text }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!
}
function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}
