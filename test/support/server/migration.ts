// A database on which one version of a service is started, and then the next: what tests of migration share.

import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach } from 'node:test'
import { anyone, resource, service, text } from 'duet-api'
import { defaultLimits } from '../../../src/limits.ts'
import { compileModel } from '../../../src/resource/model/compile/compile-model.ts'
import type { Model } from '../../../src/resource/model/model.ts'
import { openStore } from '../../../src/service/open/open-store.ts'
import { migrate } from '../../../src/store/migration/migrate.ts'
import { desiredSchema, type TableDefinition } from '../../../src/store/sql/schema/schema.ts'
import { type Dialect, dialectOf } from '../../../src/store/sql/text/dialect.ts'
import {
  bind,
  command,
  type Engine,
  type Program,
  query,
  type Store,
  type StoredRow,
  type Value,
} from '../../../src/store/store.ts'
import { createDatabase, forEachEngine, type TestDatabase } from './databases.ts'
import { patientLimits } from './patient-limits.ts'

/** A service of accounts and of things with these fields. */
export function modelOf(
  fields: object,
  more: {
    name?: string
    table?: string
    filter?: object
    sort?: string[]
    read?: unknown
    formerly?: object
    unique?: unknown[]
    exclude?: unknown[]
    search?: string[]
    anywhere?: string[]
  } = {},
): Model {
  const { name = 'Thing', read = anyone, ...lists } = more
  const User = resource('User', {
    prefix: 'usr',
    fields: { name: text({ max: 50 }) },
    actions: { read: { allow: anyone } },
  })
  const other = resource(name, { prefix: 'thing', fields, ...lists, actions: { read: { allow: read } } } as never)
  const definition = { resources: { User, [name]: other }, accounts: {}, roles: {} }
  return compileModel(service(definition as never) as never)
}
export const title = text({ max: 100 })

const storeOptions = {
  limits: { ...defaultLimits, ...patientLimits },
  log: { warn: assert.fail, error: assert.fail },
}

let schemas = 0
/** A schema of this database in which everything is made and found that names no other. */
async function createSchema(database: TestDatabase): Promise<TestDatabase> {
  const name = `schema_${schemas++}`
  const store = await openStore(database.url, storeOptions)
  await store.write(function* () {
    yield bind(command(`create schema ${name}`))
  })
  await store.close()
  const url = new URL(database.url)
  url.searchParams.set('options', `-c search_path=${name}`)
  return { ...database, url: url.href, drop: async () => undefined }
}

/** One database and the service that is started on it, first by one definition and then by the next. */
export interface Migration {
  readonly engine: Engine
  readonly dialect: Dialect
  /** A moment as this database keeps it. */
  readonly moment: Value
  /** Those of the test that runs. */
  readonly database: () => TestDatabase
  readonly store: () => Store
  start(model: Model, extra?: readonly TableDefinition[]): Promise<readonly string[]>
  run(sql: string, ...values: Value[]): Promise<readonly StoredRow[]>
  /** Inserts into `things` a record with these values beside the common ones. */
  insert(id: string, values?: Readonly<Record<string, Value>>): Promise<unknown>
  /** Runs the statements at the end of a refusal, as its reader would. */
  obey(refusal: unknown, value?: string): Promise<void>
}

/** Tests on each kind of database, each with a database of its own, or on PostgreSQL a schema, which costs much less. */
export const forEachMigration = (tests: (migration: Migration) => void): void =>
  forEachEngine((engine) => {
    let shared: TestDatabase
    let database: TestDatabase
    let store: Store
    if (engine === 'postgres') {
      before(async () => {
        shared = await createDatabase(engine)
      })
      after(() => shared.drop())
    }
    beforeEach(async () => {
      database = engine === 'sqlite' ? await createDatabase(engine) : await createSchema(shared)
      store = await openStore(database.url, storeOptions)
    })
    afterEach(async () => {
      await store.close()
      await database.drop()
    })
    tests(
      migrationOf(
        engine,
        () => database,
        () => store,
      ),
    )
  })

function migrationOf(engine: Engine, database: () => TestDatabase, store: () => Store): Migration {
  const dialect = dialectOf(engine)
  const moment = dialect.encode(new Date('2026-11-20T09:30:00.000Z'), 'timestamp')
  const run = (sql: string, ...values: Value[]): Promise<readonly StoredRow[]> =>
    store().write(function* (): Program<readonly StoredRow[]> {
      return yield bind(/^select/.test(sql) ? query(sql) : command(sql), ...values)
    })
  return {
    engine,
    dialect,
    moment,
    database,
    store,
    run,
    start: (model, extra = []) => migrate(store(), desiredSchema(model, dialect, extra)),
    insert(id, values = {}) {
      const all = { id, created_at: moment, updated_at: moment, ...values }
      const places = Object.keys(all).map((_, at) => dialect.parameter(at + 1))
      return run(
        `insert into things (${Object.keys(all).join(', ')}) values (${places.join(', ')})`,
        ...Object.values(all),
      )
    },
    async obey(refusal, value = '') {
      const sentence = String((refusal as Error).message).split('\n')[1]!
      const statements = sentence.slice(sentence.lastIndexOf('run: ') + 'run: '.length).replace('<value>', value)
      await store().write(function* (): Program<void> {
        for (const each of statements.split('; ')) if (each !== 'begin' && each !== 'commit') yield bind(command(each))
      })
    },
  }
}

/** What a service that must not start is refused with. */
export const refusalOf = (starting: Promise<unknown>): Promise<Error> =>
  starting.then(
    () => assert.fail('The service started.'),
    (error: Error) => error,
  )
