// Sends tables of the contract through a host: `node --conditions=duet-source test/support/door/contract-through.ts bun` sends all
// of them, `… bun test/contract/7-errors.test.ts` one. What a host makes impossible is left out, and stands here by name.

import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { repository } from '../process/command.ts'

export type Host = 'express' | 'fastify' | 'hono' | 'bun' | 'deno'

/** What the parsers of all hosts answer themselves, in their own way. */
const byTheParser = ['BREW|CONNECT localhost|get /graphql', '4.10.7 an unknown Expect']
/** What the URL class has done to a path before anybody sees it. */
const byTheUrl = ['4.2.2 .*(?:/\\./|\\.\\./|%2e)']
/** Whoever serves by fetch decides what runs at once. */
const byThePipelining = ['4.10.11 what follows a change']
/** Tables about a definition of their own, which another process does not have. */
const ofOtherDefinitions = ["a code of the service's own", 'mistakes of our own']

/** Titles of tests, as patterns: what a host makes impossible. docs/embedding.md says the same in words. */
export const impossible: Readonly<Record<Host, readonly string[]>> = {
  express: byTheParser,
  fastify: [...byTheParser, '4.10.5 (?:MKCOL|PROPFIND|PURGE)', '7.2.5 Content-Type ""'],
  hono: [...byTheParser, ...byTheUrl, ...byThePipelining],
  bun: [...byTheParser, ...byTheUrl, ...byThePipelining, ...ofOtherDefinitions],
  deno: [...byTheParser, ...byTheUrl, ...byThePipelining, ...ofOtherDefinitions],
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
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
  const skipped = impossible[host].map((pattern) => `--test-skip-pattern=/${pattern}/`)
  const args = [
    '--conditions=duet-source',
    '--test',
    '--test-concurrency=1',
    '--test-reporter=tap',
    ...skipped,
    ...files,
  ]
  const child = spawn(process.execPath, args, { cwd: repository, env: { ...inherited, ...environment, DOOR: host } })
  let report = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      report += text
    })
  await new Promise((resolve) => child.once('close', resolve))
  const count = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(report)?.[1] ?? Number.NaN)
  return { passed: count('pass'), failed: count('fail') + count('cancelled'), report }
}

if (import.meta.main) {
  const [host, ...files] = process.argv.slice(2)
  if (host === undefined || !(host in impossible))
    throw new Error(`Name a host: ${Object.keys(impossible).join(', ')}.`)
  const all = files.length > 0 ? files : globSync('test/contract/*.test.ts', { cwd: repository })
  const { passed, failed, report } = await sendContractThrough(host as Host, all)
  const failures = report.split('\n').filter((line) => /^\s*not ok/.test(line))
  process.stdout.write(`${failures.join('\n')}\n${host}: ${passed} passed, ${failed} failed\n`)
  process.exitCode = failed === 0 ? 0 : 1
}
