// Fresh databases for tests: each test gets its own, on every engine, and leaves nothing behind.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { Engine } from '../../../src/store/store.ts'
import { isElsewhere } from '../host/chosen-host.ts'

export interface TestDatabase {
  readonly engine: Engine
  /** As `DATABASE_URL` wants it: `sqlite:<path>` or `postgres://…`. (contract 0.1) */
  readonly url: string
  /** Removes it, and ends the connections that are still open a second later. */
  drop(): Promise<void>
}

/**
 * Declares `suite` once per engine, under the engine's name. Without PostgreSQL its half is skipped with a sentence
 * that says what to start; where `CI` is `true` that is an error, so that nothing is skipped there unseen. `TEST_ENGINE`
 * names the only one.
 */
export function forEachEngine(suite: (engine: Engine) => void, concurrency = 1): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const isOmitted = (process.env['TEST_ENGINE'] ?? engine) !== engine
    const skip = isOmitted || (engine === 'postgres' ? postgresMissing : isElsewhere)
    describe(engine, { skip, concurrency }, () => suite(engine))
  }
}

/** The same, for tests that mostly wait: four at once, each with a database of its own. */
export const forEachEngineAtOnce = (suite: (engine: Engine) => void): void => forEachEngine(suite, 4)

/** A database of its own, empty or a copy of this one, which must be closed. Takes about 1 ms on SQLite, 25 ms on PostgreSQL. */
export function createDatabase(engine: Engine, template: TestDatabase | null = null): Promise<TestDatabase> {
  return engine === 'sqlite' ? createSqlite(template) : createPostgres(template)
}

/** Few per process, since a new connection takes as long as what it is for. Idle ones keep no process running. */
const administrators = new pg.Pool({
  connectionString: serverUrl().href,
  connectionTimeoutMillis: 30_000,
  max: 2,
  idleTimeoutMillis: 0,
  allowExitOnIdle: true,
}).on('error', () => undefined)

/** For `{ skip }` of tests that are about PostgreSQL alone: false where it answers, otherwise what to start. */
export const postgresMissing: false | string = await whyPostgresIsMissing()

/** Linux keeps these files in memory, where a commit does not wait for a disk: a test outlives no power cut. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

async function createSqlite(template: TestDatabase | null): Promise<TestDatabase> {
  const folder = await mkdtemp(join(inMemory, 'duet-test-'))
  const path = join(folder, 'test.db')
  if (template !== null) await copyFile(template.url.slice('sqlite:'.length), path)
  return {
    engine: 'sqlite',
    url: `sqlite:${path}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  }
}

async function createPostgres(template: TestDatabase | null): Promise<TestDatabase> {
  const name = `duet_test_${randomBytes(8).toString('hex')}`
  const source = template === null ? 'template0' : new URL(template.url).pathname.slice(1)
  // `wal_log` copies the template through the log: 25 ms, where `file_copy` takes two checkpoints and 45 ms.
  await administer(
    `create database ${name} template ${source} encoding 'UTF8' strategy wal_log${await inTablespace()}`,
    // For the same reason.
    `alter database ${name} set synchronous_commit to off`,
  )
  return {
    engine: 'postgres',
    url: Object.assign(serverUrl(), { pathname: `/${name}` }).href,
    drop: () => dropPostgres(name),
  }
}

/** In memory, if the server has this tablespace: creating and dropping databases is a fifth of a run's work on a disk. */
const tablespace = 'duet_test'
let inTablespaceOnce: Promise<string> | null = null
const inTablespace = (): Promise<string> => {
  inTablespaceOnce ??= administrators
    .query('select from pg_tablespace where spcname = $1', [tablespace])
    .then(({ rowCount }) => (rowCount === 0 ? '' : ` tablespace ${tablespace}`))
  return inTablespaceOnce
}

/** A connection that is being closed closes first: ended by force, it would report an error that nothing listens for. */
async function dropPostgres(name: string): Promise<void> {
  const deadline = performance.now() + 1_000
  const query = "select from pg_stat_activity where datname = $1 and backend_type = 'client backend'"
  const sessions = async () => (await administrators.query(query, [name])).rowCount ?? 0
  while ((await sessions()) > 0 && performance.now() < deadline) await setTimeout(5)
  await administrators.query(`drop database if exists ${name} with (force)`)
}

/** `TEST_POSTGRES_URL`, or what `PGHOST`, `PGPORT`, `PGUSER` and `PGPASSWORD` say. */
function serverUrl(): URL {
  const { TEST_POSTGRES_URL, PGHOST, PGPORT, PGUSER, PGPASSWORD } = process.env
  if (TEST_POSTGRES_URL !== undefined) return new URL(TEST_POSTGRES_URL)
  const password = PGPASSWORD === undefined ? '' : `:${encodeURIComponent(PGPASSWORD)}`
  const user = encodeURIComponent(PGUSER ?? 'postgres')
  return new URL(`postgres://${user}${password}@${PGHOST ?? '127.0.0.1'}:${PGPORT ?? 5432}/postgres`)
}

async function administer(...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await administrators.query(statement)
}

async function whyPostgresIsMissing(): Promise<false | string> {
  try {
    await administer('select 1')
    return false
  } catch (cause) {
    const sentence = `Start PostgreSQL at ${serverUrl().host}, or name another server in TEST_POSTGRES_URL.`
    if (process.env['CI'] === 'true') throw new Error(sentence, { cause })
    return sentence
  }
}
