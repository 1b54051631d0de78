// `npm run bench`: the workloads on Duet and on bare node:http with an answer of the same size, in turn, several times.
// The machine is shared, so only ratios within one run count. `npm run bench -- W1 W4` runs only these.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { loadProgram, onCore, runLoad } from './load.ts'
import { type Workload, workloads } from './workloads.ts'

const rounds = 3
const seconds = 3
const chosen = process.argv.slice(2)

const duet = start('duet')
const [{ url, token, postId, authorId }] = (await once(duet, 'message')) as [
  { url: string; token: string; postId: string; authorId: string },
]
const bare = start('bare')
const [{ port }] = (await once(bare, 'message')) as [{ port: number }]

const results: string[][] = []
for (const workload of workloads({ postId, authorId })) {
  if (chosen.length > 0 && !chosen.includes(workload.name)) continue
  const { status, body } = await ask(workload)
  bare.send({ key: `${workload.method} ${workload.path}`, status, body })
  await once(bare, 'message')
  const duetRuns: number[] = []
  const bareRuns: number[] = []
  let [p50, p99, failures] = [0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    bareRuns.push((await runLoad(`http://127.0.0.1:${port}`, workload, token, seconds)).requestsPerSecond)
    const run = await runLoad(url, workload, token, seconds)
    duetRuns.push(run.requestsPerSecond)
    ;[p50, p99, failures] = [run.p50Ms, run.p99Ms, failures + run.failures]
  }
  if (failures > 0) throw new Error(`${workload.name}: ${failures} answers were not what was asked for.`)
  const [ours, theirs] = [median(duetRuns), median(bareRuns)]
  const spread = (Math.max(...duetRuns) - Math.min(...duetRuns)) / ours
  results.push([
    workload.name,
    workload.about,
    String(body.length),
    whole(theirs),
    whole(ours),
    (ours / theirs).toFixed(2),
    `${Math.round(spread * 100)} %`,
    p50.toFixed(1),
    p99.toFixed(1),
    `${megabytes(duet)} MB`,
  ])
}
duet.kill()
bare.kill()

const heads = ['', 'what', 'bytes', 'bare node:http', 'Duet', 'ratio', 'spread', 'p50 ms', 'p99 ms', 'memory']
const rows = [heads, heads.map(() => '---'), ...results].map((row) => `| ${row.join(' | ')} |`)
process.stdout.write(
  `Node ${process.version}, ${cpus()[0]!.model}, ${loadProgram}, 64 connections, medians of ${rounds} × ${seconds} s.\n\n${rows.join('\n')}\n`,
)

/** Starts a contender on the first core; the load comes from the second. */
function start(name: string): ChildProcess {
  const [execPath, ...execArgv] = onCore(0, [process.execPath])
  return fork(new URL(`contenders/${name}.ts`, import.meta.url), {
    execPath: execPath!,
    execArgv: [...execArgv, '--conditions=duet-source'],
  })
}

async function ask({
  method,
  path,
  body,
  signedIn,
  expects,
  name,
}: Workload): Promise<{ status: number; body: string }> {
  const response = await fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...(signedIn ? { Authorization: `Bearer ${token}` } : {}) },
    body,
  })
  const text = await response.text()
  if (!response.ok || !expects.test(text))
    throw new Error(`${name} is answered ${response.status}: ${text.slice(0, 200)}`)
  return { status: response.status, body: text }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!
}
function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

/** Resident memory, where the system tells. */
function megabytes({ pid }: ChildProcess): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024)
  } catch {
    // Only Linux tells it here.
    return 0
  }
}
