#!/usr/bin/env node
// The command: tests a service and prints which clauses of the API contract it keeps.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { draftProfile, readDocument } from './discover.ts'
import { readJournal } from './kit/journal.ts'
import { Kit } from './kit/kit.ts'
import { readProfile } from './profile.ts'

const usage = `duet-conformance [<url>] --profile <file> [options]

Tests which clauses of the API contract a service keeps. Exits with 1 if one is broken, with 2 if it cannot be tested.

  --profile <file>    What the service has: accounts, resources, versions.
  --only <clauses>    Only these clauses or sections, such as 4.3,12.1.5.
  --report <form>     summary (the default), tap, junit, page, or statement, which a service
                      publishes at /.well-known/api-contract.
  --output <file>     Where the report goes; without it, to standard output.
  --leave             Also creates records that it cannot delete.
  --limits            Also exceeds rate limits, in the end.
  --clean <journal>   Removes what an earlier run left behind, and tests nothing.
  --discover <doc>    Prints the draft of a profile for an OpenAPI document (a file or an address).`

const reporters: Readonly<Record<string, string>> = {
  summary: fileURLToPath(new URL(`./report/summary${extname(import.meta.url)}`, import.meta.url)),
  statement: fileURLToPath(new URL(`./report/statement${extname(import.meta.url)}`, import.meta.url)),
  page: fileURLToPath(new URL(`./report/page${extname(import.meta.url)}`, import.meta.url)),
  tap: 'tap',
  junit: 'junit',
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      profile: { type: 'string' },
      only: { type: 'string', default: '' },
      report: { type: 'string', default: 'summary' },
      output: { type: 'string', default: 'stdout' },
      clean: { type: 'string' },
      discover: { type: 'string' },
      leave: { type: 'boolean', default: false },
      limits: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.discover !== undefined) {
    console.log(JSON.stringify(draftProfile(await readDocument(values.discover), values.discover), null, 2))
    return 0
  }
  if (values.help === true || values.profile === undefined) {
    console.log(usage)
    return values.help === true ? 0 : 2
  }
  const reporter = reporters[values.report]
  if (reporter === undefined) throw new Error(`--report is one of ${Object.keys(reporters).join(', ')}.`)
  const profile = await readProfile(values.profile, positionals[0])
  if (values.clean !== undefined) return clean(new Kit(profile, '', values.clean, () => undefined), values.clean)
  await requireService(profile.url)
  return testService(reporter, values.output, {
    PROFILE: values.profile,
    URL_OF_SERVICE: profile.url,
    ONLY: values.only,
    LEAVE: values.leave ? 'yes' : '',
    LIMITS: values.limits ? 'yes' : '',
  })
}

async function requireService(url: string): Promise<void> {
  try {
    await fetch(url)
  } catch (error) {
    throw new Error(`No service answers at ${url}: ${((error as Error).cause as Error | undefined)?.message}`)
  }
}

async function clean(kit: Kit, journal: string): Promise<number> {
  const left = await kit.clean(readJournal(journal))
  kit.close()
  for (const target of left) console.error(`It could not be removed: ${target}`)
  return left.length === 0 ? 0 : 1
}

async function testService(reporter: string, output: string, env: Record<string, string>): Promise<number> {
  const run = `run${randomBytes(4).toString('hex')}`
  const folder = '.duet-conformance'
  mkdirSync(folder, { recursive: true })
  const child = spawn(
    process.execPath,
    [
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=${output}`,
      fileURLToPath(new URL(`./suite${extname(import.meta.url)}`, import.meta.url)),
    ],
    {
      stdio: 'inherit',
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env, RUN: run, JOURNAL: join(folder, `${run}.jsonl`) },
    },
  )
  // The tests remove what they made before they end.
  process.on('SIGINT', () => child.kill('SIGINT'))
  return await new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 2)))
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
