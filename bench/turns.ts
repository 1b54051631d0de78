// How contenders are compared: each is asked the same, in turn, several times; a table says how many times as many requests
// Duet answers. The machine is shared, so only ratios within one run count.

import type { ChildProcess } from 'node:child_process'
import { cpus } from 'node:os'
import { cpuMs, megabytes } from './child.ts'
import { connections, loadProgram, runLoad } from './load.ts'
import { secondsOf, sized } from './scale.ts'
import { isCreate, type Workload } from './workloads.ts'

export interface Contender {
  readonly name: string
  readonly process: ChildProcess
  readonly url: string
  readonly token: string
  /** What its database server has spent so far on its connections; absent where there is no such server. */
  readonly databaseCpuMs?: () => Promise<number>
}
/** A contender and what it is asked: the same thing for all, in the words of each. */
export interface Entrant {
  readonly contender: Contender
  readonly workload: Workload
}
export interface Answer {
  readonly status: number
  readonly body: string
}

const [allRounds, shortSeconds, longSeconds] = process.argv.includes('--quick') ? [1, 1, 2] : [3, 4, 10]
/**
 * Rounds at full load are long, so that their beginnings weigh less: Node accepts one connection in each turn of its loop, so that the
 * last of 64 wait long for their first answer, and wrk counts a wait once for every request that the connection would have made
 * meanwhile.
 */
const [rounds, fullSeconds, pacedSeconds] = [sized(allRounds, 1), secondsOf(longSeconds), secondsOf(shortSeconds)]
/** The names of the workloads that were asked for; none is all. */
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
export const isChosen = ({ name }: Workload): boolean => chosen.length === 0 || chosen.includes(name)

/** Asks once, and throws where the answer is not what the workload expects. */
export async function ask({ contender, workload }: Entrant): Promise<Answer> {
  const { method, path, body, signedIn, expects, name } = workload
  const response = await fetch(contender.url + path, {
    method,
    headers: {
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
      ...(signedIn ? { Authorization: `Bearer ${contender.token}` } : {}),
    },
    body,
  })
  const text = await response.text()
  if (!response.ok || !expects.test(text)) {
    throw new Error(`${name}: ${contender.name} answers ${response.status}: ${text.slice(0, 200)}`)
  }
  return { status: response.status, body: text }
}

/** Rows of the table; the first entrant is Duet, with which the others are compared. */
export async function takeTurns(entrants: readonly Entrant[], about: string): Promise<readonly string[][]> {
  const runs: { entrant: Entrant; measured: Measured[]; atHalf: Measured[]; atOneRate: Measured[] }[] = []
  // First requests do not count: code is compiled while they are answered, that of a create during tens of thousands.
  for (const entrant of entrants) {
    await measure(entrant, isCreate(entrant.workload) ? 2 * fullSeconds : pacedSeconds)
    runs.push({ entrant, measured: [], atHalf: [], atOneRate: [] })
  }
  for (let round = 0; round < rounds; round++) {
    for (const { entrant, measured } of runs) measured.push(await measure(entrant, fullSeconds))
  }
  const perSecondOf = (measured: readonly Measured[]) => median(measured.map(({ perSecond }) => perSecond))
  const halfOf = ({ measured }: { readonly measured: readonly Measured[] }) => Math.max(1, perSecondOf(measured) / 2)
  const leastHalf = Math.min(...runs.map(halfOf))
  for (let round = 0; round < rounds; round++) {
    for (const run of runs) run.atHalf.push(await measure(run.entrant, pacedSeconds, halfOf(run)))
  }
  for (let round = 0; round < rounds; round++) {
    for (const { entrant, atOneRate } of runs) atOneRate.push(await measure(entrant, pacedSeconds, leastHalf))
  }
  const ours = perSecondOf(runs[0]!.measured)
  return runs.map(({ entrant: { contender, workload }, measured, atHalf, atOneRate }, place) => {
    const speeds = measured.map((run) => run.perSecond)
    const middle = median(speeds)
    const cpuUs = [measured.map((run) => run.cpuUs), measured.flatMap(({ databaseUs }) => databaseUs ?? [])]
    return [
      workload.name,
      place === 0 ? about : '',
      contender.name,
      middle < 100 ? middle.toFixed(1) : Math.round(middle).toLocaleString('en'),
      place === 0 ? '' : (ours / middle).toFixed(2),
      `${Math.round(((Math.max(...speeds) - Math.min(...speeds)) / middle) * 100)} %`,
      median(measured.map((run) => run.p50Ms)).toFixed(1),
      ...[measured, atHalf, atOneRate].map((each) => median(each.map((run) => run.p99Ms)).toFixed(1)),
      cpuUs.flatMap((each) => (each.length === 0 ? [] : median(each).toFixed(1))).join(' + '),
      String(megabytes(contender.process)),
    ]
  })
}

/** The table for README.md, beneath what it was measured with. */
export function print(rows: readonly (readonly string[])[]): void {
  const latencies = ['p50 ms', 'p99 ms', 'p99 ms at half', 'p99 ms at one rate']
  const heads = ['', 'what', 'who', 'requests/s', 'Duet ×', 'spread', ...latencies, 'CPU µs/request', 'memory MB']
  const lines = [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  const [how, on] = [`${loadProgram}, ${connections} connections`, `Node ${process.version}, ${cpus()[0]!.model}`]
  process.stdout.write(
    `${on}, ${how}, medians of ${rounds} × ${fullSeconds} s, paced ${pacedSeconds} s.\n\n${lines.join('\n')}\n`,
  )
}

interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: number
  readonly databaseUs: number | undefined
}

async function measure(entrant: Entrant, lasts: number, rate?: number): Promise<Measured> {
  const { contender, workload } = entrant
  const spent = async () => [cpuMs(contender.process), await contender.databaseCpuMs?.()] as const
  const [ownBefore, databaseBefore] = await spent()
  const run = await runLoad(contender.url, workload, contender.token, lasts, { rate })
  if (run.failures > 0) throw new Error(`${workload.name}: ${contender.name} failed ${run.failures} requests.`)
  // Its answer comes after those that were under way when the load ended: they would take their time from the next one.
  await ask(entrant)
  const [own, database] = await spent()
  const answered = run.requestsPerSecond * lasts + connections + 1
  return {
    perSecond: run.requestsPerSecond,
    p50Ms: run.p50Ms,
    p99Ms: run.p99Ms,
    cpuUs: ((own - ownBefore) * 1_000) / answered,
    databaseUs: database === undefined ? undefined : ((database - databaseBefore!) * 1_000) / answered,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!
}
