// Sends the load: wrk where there is one, autocannon otherwise, kept off the server's core where the system can.

import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { secondsOf, sized } from './scale.ts'
import type { Workload } from './workloads.ts'

export interface LoadResult {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers that were not 2xx. */
  readonly failures: number
}

const has = (program: string): boolean => spawnSync('which', [program]).status === 0
/** It takes whole seconds only. */
const hasWrk = Number.isInteger(secondsOf(1)) && has('wrk')
/** Puts a process on one core, where the system can. */
export const onCore = (core: number, argv: readonly string[]): readonly string[] =>
  has('taskset') ? ['taskset', '-c', String(core), ...argv] : argv
export const loadProgram = hasWrk ? 'wrk' : 'autocannon'
/** How many are open at once, where nothing else is asked for. */
export const connections = sized(64, 8)
interface LoadOptions {
  readonly open?: number
  /** Requests a second, at even intervals. By default each connection sends its next one as soon as it has an answer. */
  readonly rate?: number | undefined
}

/** Runs one workload for so many seconds. */
export async function runLoad(
  url: string,
  workload: Workload,
  token: string | null,
  seconds: number,
  options: LoadOptions = {},
): Promise<LoadResult> {
  const headers: Record<string, string> = {
    ...(workload.body === null ? {} : { 'Content-Type': 'application/json' }),
    ...(workload.signedIn && token !== null ? { Authorization: `Bearer ${token}` } : {}),
  }
  const run = hasWrk ? runWrk : runAutocannon
  return run(url, workload, headers, seconds, options)
}

/** What is asked in turn: the same of each id. */
const requestsOf = ({
  path,
  body,
  ids,
}: Workload): readonly { readonly path: string; readonly body: string | null }[] =>
  ids.length === 0
    ? [{ path, body }]
    : ids.map((id) => ({ path: path.replace(ids[0]!, id), body: body?.replace(ids[0]!, id) ?? null }))

async function runWrk(
  url: string,
  workload: Workload,
  headers: Record<string, string>,
  seconds: number,
  { open = connections, rate }: LoadOptions,
): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'duet-bench-'))
  const script = join(folder, 'request.lua')
  const lines = [
    `wrk.method = ${JSON.stringify(workload.method)}`,
    ...Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
    ),
    'local all, last = {}, 0',
    'function init()',
    ...requestsOf(workload).map(
      ({ path, body }) =>
        `all[#all + 1] = wrk.format(nil, ${JSON.stringify(path)}, nil, ${body === null ? 'nil' : JSON.stringify(body)})`,
    ),
    'end',
    'function request() last = last % #all + 1; return all[last] end',
    ...(rate === undefined ? [] : pacing(rate)),
  ]
  writeFileSync(script, lines.join('\n'))
  const argv = onCore(1, ['wrk', '-t1', `-c${open}`, `-d${seconds}s`, '--latency', '-s', script, url])
  const { stdout: output } = await promisify(execFile)(argv[0]!, argv.slice(1), { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  const failures = /Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? '0'
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)![1]),
    p50Ms: milliseconds(/^\s+50%\s+(\S+)/m.exec(output)![1]!),
    p99Ms: milliseconds(/^\s+99%\s+(\S+)/m.exec(output)![1]!),
    failures: Number(failures),
  }
}

/** Gives each request a moment of its own, whichever connection sends it. */
const pacing = (rate: number): readonly string[] => [
  `local ffi = require('ffi')`,
  `ffi.cdef('typedef struct { long s; long ns; } moment; int clock_gettime(int clock, moment *at);')`,
  `local at, next = ffi.new('moment'), 0`,
  'function delay()',
  'ffi.C.clock_gettime(1, at)',
  'local now = tonumber(at.s) * 1000 + tonumber(at.ns) / 1000000',
  // Connections are open before the first request. What a stall held up is sent after it.
  `next = next == 0 and now + 200 or math.max(next + ${1_000 / rate}, now - 100)`,
  'return math.max(0, math.floor(next - now + math.random()))',
  'end',
]

const milliseconds = (text: string): number =>
  Number.parseFloat(text) * (text.endsWith('us') ? 0.001 : text.endsWith('ms') ? 1 : 1_000)

async function runAutocannon(
  url: string,
  workload: Workload,
  headers: Record<string, string>,
  seconds: number,
  { open = connections, rate }: LoadOptions,
): Promise<LoadResult> {
  const { method } = workload
  const requests = requestsOf(workload).map(({ path, body }) => ({ method, path, ...(body === null ? {} : { body }) }))
  // It ends when the next sample is taken.
  const sampleInt = Math.min(1, seconds) * 1_000
  const paced = rate === undefined ? {} : { overallRate: Math.ceil(rate) }
  const result = await autocannon({ url, headers, connections: open, duration: seconds, requests, sampleInt, ...paced })
  return {
    requestsPerSecond: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors,
  }
}
