// Sends tables of the contract through a host: `node --conditions=duet-source test/support/host/contract-through.ts bun` sends all
// of them, `… bun test/contract/7-errors.test.ts` one. What a host makes impossible is left out, and stands here by name.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import type { Engine } from '../../../src/store/store.ts'
import { repository } from '../process/command.ts'
import { type FetchedHost, fetchedHosts, fetchHost } from './fetched-host.ts'
import { buildNextApp } from './next-app.ts'

export type Host = 'express' | 'fastify' | 'hono' | FetchedHost

/** What the parsers of all hosts answer themselves, in their own way. */
const byTheParser = ['BREW|CONNECT localhost|get /graphql', '4.10.7 an unknown Expect']
/** What the URL class has done to a path before anybody sees it. */
const byTheUrl = ['4.2.2 .*(?:/\\./|\\.\\./|%2e)']
/** Whoever serves by fetch decides what runs at once. */
const byThePipelining = ['4.10.11 what follows a change']
/** Next writes a query string anew, and redirects from `//`. Its answers have chunks, and only the methods of a route handler reach it. */
const byNext = [
  '4.2.3 GET /api/users\\?x=%41',
  '4.2.2 .*//',
  '4.10.4 HEAD .* is GET without a body',
  '4.10.14 a chunked body without a byte',
  '4.10.5 (?:MKCOL|PROPFIND|PURGE|TRACE)',
]
/** Tables about a definition of their own, which another process does not have. */
const ofOtherDefinitions = ["a code of the service's own", 'mistakes of our own']
/** What listens to the store of the process that serves, or lets it fail. */
const ofOneProcess = ['4.7.5 after a 500', '10.4.1 a hidden .* after the same statements']

/** Titles of tests, as patterns: what a host makes impossible. docs/embedding.md says the same in words. */
export const impossible: Readonly<Record<Host, readonly string[]>> = {
  express: byTheParser,
  fastify: [
    ...byTheParser,
    '4.10.5 (?:MKCOL|PROPFIND|PURGE)',
    '7.2.5 Content-Type ""',
    '4.3.11 no (?:body|Content-Type)',
  ],
  hono: [...byTheParser, ...byTheUrl, ...byThePipelining],
  bun: [...byTheParser, ...byTheUrl, ...byThePipelining, ...ofOtherDefinitions, ...ofOneProcess],
  deno: [...byTheParser, ...byTheUrl, ...byThePipelining, ...ofOtherDefinitions, ...ofOneProcess],
  next: [...byTheParser, ...byTheUrl, ...byThePipelining, ...byNext],
}

export interface ContractRun {
  readonly passed: number
  readonly failed: number
  /** What the run printed. */
  readonly report: string
}

export async function sendContractThrough(
  host: Host,
  files: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ContractRun> {
  if (isFetched(host)) await fetchHost(host)
  if (host === 'next') await buildNextApp()
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  const skipped = impossible[host].map((pattern) => `--test-skip-pattern=/${pattern}/`)
  const args = [
    '--conditions=duet-source',
    '--test',
    '--test-isolation=none',
    '--test-reporter=tap',
    ...skipped,
    ...files,
  ]
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: { ...inherited, ...environment, TEST_HOST: host },
  })
  let report = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      report += text
    })
  await new Promise((resolve) => child.once('close', resolve))
  const count = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1] ?? Number.NaN)
  return { passed: count('pass'), failed: count('fail') + count('cancelled'), report }
}

/** Sends tables that ask for nearly every header and odd addresses, and fails with the titles of what does not hold. */
export async function assertSampleThrough(host: Host, engine: Engine): Promise<void> {
  // Event streams take minutes through Next.
  const streams = host === 'next' ? [] : ['6-event-streams', '6-resumed-streams']
  const sample = ['4-headers', '4-versions', ...streams].map((name) => `test/contract/${name}.test.ts`)
  const { passed, failed, report } = await sendContractThrough(host, sample, { TEST_ENGINE: engine })
  assert.equal(failed, 0, failuresOf(report))
  assert.ok(passed > 50, report)
}

const failuresOf = (report: string): string =>
  report
    .split('\n')
    .filter((line) => /^\s*not ok/.test(line))
    .join('\n')

const isFetched = (host: Host): host is FetchedHost => (fetchedHosts as readonly Host[]).includes(host)

if (import.meta.main) {
  const [host, ...files] = process.argv.slice(2)
  if (host === undefined || !(host in impossible))
    throw new Error(`Name a host: ${Object.keys(impossible).join(', ')}.`)
  const all = files.length > 0 ? files : globSync('test/contract/*.test.ts', { cwd: repository })
  const { passed, failed, report } = await sendContractThrough(host as Host, all)
  process.stdout.write(`${failuresOf(report)}\n${host}: ${passed} passed, ${failed} failed\n`)
  process.exitCode = failed === 0 ? 0 : 1
}
