// What declarations cost that share an index: thirty questions to a million records each, of a database with the planned indexes and of
// one where each question has its own. `node --conditions=duet-source bench/indexes.ts [sqlite|postgres] [records]`

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { defaultLimits } from '../src/limits.ts'
import { silentLog } from '../src/observation/log.ts'
import type { Service } from '../src/resource/language/service.ts'
import { readConfiguration } from '../src/service/configuration/configuration.ts'
import { openStore } from '../src/service/open/open-store.ts'
import { startService } from '../src/service/service.ts'
import { compileService } from '../src/service/start/compile-service.ts'
import { migrate } from '../src/store/migration/migrate.ts'
import type { planIndexes } from '../src/store/sql/schema/index-plan.ts'
import { desiredSchema, indexPlanner } from '../src/store/sql/schema/schema.ts'
import { dialectOf } from '../src/store/sql/text/dialect.ts'
import { type Bound, bind, type Program, query, type Store } from '../src/store/store.ts'
import { type Overheard, overhear } from '../test/support/check/statement-counter.ts'
import { dataKey } from '../test/support/server/data-key.ts'
import type { TestService } from '../test/support/server/service.ts'
import { type Case, cases, engine, insertSql, type Question, records } from './index-questions.ts'
import { createPostgresDatabase } from './platforms/databases.ts'
import { sized } from './scale.ts'

const limits = { ...defaultLimits, statementTimeoutMs: 120_000 }
const rounds = sized(20, 1)
/** A round repeats a question for so long. */
const roundMs = sized(5, 0)
const dialect = dialectOf(engine)
const isSqlite = engine === 'sqlite'

/** A plan in which nothing is shared. */
const eachItsOwn: typeof planIndexes = (wanted) =>
  wanted.map(({ question, ...index }) => ({ ...index, questions: new Set([question]), isUnique: false }))

interface Place {
  readonly url: string
  copy(): Promise<Place>
  run(...statements: readonly string[]): Promise<void>
  drop(): Promise<void>
}

async function createPlace(): Promise<Place> {
  return isSqlite ? sqlitePlace() : postgresPlace(await createPostgresDatabase())
}

function sqlitePlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'duet-indexes-'))
  const path = join(folder, 'test.db')
  const drop = async () => rmSync(folder, { recursive: true, force: true })
  return {
    url: `sqlite:${path}`,
    async copy() {
      const other = sqlitePlace()
      cpSync(path, other.url.slice('sqlite:'.length))
      return other
    },
    async run(...statements) {
      const database = new Database(path)
      database.pragma('foreign_keys = off')
      for (const each of statements) database.exec(each)
      database.pragma('wal_checkpoint(truncate)')
      database.close()
    },
    drop,
  }
}

type PostgresDatabase = Awaited<ReturnType<typeof createPostgresDatabase>>
const postgresPlace = (database: PostgresDatabase): Place => ({
  url: database.url,
  copy: async () => postgresPlace(await database.copy()),
  async run(...statements) {
    for (const each of statements)
      await database.run(each.startsWith('insert') ? `set session_replication_role = replica; ${each}` : each)
  },
  drop: () => database.drop(),
})

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!

async function compare({ definition, fillings, questions }: Case): Promise<void> {
  const model = compileService(definition)
  const shared = await createPlace()
  const empty = await openStore(shared.url, { limits, log: silentLog })
  await migrate(empty, desiredSchema(model, dialect))
  await empty.close()
  const tables = model.resources.filter(({ table }) => fillings.some((each) => each.table === table))
  const ownIndexes = indexPlanner(model, dialect, eachItsOwn)
  const indexes = (of: typeof ownIndexes) =>
    tables.flatMap((each) =>
      of(each).flatMap(({ index }) => index.create.filter((sql) => /^create (unique )?index/.test(sql))),
    )
  const planned = indexes(indexPlanner(model, dialect))
  const more = indexes(ownIndexes).filter((each) => !planned.includes(each))
  await shared.run(...planned.map((sql) => `drop index ${/"[^"]+"/.exec(sql)![0]}`))
  await shared.run(...fillings.map(insertSql), ...planned)
  const own = await shared.copy()
  await own.run(...more)
  // Duet keeps statistics on PostgreSQL only.
  for (const each of isSqlite ? [] : [shared, own]) await each.run('vacuum analyze')
  await ask([shared.url, own.url], definition, questions)
  await shared.drop()
  await own.drop()
}

