// What tables and indexes follow from a model.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  absent,
  allOf,
  anyOf,
  anyone,
  atMost,
  boolean,
  contains,
  email,
  integer,
  is,
  isPresent,
  json,
  list,
  many,
  manyToMany,
  may,
  one,
  optional,
  own,
  password,
  present,
  readable,
  resource,
  service,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'
import { compileModel } from '../../../resource/model/compile/compile-model.ts'
import type { Model } from '../../../resource/model/model.ts'
import { type Dialect, postgresDialect, sqliteDialect } from '../text/dialect.ts'
import { createReferences, createTable, desiredSchema, type Schema, type Table } from './schema.ts'

const title = text({ max: 50 })

/** Accounts, and things; accounts list the things whose `owner` they are. */
function modelOf(fields: object, more: object = {}, read: unknown = anyone): Model {
  const account = { email: email({ unique: true }), password: password({ min: 8, max: 20 }) }
  const User = resource('User', {
    prefix: 'usr',
    fields: 'owner' in fields ? { ...account, things: many('Thing', 'owner') } : account,
    actions: { read: { allow: anyone } },
  })
  const definition = { prefix: 'thing', fields, ...more, actions: { read: { allow: read } } }
  const thing = resource('Thing', definition as never)
  return compileModel(service({ resources: { User, Thing: thing }, accounts: {}, roles: {} } as never) as never)
}
const tableOf = (schema: Schema, name: string): Table => schema.tables.find((each) => each.name === name)!

/** What stands between the brackets of each index of `things`, and after them. */
function indexesOf(model: Model, dialect: Dialect = sqliteDialect): readonly string[] {
  return tableOf(desiredSchema(model, dialect), 'things')
    .derived.flatMap(({ create }) => create)
    .map((sql) => sql.slice(sql.indexOf('on "things" ') + 'on "things" '.length).replaceAll('"', ''))
    .sort()
}
const owner = { owner: one('User') }
const notDeleted = 'where deleted_at is null'

test('makes columns of the engine’s own types, and the common ones', () => {
  const model = modelOf({
    title,
    note: optional(title),
    open: boolean(),
    level: integer(),
    tags: list(title, { max: 3 }),
    data: json({ maxBytes: 9 }),
    doneAt: optional(timestamp()),
    ...owner,
    state: state('new', 'old'),
    likes: manyToMany('Thing', 'likedBy'),
    likedBy: manyToMany('Thing', 'likes'),
  })
  const sqlite = desiredSchema(model, sqliteDialect)
  assert.equal(
    createTable(tableOf(sqlite, 'things'), 'sqlite'),
    'create table "things" ("id" text not null, "title" text not null, "note" text, "open" integer not null, ' +
      '"level" integer not null, "tags" text not null, "data" text not null, "done_at" text, ' +
      '"owner_id" text not null references "users" ("id"), "state" text not null, "created_at" text not null, ' +
      '"updated_at" text not null, "version" integer not null default 1, "deleted_at" text, primary key ("id")) strict',
  )
  const postgres = desiredSchema(model, postgresDialect)
  assert.equal(
    createTable(tableOf(postgres, 'things'), 'postgres'),
    'create table "things" ("id" text collate "C" not null, "title" text collate "C" not null, ' +
      '"note" text collate "C", "open" boolean not null, "level" integer not null, "tags" json not null, ' +
      '"data" json not null, "done_at" timestamptz(3), "owner_id" text collate "C" not null, ' +
      '"state" text collate "C" not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, ' +
      '"version" integer not null default 1, "deleted_at" timestamptz(3), primary key ("id"))',
  )
  assert.deepEqual(createReferences(tableOf(postgres, 'things')), [
    'alter table "things" add constraint "things_owner_id_fkey" foreign key ("owner_id") references "users" ("id")',
  ])
  assert.equal(
    createTable(tableOf(sqlite, 'things_likes'), 'sqlite'),
    'create table "things_likes" ("source_id" text not null references "things" ("id"), ' +
      '"target_id" text not null references "things" ("id"), "source_created_at" text not null, ' +
      '"target_created_at" text not null, primary key ("source_id", "target_id")) strict',
  )
})

