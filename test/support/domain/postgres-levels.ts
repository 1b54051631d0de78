// A PostgreSQL database of two things with levels, for tests of its adapter: a store opened anew for each test.

import { after, afterEach, before, beforeEach, suite } from 'node:test'
import { Failure } from '../../../src/failure/failure.ts'
import { defaultLimits, type Limits } from '../../../src/limits.ts'
import { directServer } from '../../../src/store/postgres/hosts.ts'
import { openPostgres } from '../../../src/store/postgres/store.ts'
import {
  bind,
  command,
  type Program,
  query,
  type Statement,
  type Store,
  type StoredRow,
  type Value,
} from '../../../src/store/store.ts'
import { createDatabase, postgresMissing, type TestDatabase } from '../server/databases.ts'
import { patientLimits } from '../server/patient-limits.ts'

export interface Levels {
  /** That of this test. */
  readonly store: Store
  readonly url: string
  /** What the log was told since the test began. */
  readonly warnings: readonly string[]
  /** Another store of the same database, or of another; it is closed when the test ends. */
  open(limits?: Partial<Limits>, url?: string): Store
  /** Puts a thing of level 0, by its id. */
  readonly insert: Statement
  /** Raises the level of the thing with this id. */
  readonly raise: Statement
  rows(sql: string, ...values: Value[]): Program<readonly StoredRow[]>
  read(sql: string, from?: Store): Promise<readonly StoredRow[]>
  write(sql: string): Promise<unknown>
  /** Every thing's id and level. */
  levels(): Promise<unknown>
  /** A statement that fails with this SQLSTATE. */
  failWith(state: string): Program<readonly StoredRow[]>
}

export const isUnavailable = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'SERVICE_UNAVAILABLE' && error.retryAfterSeconds === 1

/** Declares `declare` over a database in which `a` and `b` have the level 0 when a test begins. */
export const withLevels = (title: string, declare: (given: Levels) => void): void =>
  void suite(title, { skip: postgresMissing }, () => declare(createLevels()))

function createLevels(): Levels {
  let database: TestDatabase
  let store: Store
  const warnings: string[] = []
  const opened: Store[] = []

  function open(limits: Partial<Limits> = {}, url = database.url): Store {
    const log = {
      warn: (sentence: string) => warnings.push(sentence),
      error: (sentence: string) => warnings.push(sentence),
    }
    const made = openPostgres({
      server: directServer(url),
      limits: { ...defaultLimits, ...patientLimits, ...limits },
      log,
    })
    opened.push(made)
    return made
  }
  function* rows(sql: string, ...values: Value[]): Program<readonly StoredRow[]> {
    return yield bind(query(sql), ...values)
  }
  const read = (sql: string, from = store): Promise<readonly StoredRow[]> => from.read(rows(sql))
  const write = (sql: string): Promise<unknown> => store.write(() => rows(sql))

  before(async () => {
    database = await createDatabase('postgres')
    store = open()
    await write('create table thing (id text primary key, level integer not null default 0)')
    await write(
      `create function fail(state text) returns void language plpgsql as $$ begin
        raise exception 'as asked' using errcode = state;
      end $$`,
    )
    await store.close()
  })
  beforeEach(async () => {
    store = open()
    warnings.length = 0
    await write('delete from thing')
    await write(`insert into thing values ('a'), ('b')`)
  })
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())))
  after(() => database.drop())

  return {
    get store() {
      return store
    },
    get url() {
      return database.url
    },
    warnings,
    open,
    insert: command('insert into thing (id) values ($1)'),
    raise: command('update thing set level = level + 1 where id = $1'),
    rows,
    read,
    write,
    levels: () => read('select id, level from thing order by id'),
    failWith: (state) => rows(`select fail('${state}')`),
  }
}