async function ask(
  urls: readonly string[],
  definition: Service<unknown>,
  questions: readonly Question[],
): Promise<void> {
  const statementsOf = await overhearAll(urls[0]!, definition, questions)
  const stores = await Promise.all(urls.map((url) => openStore(url, { limits, log: silentLog })))
  for (const [what, statements] of statementsOf) {
    const [shared, own] = await times(statements, stores)
    const rows = statements.reduce((sum, each) => sum + each.rows, 0)
    const [plan, ownPlan] = await Promise.all(stores.map((store) => plansOf(statements, store)))
    const sameness = plan!.join() === ownPlan!.join() ? 'same' : 'other'
    const ratio = (shared! / own!).toFixed(2)
    console.log(`| ${what} | ${rows} | ${shared!.toFixed(3)} | ${own!.toFixed(3)} | ${ratio} | ${sameness} |`)
  }
  for (const store of stores) await store.close()
}

async function overhearAll(url: string, definition: Service<unknown>, questions: readonly Question[]) {
  const configuration = readConfiguration({ DATA_KEY: dataKey, PORT: '0', DATABASE_URL: url })
  const service = await startService(definition, { configuration, log: silentLog, clock: () => new Date() })
  const listened = { store: service.store, model: compileService(definition), settled: async () => {} } as TestService
  const all: [what: string, statements: readonly Overheard[]][] = []
  for (const [what, work] of questions) all.push([what, (await overhear(listened, () => work(service))).statements])
  await service.stop()
  return all
}

/** Medians in milliseconds of rounds that take turns, so that what else the machine does slows all alike. */
async function times(statements: readonly Bound[], stores: readonly Store[]): Promise<readonly number[]> {
  const round = isSqlite ? await sqliteRound(statements, stores[0]!) : postgresRound(statements)
  for (const store of stores) await round(store)
  const taken: number[][] = stores.map(() => [])
  for (let at = 0; at < rounds; at++) for (const [of, store] of stores.entries()) taken[of]!.push(await round(store))
  return taken.map(median)
}

type Round = (store: Store) => Promise<number>

async function sqliteRound(statements: readonly Bound[], store: Store): Promise<Round> {
  const take = async (each: Store, repetitions: number) => {
    const start = performance.now()
    await each.read(repeated(statements, repetitions))
    return (performance.now() - start) / repetitions
  }
  await take(store, 10)
  const repetitions = Math.max(1, Math.round(roundMs / (await take(store, 1))))
  return (each) => take(each, repetitions)
}

function* repeated(statements: readonly Bound[], repetitions: number): Program<void> {
  for (let at = 0; at < repetitions; at++) for (const each of statements) yield each
}

/** By its own clock, which does not wait for this process. */
const postgresRound =
  (statements: readonly Bound[]): Round =>
  async (store) => {
    const lines = await store.read(explained('explain (analyze, timing off)', statements))
    const ms = lines.flatMap((line) => /^Execution Time: (.*) ms/.exec(line)?.[1] ?? [])
    return ms.reduce((sum, each) => sum + Number(each), 0)
  }

const plansOf = (statements: readonly Bound[], store: Store): Promise<readonly string[]> =>
  store.read(explained(isSqlite ? 'explain query plan' : 'explain (costs off)', statements))

function* explained(how: string, statements: readonly Bound[]): Program<readonly string[]> {
  const lines: string[] = []
  for (const { statement, values } of statements)
    for (const row of yield bind(query(`${how} ${statement.sql}`), ...values)) lines.push(String(row.at(-1)))
  return lines
}

console.log(
  `${engine}, ${records} records\n\n| question | rows | shared ms | own ms | × | plan |\n| --- | --- | --- | --- | --- | --- |`,
)
for (const each of cases) await compare(each)
