// How Duet grows: the same reads with 10 and 100 times the data, on the first page and on the last; more connections; more
// resources. Prints tables for README.md. `node --conditions=duet-source bench/growth.ts data connections resources`

import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuMs, fill, megabytes, messageOf, start, startDuet, stop } from './child.ts'
import { postCount } from './data.ts'
import { type LoadResult, runLoad } from './load.ts'
import { multiply } from './multiply.ts'
import { secondsOf, sized } from './scale.ts'
import { type Workload, workloads } from './workloads.ts'

const seconds = secondsOf(3)
const warmUpSeconds = secondsOf(1)
const chosen = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'duet-growth-'))
const path = join(folder, 'duet.db')
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

const ids = await fill(`sqlite:${path}`)

if (chosen.includes('data'))
  print(['posts', 'file MB', 'what', 'requests/s', 'p99 ms', 'CPU µs/request'], await byData())
if (chosen.includes('connections'))
  print(['connections', 'requests/s', 'p50 ms', 'p99 ms', 'memory MB'], await byConnections())
if (chosen.includes('resources')) print(['resources', 'start ms', 'memory MB', 'read µs'], await byResources())

/** Fails if an answer is not as it should be. */
async function load(...how: Parameters<typeof runLoad>): Promise<LoadResult> {
  const run = await runLoad(...how)
  if (run.failures > 0) throw new Error(`${how[1].name} failed ${run.failures} times.`)
  return run
}

async function byData(): Promise<string[][]> {
  const rows: string[][] = []
  let held = 1
  for (const factor of sized([1, 10, 100], [2])) {
    multiply(path, held, factor)
    held = factor
    const { child, url } = await serve()
    const edge = await lastCursor(url)
    const questions = [...workloads(ids).filter(({ name }) => ['W1', 'W2', 'W4', 'W5'].includes(name)), lastPage(edge)]
    for (const workload of questions) {
      await load(url, workload, null, warmUpSeconds)
      const before = cpuMs(child)
      const run = await load(url, workload, null, seconds)
      const cpuUs = ((cpuMs(child) - before) * 1_000) / (run.requestsPerSecond * seconds)
      const size = Math.round(statSync(path).size / 1_048_576)
      rows.push([
        whole(postCount * factor),
        whole(size),
        workload.about,
        whole(run.requestsPerSecond),
        run.p99Ms.toFixed(1),
        cpuUs.toFixed(1),
      ])
    }
    await stop(child)
  }
  return rows
}

async function byConnections(): Promise<string[][]> {
  const { child, url } = await serve()
  const [read] = workloads(ids)
  await load(url, read!, null, warmUpSeconds)
  const rows: string[][] = []
  for (const connections of sized([1, 8, 64, 256, 1_000], [8])) {
    const run = await load(url, read!, null, seconds, { open: connections })
    const memory = String(megabytes(child))
    rows.push([whole(connections), whole(run.requestsPerSecond), run.p50Ms.toFixed(1), run.p99Ms.toFixed(1), memory])
  }
  await stop(child)
  return rows
}

async function byResources(): Promise<string[][]> {
  const rows: string[][] = []
  for (const count of sized([1, 10, 100, 1_000], [10])) {
    const child = start('many-resources.ts', [String(count)])
    const { startMs, readUs } = await messageOf<{ startMs: number; readUs: number }>(child)
    rows.push([whole(count), whole(startMs), String(megabytes(child)), readUs.toFixed(1)])
    await stop(child)
  }
  return rows
}

/** The cursor of the oldest post but twenty. */
async function lastCursor(url: string): Promise<string> {
  const query = '{ posts(last: 20) { pageInfo { startCursor } } }'
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { data } = (await response.json()) as { data: { posts: { pageInfo: { startCursor: string } } } }
  return data.posts.pageInfo.startCursor
}

function lastPage(cursor: string): Workload {
  const query = `{ posts(first: 19, after: "${cursor}") { nodes { id title author { name } } } }`
  const about = 'GraphQL last page by cursor'
  const body = JSON.stringify({ query })
  return { name: 'last', about, method: 'POST', path: '/graphql', body, signedIn: false, expects: /"nodes"/, ids: [] }
}

async function serve(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = startDuet(`sqlite:${path}`)
  const { url } = await messageOf<{ url: string }>(child)
  return { child, url }
}

function print(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  process.stdout.write(`${lines.join('\n')}\n\n`)
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}