const cases: readonly { readonly it: string; readonly model: Model; readonly indexes: readonly string[] }[] = [
  {
    it: 'each sort, ended by the id',
    model: modelOf({ title }, { sort: ['title'] }),
    indexes: [`(created_at, id) ${notDeleted}`, `(title, id) ${notDeleted}`],
  },
  {
    it: 'each sort within a parent that lists them',
    model: modelOf({ title, ...owner }, { sort: ['title'] }),
    indexes: [
      `(created_at, id) ${notDeleted}`,
      `(owner_id, created_at, id) ${notDeleted}`,
      `(owner_id, title, id) ${notDeleted}`,
      `(title, id) ${notDeleted}`,
    ],
  },
  {
    it: 'a sort within one parent only (contract 12.2.42)',
    model: modelOf(
      { title, ...owner, maker: one('User') },
      { filter: { owner: is, maker: is }, sort: { title: { within: 'owner' } } },
    ),
    indexes: [
      `(created_at, id) ${notDeleted}`,
      `(maker_id, created_at, id) ${notDeleted}`,
      `(owner_id, created_at, id) ${notDeleted}`,
      `(owner_id, title, id) ${notDeleted}`,
    ],
  },
  {
    it: 'a relation by which nothing is listed alone',
    model: modelOf({ maker: one('User') }),
    indexes: [`(created_at, id) ${notDeleted}`, `(maker_id) ${notDeleted}`],
  },
  {
    it: 'a relation by which one’s own are found',
    model: modelOf({ maker: one('User') }, {}, own('maker')),
    indexes: [`(created_at, id) ${notDeleted}`, `(maker_id, created_at, id) ${notDeleted}`],
  },
  {
    it: 'filters by a value, by bounds and by presence',
    model: modelOf(
      { title, level: integer(), doneAt: optional(timestamp()), maker: one('User') },
      { filter: { title: is, maxLevel: atMost('level'), done: isPresent('doneAt'), maker: is } },
    ),
    indexes: [
      `(created_at, id) ${notDeleted}`,
      `(created_at, id) ${notDeleted} and done_at is not null`,
      `(done_at, created_at, id) ${notDeleted} and done_at is null`,
      `(level, id) ${notDeleted}`,
      `(maker_id, created_at, id) ${notDeleted}`,
      `(title, created_at, id) ${notDeleted}`,
    ],
  },
  {
    it: 'unique values among living records, which serve a filter too',
    model: modelOf({ code: text({ max: 9, unique: true }) }, { filter: { code: is } }),
    indexes: [`(code) ${notDeleted}`, `(created_at, id) ${notDeleted}`],
  },
  {
    it: 'each alternative of the read rule',
    model: modelOf(
      { ...owner, kind: state('a', 'b'), doneAt: optional(timestamp()), goneAt: optional(timestamp()) },
      {},
      anyOf(
        when({ kind: 'b' } as never),
        allOf(when({ doneAt: present } as never), when({ goneAt: absent } as never)) as never,
        may('manage') as never,
        readable('owner') as never,
      ),
    ),
    indexes: [
      `(created_at, id) ${notDeleted}`,
      `(gone_at, created_at, id) ${notDeleted} and done_at is not null`,
      `(kind, created_at, id) ${notDeleted}`,
      `(owner_id, created_at, id) ${notDeleted}`,
      `(owner_id, gone_at, created_at, id) ${notDeleted} and done_at is not null`,
      `(owner_id, kind, created_at, id) ${notDeleted}`,
    ],
  },
]
for (const { it, model, indexes } of cases) {
  test(`has an index for ${it}`, () => assert.deepEqual(indexesOf(model), indexes))
}

test('finds the elements of lists by an inverted index on PostgreSQL', () => {
  const model = modelOf({ tags: list(title, { max: 3 }) }, { filter: { tag: contains('tags') } })
  assert.deepEqual(indexesOf(model, postgresDialect), [
    `(created_at, id) ${notDeleted}`,
    `using gin ((tags::jsonb) jsonb_path_ops) with (fastupdate = off) ${notDeleted}`,
  ])
})

test('finds what conditions ask of the record that a relation names, on PostgreSQL', () => {
  const model = modelOf({ above: optional(one('Thing')), title }, { where: ['above.title'] })
  const byTitle = `(title, created_at, id) ${notDeleted}`
  assert.equal(indexesOf(model, postgresDialect).includes(byTitle), true)
  assert.equal(indexesOf(model, sqliteDialect).includes(byTitle), false)
})

test('gives names that no engine cuts, and that change with what they stand for', () => {
  const long = 'aVeryLongNameOfAFieldThatNobodyWouldLikeToType'
  const names = (model: Model) =>
    desiredSchema(model, postgresDialect).tables.flatMap(({ derived }) => derived.map(({ name }) => name))
  const one = names(
    modelOf({ [long]: text({ max: 9, unique: true }), [`${long}r`]: title }, { sort: [long, `${long}r`] }),
  )
  assert.equal(new Set(one).size, one.length)
  for (const name of one) assert.ok(name.length <= 63, name)
  const two = names(modelOf({ title }, { sort: ['title'] }))
  assert.ok(two.includes('users_email_key'))
  assert.equal(two.filter((name) => /^things_title_id_[0-9a-f]{8}_idx$/.test(name)).length, 1)
})

test('has a fingerprint that follows the definitions and the internal tables', () => {
  const print = (model: Model, dialect = sqliteDialect, create: readonly string[] = []) =>
    desiredSchema(model, dialect, [{ create: { sqlite: create, postgres: create } }]).fingerprint
  const first = print(modelOf({ title }))
  assert.equal(print(modelOf({ title: text({ max: 51 }) })), first)
  const others = [
    print(modelOf({ title: optional(title) })),
    print(modelOf({ title }, { sort: ['title'] })),
    print(modelOf({ title }), postgresDialect),
    print(modelOf({ title }), sqliteDialect, ['create table if not exists duet_more (id text)']),
  ]
  assert.equal(new Set([first, ...others]).size, 5)
})
