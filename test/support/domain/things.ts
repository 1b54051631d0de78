// A database of things for tests of stores: a store opened anew for each test, and programs that put and list.

import { after, afterEach, before, beforeEach, describe } from 'node:test'
import { Failure } from '../../../src/failure/failure.ts'
import { defaultLimits, type Limits } from '../../../src/limits.ts'
import { openStore } from '../../../src/service/open/open-store.ts'
import { type Dialect, dialectOf } from '../../../src/store/sql/text/dialect.ts'
import {
  bind,
  command,
  type Engine,
  type Program,
  query,
  type Run,
  type Statement,
  type Store,
  type StoredRow,
  type Value,
} from '../../../src/store/store.ts'
import { fullTuning, type Tuning } from '../../../src/store/tuning.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../server/databases.ts'
import { patientLimits } from '../server/patient-limits.ts'
import { noTuning } from './tunings.ts'

export interface Things {
  readonly engine: Engine
  readonly dialect: Dialect
  /** The first two parameters of a statement. */
  readonly parameters: readonly [first: string, second: string]
  /** Puts a thing, by its id and name. */
  readonly insert: Statement
  /** Every thing's id and name. */
  readonly select: Statement
  readonly broken: Statement
  /** That of this test. */
  readonly store: Store
  readonly url: string
  /** Another store of the same database; it is closed when the test ends. */
  open(limits?: Partial<Limits>): Promise<Store>
  put(id: string, name?: string | null): Program<string>
  list(): Program<readonly StoredRow[]>
  rowsOf(sql: string, ...values: Value[]): Promise<readonly StoredRow[]>
  ids(from?: Store): Promise<unknown[]>
  asynchronous(work: (run: Run) => Promise<void>): () => Program<void>
}

const quiet = { warn: () => undefined, error: () => undefined }

export const isUnavailable = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE' && error.retryAfterSeconds === 1

/** Declares `suite` once per engine, and again without what makes it fast, over tables that are empty when a test begins. */
export const forEachStore = (suite: (things: Things) => void): void =>
  forEachEngine((engine) => {
    describe('tuned', () => suite(thingsOn(engine, fullTuning)))
    describe('without tuning', () => suite(thingsOn(engine, noTuning)))
  })

function thingsOn(engine: Engine, tuning: Tuning): Things {
  const dialect = dialectOf(engine)
  const [first, second] = [dialect.parameter(1), dialect.parameter(2)]
  const insert = command(`insert into thing (id, name) values (${first}, ${second})`)
  const select = query('select id, name from thing order by id')
  let database: TestDatabase
  let store: Store
  const opened: Store[] = []
  const open = async (limits: Partial<Limits> = {}): Promise<Store> => {
    const made = await openStore(database.url, {
      limits: { ...defaultLimits, ...patientLimits, ...limits },
      log: quiet,
      tuning,
    })
    opened.push(made)
    return made
  }
  function* list(): Program<readonly StoredRow[]> {
    return yield bind(select)
  }

  before(async () => {
    database = await createDatabase(engine)
    const first = await open()
    await first.write(function* () {
      const [text, integer, boolean, timestamp, json] = (
        ['text', 'integer', 'boolean', 'timestamp', 'json'] as const
      ).map((type) => dialect.codec(type).declared)
      yield bind(
        command(`create table thing (id ${text} primary key, name ${text}, other ${text} references thing (id))`),
      )
      yield bind(command('create unique index thing_name_key on thing (name)'))
      yield bind(command(`create table number (value ${integer} primary key)`))
      yield bind(command(`create table kind (t ${text}, i ${integer}, b ${boolean}, m ${timestamp}, j ${json})`))
    })
    await first.close()
  })
  beforeEach(async () => {
    store = await open()
    await store.write(function* () {
      for (const table of ['thing', 'number', 'kind']) yield bind(command(`delete from ${table}`))
    })
  })
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())))
  after(() => database.drop())

  return {
    engine,
    dialect,
    parameters: [first, second],
    insert,
    select,
    broken: query('select id from nowhere'),
    get store() {
      return store
    },
    get url() {
      return database.url
    },
    open,
    *put(id, name = null) {
      yield bind(insert, id, name)
      return id
    },
    list,
    rowsOf(sql, ...values) {
      const statement = query(sql)
      return store.read(
        (function* (): Program<readonly StoredRow[]> {
          return yield bind(statement, ...values)
        })(),
      )
    },
    ids: async (from = store) => (await from.read(list())).map(([id]) => id),
    asynchronous: (work) =>
      function* (): Program<void> {
        yield { run: work }
      },
  }
}
