// `node --conditions=duet-source bench/platform-questions.ts`: five questions of 20,000 posts on Duet, PostGraphile with its filter and
// aggregates, and Platformatic DB, all on PostgreSQL with the same records and indexes. `Q1 Q4` asks only these, `--quick` each once.
// Where the platforms are not installed, Duet's faces are compared.

import { existsSync } from 'node:fs'
import { inspect, isDeepStrictEqual } from 'node:util'
import { messageOf, start, startAgain, stop } from './child.ts'
import { createPostgresDatabase } from './platforms/databases.ts'
import {
  platformaticQuestions,
  postGraphileQuestions,
  questions,
  restQuestions,
  searchedForPlatforms,
} from './platforms/questions.ts'
import type { Asked } from './platforms/workloads.ts'
import { ask, type Contender, type Entrant, isChosen, print, takeTurns } from './turns.ts'

const installed = existsSync(new URL('platforms/node_modules', import.meta.url))
if (!installed) {
  process.stdout.write(
    'PostGraphile and Platformatic DB are left out: `npm ci --ignore-scripts --prefix bench/platforms` installs them.\n',
  )
}
const own = await createPostgresDatabase()
const databases = [own]
try {
  const environment = { BENCH_DATABASE_URL: own.url }
  const filler = start('contenders/duet-searched.ts', [], environment)
  await messageOf(filler)
  await stop(filler)
  await own.run('vacuum analyze')
  const platform = async (program: string, name: string) => {
    const copy = await own.copy()
    databases.push(copy)
    await copy.run(searchedForPlatforms)
    await copy.run('vacuum analyze')
    const production = { NODE_ENV: 'production', GRAPHILE_ENV: 'production' }
    const { child, said } = await startAgain<{ url: string }>(
      `platforms/${program}.ts`,
      [copy.url, 'asked'],
      production,
    )
    return { name, process: child, token: '', url: said.url, databaseCpuMs: () => copy.cpuMs() }
  }
  const platforms = installed
    ? [await platform('postgraphile', 'PostGraphile'), await platform('platformatic', 'Platformatic DB')]
    : []
  const { child, said } = await startAgain<{ url: string }>('contenders/duet-searched.ts', [], environment)
  const duet = { name: 'Duet', process: child, token: '', url: said.url, databaseCpuMs: () => own.cpuMs() }
  const { data } = (await (await fetch(`${duet.url}/api/v2/users?limit=100`)).json()) as { data: { id: string }[] }
  const authorIds = data.map(({ id }) => id)
  // Each by an API of the same kind.
  const [postGraphile, platformatic] = platforms
  const rivals =
    postGraphile === undefined || platformatic === undefined
      ? [{ contender: { ...duet, name: 'Duet, REST' }, asked: restQuestions(authorIds), own: {} }]
      : [
          { contender: postGraphile, asked: postGraphileQuestions(authorIds), own: {} },
          { contender: platformatic, asked: platformaticQuestions(authorIds), own: restQuestions(authorIds) },
        ]
  print(await compare(duet, rivals, authorIds))
  await Promise.all([duet, ...platforms].map(({ process }) => stop(process)))
} finally {
  await Promise.all(databases.map((database) => database.drop()))
}

interface Rival {
  readonly contender: Contender
  readonly asked: Asked
  /** What Duet is asked for it. */
  readonly own: Asked
}

async function compare(
  duet: Contender,
  rivals: readonly Rival[],
  authorIds: readonly string[],
): Promise<readonly string[][]> {
  const rows: string[][] = []
  for (const workload of questions(authorIds).filter(isChosen))
    for (const { contender, asked, own } of rivals) {
      const entrants = [
        { contender: duet, workload: { ...workload, ...own[workload.name] } },
        { contender, workload: { ...workload, ...asked[workload.name]! } },
      ] as const
      const [answers, others] = await Promise.all(entrants.map(recordsOf))
      if (!Array.isArray(answers) || answers.length === 0) throw new Error(`${workload.name} finds nothing.`)
      if (!isDeepStrictEqual(others, answers))
        throw new Error(`${workload.name}: ${contender.name} answers ${inspect(others)}, not ${inspect(answers)}`)
      rows.push(...(await takeTurns(entrants, workload.about)))
    }
  return rows
}

async function recordsOf(entrant: Entrant): Promise<unknown> {
  return plain(JSON.parse((await ask(entrant)).body))
}

/** The records or groups of an answer, without what each API wraps around them. */
function plain(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(plain)
  if (answer === null || typeof answer !== 'object') return answer
  const object = answer as Readonly<Record<string, unknown>>
  const wrapped = ['data', 'posts', 'postSummary', 'nodes'].map((name) => object[name]).find((value) => value != null)
  if (wrapped !== undefined) return plain(wrapped)
  const { keys, distinctCount, created_at, createdAt = created_at, count, ...record } = object
  if (Array.isArray(keys)) return [String(keys[0]).slice(0, 7), Number((distinctCount as { rowId: string }).rowId)]
  return count === undefined ? record : [createdAt, count]
}
