// Every benchmark runs for a tenth of a second, so that none breaks unnoticed: with `BENCH_SECONDS` each makes few records and
// measures each line of its table once. What it measures then says nothing.

import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'
import { withoutPostgresServer } from '../support/server/postgres-server.ts'

interface Benchmark {
  readonly script: string
  readonly parameters?: readonly string[]
  readonly skip?: false | string
  /** What it prints where each of its parts has worked. */
  readonly prints: RegExp
}

const tableOf = (names: readonly string[]): RegExp =>
  new RegExp(names.map((name) => `\\| ${name} \\|`).join('[\\s\\S]*'))
const workloads = tableOf(['W1', 'W1J', 'W2', 'W3', 'W4', 'W5', 'W6', 'W7'])
const withoutToken = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6', 'W7']
const lines = (count: number, line: string): RegExp => new RegExp(`^(${line}\\n){${count}}`, 'm')

const benchmarks: readonly Benchmark[] = [
  { script: 'main', prints: workloads },
  {
    script: 'builds',
    parameters: ['.', 'W1'],
    prints: /this build \|[\s\S]*the other build \|[\s\S]*this build, again \|[\s\S]*the other build, again \|/,
  },
  { script: 'hosts', prints: /(?:\| W1 .* (own|express|fastify|hono) .*\n){4}/ },
  {
    script: 'growth',
    parameters: ['data', 'connections', 'resources'],
    prints: /\| 800 \|[\s\S]*\| 8 \|[\s\S]*\| 10 \|/,
  },
  { script: 'import', parameters: ['sqlite'], prints: lines(4, 'sqlite: .*') },
  { script: 'nested', parameters: ['sqlite'], prints: lines(6, 'sqlite: .*') },
  { script: 'search', parameters: ['sqlite'], prints: lines(8, 'sqlite: .* \\(\\d+\\): .*') },
  {
    script: 'search',
    parameters: ['postgres'],
    skip: postgresMissing,
    prints: lines(8, 'postgres: .* \\(\\d+\\): .*'),
  },
  { script: 'questions', parameters: ['sqlite'], prints: lines(30, '.*\\| 200 \\|.*') },
  { script: 'questions', parameters: ['postgres'], skip: postgresMissing, prints: lines(30, '.*\\| 200 \\|.*') },
  { script: 'indexes', parameters: ['sqlite'], prints: lines(30, '\\| .* \\d+\\.\\d\\d \\| (same|other) \\|') },
  {
    script: 'indexes',
    parameters: ['postgres'],
    skip: postgresMissing,
    prints: lines(30, '\\| .* \\d+\\.\\d\\d \\| (same|other) \\|'),
  },
  { script: 'tenants', parameters: ['sqlite'], prints: lines(13, '\\d+\\.\\d+ ms  .*') },
  { script: 'tenants', parameters: ['postgres'], skip: postgresMissing, prints: lines(13, '\\d+\\.\\d+ ms  .*') },
  { script: 'authentication', prints: /^logins, 16.* × 200 [\s\S]*^refused.* × 401 [\s\S]*^one post: /m },
  { script: 'sockets', prints: /idle subscribers: [\s\S]*equal subscribers: / },
  { script: 'due', parameters: ['sqlite::memory:'], prints: /^\d+ ms: 0 wait, \d+ other writes$/m },
  {
    script: 'webhooks',
    prints: /^\d+ messages to 40 webhooks: .*\n\d+ messages while 4 receivers hang: .* times as long/m,
  },
  { script: 'flood', prints: lines(3, '\\d+ .* writes/s .*') },
  { script: 'soak', prints: /^Answers: .* × 200, .* × 201, .* × 202, .* × 204, /m },
  {
    script: 'instances',
    skip: withoutPostgresServer(),
    prints: /\| W1 \| 2 \|[\s\S]*\| W4 \| 2 \|[\s\S]*\| W6 \| 2 \|[\s\S]*An idle instance: /,
  },
  {
    script: 'platforms',
    skip: postgresMissing,
    prints: new RegExp(`${tableOf(withoutToken).source}[\\s\\S]*${tableOf(withoutToken).source}`),
  },
  { script: 'platform-questions', skip: postgresMissing, prints: tableOf(['Q1', 'Q2', 'Q3', 'Q4', 'Q5']) },
]

