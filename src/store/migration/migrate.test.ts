// What becomes of a database when definitions change: each test starts one version of a service, then the next.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { promisify } from 'node:util'
import {
  anyOf,
  anyone,
  bigint,
  boolean,
  choice,
  contains,
  date,
  decimal,
  integer,
  is,
  json,
  list,
  manyToMany,
  object,
  one,
  optional,
  present,
  resource,
  service,
  text,
  timestamp,
  when,
} from 'duet-api'
import { library } from '../../../test/support/domain/library.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../../../test/support/server/databases.ts'
import { defaultLimits } from '../../limits.ts'
import { compileModel } from '../../resource/model/compile-model.ts'
import type { Model } from '../../resource/model/model.ts'
import { openStore } from '../../service/open-store.ts'
import { dialectOf } from '../sql/dialect.ts'
import { desiredSchema, type TableDefinition } from '../sql/schema.ts'
import { bind, command, type Program, query, type Store, type StoredRow, type Value } from '../store.ts'
import { migrate } from './migrate.ts'

/** A service of accounts and of things with these fields. */
function modelOf(
  fields: object,
  more: { name?: string; filter?: object; sort?: string[]; read?: unknown; formerly?: object; unique?: unknown[] } = {},
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
const title = text({ max: 100 })

let schemas = 0
/** A schema of this database in which everything is made and found that names no other. */
async function createSchema(database: TestDatabase): Promise<TestDatabase> {
  const name = `schema_${schemas++}`
  const store = await openStore(database.url, { limits: defaultLimits, log: { warn: assert.fail, error: assert.fail } })
  await store.write(function* () {
    yield bind(command(`create schema ${name}`))
  })
  await store.close()
  const url = new URL(database.url)
  url.searchParams.set('options', `-c search_path=${name}`)
  return { ...database, url: url.href, drop: async () => undefined }
}

forEachEngine((engine) => {
  const dialect = dialectOf(engine)
  const moment = dialect.encode(new Date('2026-11-20T09:30:00.000Z'), 'timestamp')
  let shared: TestDatabase
  let database: TestDatabase
  let store: Store

  // A database of its own for each test, or on PostgreSQL a schema, which costs much less.
  if (engine === 'postgres') {
    before(async () => {
      shared = await createDatabase(engine)
    })
    after(() => shared.drop())
  }
  beforeEach(async () => {
    database = engine === 'sqlite' ? await createDatabase(engine) : await createSchema(shared)
    store = await openStore(database.url, { limits: defaultLimits, log: { warn: assert.fail, error: assert.fail } })
  })
  afterEach(async () => {
    await store.close()
    await database.drop()
  })

  const start = (model: Model, extra: readonly TableDefinition[] = []) =>
    migrate(store, desiredSchema(model, dialect, extra))
  const run = (sql: string, ...values: Value[]): Promise<readonly StoredRow[]> =>
    store.write(function* (): Program<readonly StoredRow[]> {
      return yield bind(/^select/.test(sql) ? query(sql) : command(sql), ...values)
    })
  /** Inserts into `things` a record with these values beside the common ones. */
  function insert(id: string, values: Readonly<Record<string, Value>> = {}): Promise<unknown> {
    const all = { id, created_at: moment, updated_at: moment, ...values }
    const places = Object.keys(all).map((_, at) => dialect.parameter(at + 1))
    return run(
      `insert into things (${Object.keys(all).join(', ')}) values (${places.join(', ')})`,
      ...Object.values(all),
    )
  }
  /** Runs the statements at the end of a refusal, as its reader would. */
  async function obey(refusal: unknown, value = ''): Promise<void> {
    const sentence = String((refusal as Error).message).split('\n')[1]!
    const statements = sentence.slice(sentence.lastIndexOf('run: ') + 'run: '.length).replace('<value>', value)
    for (const statement of statements.split('; ')) await run(statement)
  }
  const refusalOf = (starting: Promise<unknown>): Promise<Error> =>
    starting.then(
      () => assert.fail('The service started.'),
      (error: Error) => error,
    )

  test('makes everything in an empty database, and does nothing the next time', async () => {
    const model = compileModel(library)
    assert.ok((await start(model)).length > 10)
    const before = { ...store.counts }
    assert.deepEqual(await start(model), [])
    const { statements, transactions } = store.counts
    assert.deepEqual([statements - before.statements, transactions - before.transactions], [2, 0])
    assert.deepEqual(await run('select count(*) from users'), [[0]])
  })

  test('lets one of several processes that start at once do it, and the others wait', { timeout: 30_000 }, async () => {
    const script = new URL('../../../test/support/process/migrating-process.ts', import.meta.url).pathname
    const started = Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, ['--conditions=duet-source', script, database.url]),
    )
    const counts = (await Promise.all(started)).map(({ stdout }) => Number(stdout))
    assert.equal(counts.filter((each) => each > 0).length, 1, counts.join(' '))
    assert.deepEqual(await start(compileModel(library)), [])
  })

  test('says why it cannot, where the server stands by', { skip: engine === 'sqlite' }, async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', `${url.searchParams.get('options')} -c default_transaction_read_only=on`)
    const reader = await openStore(url.href, { limits: defaultLimits, log: { warn: () => {}, error: assert.fail } })
    try {
      const refusal = await refusalOf(migrate(reader, desiredSchema(modelOf({ title }), dialect)))
      assert.match(
        refusal.message,
        /^DATABASE_URL names a database that has .* in a read-only transaction\. Where its /,
      )
    } finally {
      await reader.close()
    }
  })

  test('makes the internal tables of other parts', async () => {
    const create = ['create table if not exists duet_extra (id text primary key)']
    const extra = [{ create: { sqlite: create, postgres: create } }]
    const model = modelOf({ title })
    await start(model)
    assert.deepEqual(await start(model, extra), [
      'create table if not exists duet_schema (fingerprint text not null, tables text not null)',
      ...create,
    ])
    await run(`insert into duet_extra values ('kept')`)
    await start(modelOf({ title, more: optional(text({ max: 5 })) }), extra)
    assert.deepEqual(await run('select id from duet_extra'), [['kept']])
  })

  test('adds columns, with their default to records that are there', async () => {
    await start(modelOf({ title }))
    await insert('thing_1', { title: 'One' })
    const more = {
      title,
      note: optional(text({ max: 100 })),
      level: integer({ default: 7 }),
      open: boolean({ default: true }),
      kind: text({ max: 20, default: "it's" }),
      tags: list(text({ max: 10 }), { max: 3 }),
      user: optional(one('User')),
    }
    await start(modelOf(more))
    const [row] = await run('select title, note, level, open, kind, tags, user_id, version, deleted_at from things')
    const yes = engine === 'sqlite' ? 1 : true
    assert.deepEqual(row, ['One', null, 7, yes, "it's", '[]', null, 1, null])
    await assert.rejects(insert('thing_2', { title: 'Two', user_id: 'missing' }), { name: 'Error', message: /nowhere/ })
  })

  test('adds a required column without a default only while there are no records', async () => {
    await start(modelOf({ title }))
    await start(modelOf({ title, level: integer(), user: one('User') }))
    await run(`insert into users (id, name, created_at, updated_at) values ('usr_1', 'A', '${moment}', '${moment}')`)
    await insert('thing_1', { title: 'One', level: 1, user_id: 'usr_1' })
    const next = modelOf({ title, level: integer(), user: one('User'), size: integer() })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.size is required and has no default/)
    assert.deepEqual(await start(modelOf({ title, level: integer(), user: one('User') })), [])
    await obey(refusal, '3')
    await start(next)
    assert.deepEqual(await run('select size from things'), [[3]])
  })

  test('renames a column that had another name, with its values', async () => {
    const indexed = { filter: { title: is }, sort: ['title'] }
    await start(
      modelOf(
        { title, user: optional(one('User')), tags: list(title, { max: 9 }) },
        { ...indexed, filter: { title: is, tag: contains('tags') } },
      ),
    )
    await insert('thing_1', { title: 'One', tags: '["a"]' })
    const next = modelOf(
      {
        heading: text({ max: 100, was: 'title' }),
        owner: optional(one('User', { was: 'user' })),
        labels: list(title, { max: 9, was: 'tags' }),
      },
      { filter: { heading: is, label: contains('labels') }, sort: ['heading'] },
    )
    await start(next)
    assert.deepEqual(await run('select heading, owner_id, labels from things'), [['One', null, '["a"]']])
    assert.deepEqual(await start(next), [])
    await insert('thing_2', { heading: 'Two', labels: '["b"]' })
    // The next version may forget the old name.
    const forgetful = { heading: title, owner: optional(one('User')), labels: list(title, { max: 9 }) }
    await start(modelOf(forgetful, { filter: { heading: is, label: contains('labels') }, sort: ['heading'] }))
  })

  test('renames a column whose field had another name in an older version', async () => {
    await start(modelOf({ title, user: optional(one('User')) }))
    await insert('thing_1', { title: 'One' })
    const formerly = { v1: { heading: 'name', owner: 'user' }, v2: { heading: 'title' } }
    await start(modelOf({ heading: title, owner: optional(one('User')) }, { formerly }))
    assert.deepEqual(await run('select heading, owner_id from things'), [['One', null]])
    // What the field says of its column wins: clients may have known it by a name that the column never had.
    const called = { formerly: { v1: { topic: 'subject' } } }
    await start(modelOf({ topic: text({ max: 100, was: 'heading' }), owner: optional(one('User')) }, called))
    assert.deepEqual(await run('select topic from things'), [['One']])
  })

  test('refuses to start with a column that no field has, and says how to go on', async () => {
    const lists = { filter: { title: is, tag: contains('tags') }, sort: ['title'] }
    await start(modelOf({ title, tags: list(title, { max: 9 }), user: optional(one('User')), level: integer() }, lists))
    await insert('thing_1', { title: 'One', tags: '["a"]', level: 4 })
    for (const [column, fields] of [
      ['title', { tags: list(title, { max: 9 }), user: optional(one('User')), level: integer() }],
      ['tags', { user: optional(one('User')), level: integer() }],
      ['user_id', { level: integer() }],
    ] as const) {
      const next = modelOf(fields)
      const refusal = await refusalOf(start(next))
      assert.match(refusal.message, new RegExp(`"things" has a column "${column}", but Thing has no field`))
      await obey(refusal)
      await start(next)
    }
    assert.deepEqual(await run('select level from things'), [[4]])
  })

  test('changes nothing when it refuses', async () => {
    await start(modelOf({ title, level: integer() }, { sort: ['title'] }))
    const next = modelOf({ level: integer(), added: optional(title) }, { sort: ['level'] })
    await refusalOf(start(next))
    await assert.rejects(run('select added from things'), /added/)
    assert.deepEqual(await start(modelOf({ title, level: integer() }, { sort: ['title'] })), [])
  })

  test('tells everything that it refuses at once', async () => {
    await start(modelOf({ title, level: integer() }))
    await insert('thing_1', { title: 'One', level: 1 })
    const refusal = await refusalOf(start(modelOf({ level: text({ max: 9 }), size: integer() })))
    const [, ...sentences] = refusal.message.split('\n')
    assert.deepEqual(
      sentences.map((each) => /^(The table "things" has a column "title"|Thing\.\w+)/.exec(each)?.[1]),
      ['Thing.level', 'Thing.size', 'The table "things" has a column "title"'],
    )
  })

  test('refuses another type, and says how to change it', async () => {
    await start(modelOf({ title, level: integer() }, { sort: ['level'] }))
    await insert('thing_1', { title: 'One', level: 12 })
    const next = modelOf({ title, level: text({ max: 9 }) }, { sort: ['level'] })
    const refusal = await refusalOf(start(next))
    assert.match(
      refusal.message,
      /Thing\.level is text.* by its definition, but the column "level" of "things" is integer/,
    )
    await obey(refusal)
    await start(next)
    assert.deepEqual(await run('select level from things'), [['12']])
  })

  const kinds = {
    integer: [integer(), 1],
    boolean: [boolean(), engine === 'sqlite' ? 1 : true],
    timestamp: [timestamp(), moment],
    text: [text({ max: 100 }), '1'],
    json: [json({ maxBytes: 100 }), '{}'],
  } as const
  for (const [from, [before, value]] of Object.entries(kinds)) {
    for (const [to, [next]] of Object.entries(kinds)) {
      test(`says what to run for ${from} that becomes ${to}, and that runs`, { skip: from === to }, async () => {
        await start(modelOf({ level: before }))
        // What no text and no value of JSON is read as is somebody's own affair; null is of every type.
        const isRead = !(from === 'json' || (from === 'text' && to === 'timestamp'))
        await start(modelOf({ level: optional(before as typeof title) }))
        await insert('thing_1', { level: isRead ? value : null })
        const model = modelOf({ level: optional(next as typeof title) })
        for (let tries = 0; ; tries++) {
          const refusal = await start(model).then(
            () => null,
            (error: Error) => error,
          )
          if (refusal === null) break
          assert(tries < 2 && /^Thing\.level (is|does not fit)/.test(refusal.message.split('\n')[1]!), refusal.message)
          await obey(refusal, sound[to as keyof typeof kinds])
        }
        const [[stored]] = (await run('select level from things')) as [[Value]]
        if (stored !== null) dialect.decode(stored, to as keyof typeof kinds)
      })
    }
  }
  const sound = {
    integer: '1',
    boolean: engine === 'sqlite' ? '1' : 'true',
    timestamp: `'${moment}'`,
    text: `'1'`,
    json: `'{}'`,
  }

  test('refuses a form that records do not have, with how many and what to do', async () => {
    const before = {
      kind: choice(['red', 'green', 'blue']),
      free: json({ maxBytes: 100 }),
      tags: list(text({ max: 9 }), { max: 9 }),
      parts: list(object({ size: integer(), name: optional(title) }), { max: 9 }),
    }
    await start(modelOf(before))
    const values = { tags: '["a"]', free: '{"a": [1]}', parts: '[{"size": 1, "name": null}]' }
    await insert('thing_1', { kind: 'red', ...values })
    await insert('thing_2', { kind: 'green', ...values })
    await insert('thing_3', { kind: 'green', ...values })
    await insert('thing_4', { kind: 'blue', ...values, deleted_at: moment })
    for (const [field, next, told, value] of [
      ['kind', choice(['red', 'blue']), /^Thing\.kind does not fit 2 records, which have green \(2\)\. Keep /, `'red'`],
      ['free', list(text({ max: 9 }), { max: 9 }), /^Thing\.free does not fit 3 records, whose values have /, `'[]'`],
      ['tags', list(choice(['b']), { max: 9 }), /^Thing\.tags does not fit 3 records/, `'["b"]'`],
      ['parts', list(object({ size: integer(), unit: title }), { max: 9 }), /^Thing\.parts does not fit 3 /, `'[]'`],
    ] as const) {
      const model = modelOf({ ...before, [field]: next })
      const refusal = await refusalOf(start(model))
      assert.match(refusal.message.split('\n')[1]!, told)
      // Nothing has changed: the former version starts.
      assert.deepEqual(await start(modelOf(before)), [])
      await obey(refusal, value)
      await start(model)
      Object.assign(before, { [field]: next })
    }
  })

  test('fills a new column of numbers with the default, exactly', async () => {
    await start(modelOf({ title }))
    await insert('thing_1', { title: 'One' })
    const price = decimal({ precision: 18, scale: 2, default: '9999999999999999.99' })
    await start(
      modelOf({
        title,
        price,
        views: bigint({ default: 9_007_199_254_740_993n }),
        day: date({ default: '2028-02-29' }),
      }),
    )
    const [row] = await run(`select cast(price as text), cast(views as text), cast(day as text) from things`)
    const stored = engine === 'sqlite' ? '999999999999999999' : '9999999999999999.99'
    assert.deepEqual(row, [stored, '9007199254740993', '2028-02-29'])
  })

  test('refuses another number of digits behind the point, and a day that is none', async () => {
    const priced = (precision: number, scale: number) => modelOf({ title, price: decimal({ precision, scale }) })
    await start(priced(6, 2))
    await insert('thing_1', { title: 'no day', price: 1250 })
    const refusal = await refusalOf(start(priced(8, 4)))
    const told =
      engine === 'sqlite'
        ? /^Thing\.price does not fit one record, which have it with another number of digits behind the point\./
        : /^Thing\.price is numeric\(8,4\) by its definition, but the column "price" of "things" is numeric\(6,2\)\./
    assert.match(refusal.message.split('\n')[1]!, told)
    assert.deepEqual(await start(priced(6, 2)), [], 'nothing has changed')
    const dated = modelOf({ title: date(), price: decimal({ precision: 6, scale: 2 }) })
    assert.match(
      (await refusalOf(start(dated))).message,
      /Thing\.title (does not fit one record|is date by its definition)/,
    )
  })

  test('takes a wider form without a look at the records, and one that they happen to have', async () => {
    const withKind = (...values: string[]) => modelOf({ title, kind: choice(values as [string]) })
    await start(withKind('red', 'green'))
    await insert('thing_1', { title: 'One', kind: 'red' })
    const looks = (statements: number, before: number) => statements - before
    const { statements } = store.counts
    await start(withKind('red', 'green', 'blue'))
    const wider = looks(store.counts.statements, statements)
    await start(withKind('red'))
    assert.equal(
      looks(store.counts.statements, statements) - wider,
      wider + (engine === 'sqlite' ? 1 : 2),
      'it counts once',
    )
    // A version that returns finds what a newer one has left, and the next one looks again.
    await start(withKind('red', 'green'))
    await run(`update things set kind = 'green'`)
    const refusal = await refusalOf(start(withKind('red', 'yellow')))
    assert.match(refusal.message, /Thing\.kind does not fit one record/)
  })

  test('keeps values of jsonb as json, with their default and their index', {
    skip: engine === 'sqlite' && 'it has no such type',
  }, async () => {
    const next = modelOf({ title, tags: list(title, { max: 9 }) }, { filter: { tag: contains('tags') } })
    await start(modelOf({ title }))
    await run(`alter table things add column tags jsonb not null default '[]'`)
    await run('create index things_tags_00000000_idx on things using gin (tags jsonb_path_ops)')
    await insert('thing_1', { title: 'One', tags: '["a"]' })
    await insert('thing_2', { title: 'Two' })
    await start(next)
    await insert('thing_3', { title: 'Three' })
    assert.deepEqual(await run(`select tags::text, pg_typeof(tags)::text from things order by id`), [
      ['["a"]', 'json'],
      ['[]', 'json'],
      ['[]', 'json'],
    ])
    const indexes = `select count(*) from pg_indexes where tablename = 'things' and indexdef like '%jsonb_path_ops%' and schemaname = current_schema()`
    assert.deepEqual(await run(indexes), [[1]])
  })

  test('refuses a relation that leads elsewhere than before', async () => {
    await start(modelOf({ title, other: optional(one('User')) }))
    const next = modelOf({ title, other: optional(one('Thing')) })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.other is text.* that refers to "things" by its definition/)
    await obey(refusal)
    await start(next)
    await insert('thing_1', { title: 'One' })
    await insert('thing_2', { title: 'Two', other_id: 'thing_1' })
  })

  test('makes a field optional, and required again once every record has it', async () => {
    const required = modelOf({ title })
    const relaxed = modelOf({ title: optional(title) })
    await start(required)
    await assert.rejects(insert('thing_1', {}))
    await start(relaxed)
    await insert('thing_1', {})
    const refusal = await refusalOf(start(required))
    assert.match(refusal.message, /Thing\.title is required, but there are records without it/)
    await obey(refusal, `'None'`)
    await start(required)
    await assert.rejects(insert('thing_2', {}))
    assert.deepEqual(await run('select title from things'), [['None']])
  })

  test('makes a field unique only where its values are, among living records', async () => {
    await start(modelOf({ title }))
    await insert('thing_1', { title: 'Same' })
    await insert('thing_2', { title: 'Same' })
    const next = modelOf({ title: text({ max: 100, unique: true }) })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.title is unique, but several records have the same value/)
    const duplicates = refusal.message.slice(refusal.message.indexOf('found by: ') + 'found by: '.length)
    assert.deepEqual(await run(duplicates), [['Same', 2]])
    await run(`update things set deleted_at = '${moment}' where id = 'thing_1'`)
    await start(next)
    await assert.rejects(insert('thing_3', { title: 'Same' }), { index: 'things_title_key' })
    await start(modelOf({ title }))
    await insert('thing_3', { title: 'Same' })
  })

  const level = integer()
  const duplicatesIn = (refusal: Error) =>
    refusal.message.slice(refusal.message.indexOf('found by: ') + 'found by: '.length)

  test('makes fields unique together only where they are, among living records', async () => {
    await start(modelOf({ title, level }))
    for (const [id, name] of [
      ['1', 'Same'],
      ['2', 'Same'],
      ['3', 'Other'],
    ] as const)
      await insert(`thing_${id}`, { title: name, level: 1 })
    const next = modelOf({ title, level }, { unique: [['title', 'level']] })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /Thing\.title, Thing\.level are unique together, .*: one value of which stands in/)
    assert.deepEqual(await run(duplicatesIn(refusal)), [['Same', 1, 2]])
    await run(`update things set level = 2 where id = 'thing_1'`)
    await start(next)
    await assert.rejects(insert('thing_4', { title: 'Same', level: 2 }), /has this value already/)
    const renamed = { title, height: integer({ was: 'level' }) }
    await start(modelOf(renamed, { unique: [['title', 'height']] }))
    await assert.rejects(insert('thing_4', { title: 'Same', height: 2 }), /has this value already/)
    await start(modelOf(renamed))
    await insert('thing_4', { title: 'Same', height: 2 })
  })

  test('names the words that stand in several records', async () => {
    const size = choice(['small', 'large'])
    await start(modelOf({ size }))
    for (const id of ['thing_1', 'thing_2', 'thing_3']) await insert(id, { size: 'small' })
    const refusal = await refusalOf(start(modelOf({ size }, { unique: [['size']] })))
    assert.match(refusal.message, /stands in more than one: small \(3\)\. They are found by: select/)
  })

  test('makes them unique among the records of a condition, and anew when that changes', async () => {
    const size = choice(['small', "it's"])
    const open = boolean()
    const uniqueAmong = (where: unknown) => modelOf({ title, size, open }, { unique: [{ fields: ['title'], where }] })
    const no = engine === 'sqlite' ? 0 : false
    await start(uniqueAmong(when({ size: "it's", open: false })))
    await insert('thing_1', { title: 'Same', size: "it's", open: no })
    await insert('thing_2', { title: 'Same', size: 'small', open: no })
    await insert('thing_3', { title: 'Same', size: 'small', open: no })
    await assert.rejects(insert('thing_4', { title: 'Same', size: "it's", open: no }), /has this value already/)
    const refusal = await refusalOf(start(uniqueAmong(when({ open: false }))))
    assert.deepEqual(await run(duplicatesIn(refusal)), [['Same', 3]])
    await start(uniqueAmong(anyOf(when({ size: "it's" }), when({ open: true }))))
    await assert.rejects(insert('thing_4', { title: 'Same', size: "it's", open: no }), /has this value already/)
  })

  test('fills the folded forms of texts that are there, drops them with their definition, and fills them again', async () => {
    const note = optional(text({ max: 50 }))
    const caseless = modelOf({ title, note }, { unique: [{ fields: ['title', 'note'], caseless: true }] })
    await start(modelOf({ title, note }))
    await insert('thing_1', { title: 'Straße', note: 'A' })
    await insert('thing_2', { title: 'STRASSE', note: 'a' })
    await insert('thing_3', { title: 'Straße', note: null })
    await insert('thing_4', { title: 'Straße', note: null })
    const refusal = await refusalOf(start(caseless))
    assert.match(refusal.message, /Thing\.title, Thing\.note are unique together/)
    await run(`update things set note = 'b' where id = 'thing_2'`)
    await start(caseless)
    const folded = 'select title__folded, note__folded from things order by id'
    assert.deepEqual(await run(folded), [
      ['strasse', 'a'],
      ['strasse', 'b'],
      ['strasse', ''],
      ['strasse', ''],
    ])
    await assert.rejects(
      insert('thing_5', { title: 'x', title__folded: 'strasse', note: 'x', note__folded: 'b' }),
      /has this value already/,
    )
    await start(modelOf({ title, note }))
    await run(`update things set title = 'Gasse', note = 'C' where id = 'thing_1'`)
    await start(caseless)
    assert.deepEqual((await run(folded))[0], ['gasse', 'c'])
  })

  test('refuses to forget the records of a resource that is gone', async () => {
    await run('create table somebody_elses (id text)')
    await start(modelOf({ title }, { sort: ['title'] }))
    await insert('thing_1', { title: 'One' })
    const next = modelOf({ title }, { name: 'Item', sort: ['title'] })
    const refusal = await refusalOf(start(next))
    assert.match(refusal.message, /No resource keeps its records in the table "things" any more/)
    await run('alter table things rename to items')
    await start(next)
    assert.deepEqual(await run('select title from items'), [['One']])
    assert.deepEqual(await start(next), [])
  })

  test('replaces what is derived when its definition changes, and leaves the indexes of others', async () => {
    const indexes = async (): Promise<string[]> => {
      const sql =
        engine === 'sqlite'
          ? `select name from sqlite_schema where type = 'index' and sql is not null and tbl_name = 'things'`
          : `select indexname from pg_indexes where tablename = 'things' and indexname <> 'things_pkey' and schemaname = current_schema()`
      return (await run(sql)).map(([name]) => String(name).replace(/_[0-9a-f]{8}_idx$/, '')).sort()
    }
    await start(modelOf({ title, level: integer() }, { filter: { title: is } }))
    await run('create index by_hand on things (title)')
    assert.deepEqual(await indexes(), ['by_hand', 'things_created_at_id', 'things_title_created_at_id'])
    await start(modelOf({ title, level: integer() }, { sort: ['level'] }))
    assert.deepEqual(await indexes(), ['by_hand', 'things_created_at_id', 'things_level_id'])
    const read = anyOf(when({ level: 1 } as never) as never)
    await start(modelOf({ title, level: integer() }, { sort: ['level'], read }))
    const also = 'things_level_created_at_id'
    assert.deepEqual(await indexes(), ['by_hand', 'things_created_at_id', also, 'things_level_id'])
  })

  test('makes join tables, and tables whose relations run in a ring', async () => {
    await start(
      modelOf({ next: one('Thing'), likes: manyToMany('Thing', 'likedBy'), likedBy: manyToMany('Thing', 'likes') }),
    )
    const link = `insert into things_likes values ('a', 'b', '${moment}', '${moment}')`
    await assert.rejects(run(link), /nowhere/)
    await run(
      `insert into things (id, next_id, created_at, updated_at) values
        ('a', 'b', '${moment}', '${moment}'), ('b', 'a', '${moment}', '${moment}')`,
    )
    await run(link)
    await assert.rejects(run(link), { index: 'things_likes_pkey' })
  })

  test('finds the elements of lists as records come, change and go', async () => {
    const fields = {
      tags: list(title, { max: 9 }),
      parts: list(object({ product: title }), { max: 9 }),
      at: optional(timestamp()),
    }
    await start(modelOf(fields, { read: when({ at: present } as never) }))
    await insert('thing_1', { tags: '["a", "b", "a"]', parts: '[{"product": "p"}, {"product": "q"}]' })
    await start(modelOf(fields, { filter: { tag: contains('tags'), product: contains('parts.product') } }))
    await insert('thing_2', { tags: '["b", "c"]', parts: '[]' })
    const having = async (column: string, part: string | null, value: string): Promise<unknown> => {
      const test = dialect.listContains(`t."${column}"`, part, dialect.parameter(1), 'things')
      return (await run(`select id from things t where ${test} and deleted_at is null order by id`, value)).flat()
    }
    assert.deepEqual(await having('tags', null, 'a'), ['thing_1'])
    assert.deepEqual(await having('tags', null, 'b'), ['thing_1', 'thing_2'])
    assert.deepEqual(await having('parts', 'product', 'q'), ['thing_1'])
    await run(`update things set tags = '["c"]' where id = 'thing_1'`)
    assert.deepEqual(await having('tags', null, 'c'), ['thing_1', 'thing_2'])
    assert.deepEqual(await having('tags', null, 'a'), [])
    await run(`update things set deleted_at = '${moment}' where id = 'thing_2'`)
    assert.deepEqual(await having('tags', null, 'b'), [])
    await run(`delete from things where id = 'thing_1'`)
    assert.deepEqual(await having('tags', null, 'c'), [])
  })
})
