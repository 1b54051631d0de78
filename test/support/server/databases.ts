// Fresh databases for tests: each test gets its own, on every engine, and leaves nothing behind.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'
import type { Engine } from '../../../src/store/store.ts'
import { isElsewhere } from '../door/door.ts'

export interface TestDatabase {
  readonly engine: Engine
  /** As `DATABASE_URL` wants it: `sqlite:<path>` or `postgres://…`. (contract 0.1) */
  readonly url: string
  /** Removes it, with whatever is still connected to it. */
  drop(): Promise<void>
}

/**
 * Declares `suite` once per engine, under the engine's name. Without PostgreSQL its half is skipped with a sentence
 * that says what to start; where `CI` is `true` that is an error, so that nothing is skipped there unseen. `TEST_ENGINE`
 * names the only one.
 */
export function forEachEngine(suite: (engine: Engine) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const isOmitted = (process.env['TEST_ENGINE'] ?? engine) !== engine
    const skip = isOmitted || (engine === 'postgres' ? postgresMissing : isElsewhere)
    describe(engine, { skip }, () => suite(engine))
  }
}

/** An empty database that nobody else uses. Takes about 1 ms on SQLite, 25 ms on PostgreSQL. */
export function createDatabase(engine: Engine): Promise<TestDatabase> {
  return engine === 'sqlite' ? createSqlite() : createPostgres()
}

/** For `{ skip }` of tests that are about PostgreSQL alone: false where it answers, otherwise what to start. */
export const postgresMissing: false | string = await whyPostgresIsMissing()

/** Linux keeps these files in memory, where a commit does not wait for a disk: a test outlives no power cut. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

async function createSqlite(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(inMemory, 'duet-test-'))
  return {
    engine: 'sqlite',
    url: `sqlite:${join(folder, 'test.db')}`,
    drop: () => rm(folder, { recursive: true, force: true }),
  }
}

async function createPostgres(): Promise<TestDatabase> {
  const name = `duet_test_${randomBytes(8).toString('hex')}`
  // `wal_log` copies the template through the log: 25 ms, where `file_copy` takes two checkpoints and 45 ms.
  await administer(
    `create database ${name} template template0 encoding 'UTF8' strategy wal_log`,
    // For the same reason.
    `alter database ${name} set synchronous_commit to off`,
  )
  return {
    engine: 'postgres',
    url: Object.assign(serverUrl(), { pathname: `/${name}` }).href,
    drop: () => administer(`drop database if exists ${name} with (force)`),
  }
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
  const client = new pg.Client({ connectionString: serverUrl().href, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
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