for (const { script, parameters = [], skip = false, prints } of benchmarks) {
  const name = [`bench/${script}.ts`, ...parameters].join(' ')
  test(`${name} runs`, { skip, timeout: 300_000 }, async () => {
    const [file, ...rest] = name.split(' ')
    const environment = { ...process.env, BENCH_SECONDS: '0.1', ...(await postgresServer()) }
    const args = ['--conditions=duet-source', '--disable-warning=ExperimentalWarning', file!, ...rest]
    const { code, printed } = await runProcess(process.execPath, args, repository, environment)
    assert.equal(code, 0, printed)
    assert.match(printed, prints)
  })
}

test('every benchmark is run here', () => {
  const scripts = globSync('bench/*.ts', { cwd: repository }).filter((path) =>
    /^\/\/ .*(`node --conditions=duet-source bench\/|`npm run )/m.test(readFileSync(join(repository, path), 'utf8')),
  )
  assert.deepEqual(scripts.sort(), [...new Set(benchmarks.map(({ script }) => `bench/${script}.ts`))].sort())
})

test('hand-written SQL of the platforms finds what Duet finds', { skip: postgresMissing }, async (t) => {
  Object.assign(process.env, { BENCH_SECONDS: '0.1' }, await postgresServer())
  const { createPostgresDatabase } = await import('../../bench/platforms/databases.ts')
  const { platformaticQuestions, restQuestions, searchedForPlatforms } = await import(
    '../../bench/platforms/questions.ts'
  )
  // As JavaScript: its packages, and so its types, are elsewhere.
  const byHandPath = '../../bench/platforms/by-hand.ts'
  const { default: byHand } = await import(byHandPath)
  const own = await createPostgresDatabase()
  t.after(() => own.drop())
  const program = join(repository, 'bench/contenders/duet-searched.ts')
  const service = fork(program, {
    execArgv: ['--conditions=duet-source'],
    env: { ...process.env, BENCH_DATABASE_URL: own.url },
  })
  const [{ url }] = (await once(service, 'message')) as [{ readonly url: string }]
  const ofDuet = new Map<string, unknown>()
  for (const [name, question] of Object.entries(restQuestions([])))
    if (byHandNames.includes(name))
      ofDuet.set(name, ((await (await fetch(url + question!.path)).json()) as { data: unknown }).data)
  service.kill()
  await once(service, 'exit')

  const copy = await own.copy()
  t.after(() => copy.drop())
  await copy.run(searchedForPlatforms)
  const client = new pg.Client({ connectionString: copy.url })
  await client.connect()
  try {
    const routes: Routes = new Map()
    await byHand(platformaticOn(client, routes))
    for (const name of byHandNames) {
      const { pathname, searchParams } = new URL(platformaticQuestions([])[name]!.path, 'http://localhost')
      const rows = await routes.get(pathname)!({ query: Object.fromEntries(searchParams) })
      assert.deepEqual(rows, ofDuet.get(name))
    }
    const { rows } = await client.query(`select id, title from search_posts('fox word13') limit 20`)
    assert.ok(rows.length > 0)
    assert.deepEqual(rows, ofDuet.get('Q5'))
  } finally {
    await client.end()
  }
})

type Routes = Map<string, (request: { readonly query: object }) => Promise<object>>

const byHandNames = ['Q2', 'Q4', 'Q5']

/** Where benchmarks make their databases. */
async function postgresServer(): Promise<{ readonly BENCH_POSTGRES_URL?: string }> {
  if (postgresMissing !== false) return {}
  const database = await createDatabase('postgres')
  await database.drop()
  return { BENCH_POSTGRES_URL: Object.assign(new URL(database.url), { pathname: '/postgres' }).href }
}

/** As much of Platformatic as its user's routes see. */
function platformaticOn(client: pg.Client, routes: Routes) {
  const sql = ([first, ...texts]: readonly string[], ...values: readonly unknown[]) => {
    const parameters: unknown[] = []
    const texted = values.map((value) => (isRaw(value) ? value.raw : `$${parameters.push(value)}`))
    return { text: [first, ...texts.flatMap((text, at) => [texted[at], text])].join(''), values: parameters }
  }
  const db = { query: async (query: pg.QueryConfig) => (await client.query(query)).rows }
  const platformatic = { db, sql: Object.assign(sql, { __dangerous__rawValue: (raw: string) => ({ raw }) }) }
  return { platformatic, get: routes.set.bind(routes) }
}

const isRaw = (value: unknown): value is { readonly raw: string } => typeof value === 'object' && value !== null
