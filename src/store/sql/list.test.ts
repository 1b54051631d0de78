// Lists as both engines give them, against the same lists made in memory; and that SQLite finds them by an index.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  anyOf,
  anyone,
  atLeast,
  contains,
  integer,
  is,
  isPresent,
  list,
  many,
  manyToMany,
  object,
  one,
  optional,
  own,
  present,
  resource,
  service,
  text,
  timestamp,
  when,
} from 'duet-api'
import fc from 'fast-check'
import { createDatabase, forEachEngine, type TestDatabase } from '../../../test/support/server/databases.ts'
import { defaultLimits } from '../../limits.ts'
import { compileModel } from '../../resource/model/compile-model.ts'
import { type Condition, fold, holds } from '../../resource/model/condition.ts'
import type { Column, LinkRelation, ManyRelation } from '../../resource/model/model.ts'
import { openStore } from '../../service/open-store.ts'
import { migrate } from '../migration/migrate.ts'
import { bind, command, type Program, query, type Store, type StoredRow, type Value } from '../store.ts'
import { type Dialect, dialectOf } from './dialect.ts'
import { onlyColumns } from './join.ts'
import { childListSql, countSql, listSql } from './list.ts'
import { type ListShape, totalOrder } from './list-shape.ts'
import { desiredSchema } from './schema.ts'
import { boundTo, type Inputs, type Prepared, SqlText } from './sql-text.ts'

const User = resource('User', {
  prefix: 'usr',
  fields: {
    name: text({ max: 9 }),
    posts: many('Post', 'author'),
    likes: manyToMany('Post', 'likedBy'),
  },
  actions: { read: { allow: anyone } },
})
const Post = resource('Post', {
  prefix: 'post',
  fields: {
    title: text({ max: 9 }),
    level: optional(integer()),
    author: one('User'),
    tags: list(text({ max: 9 }), { max: 9 }),
    parts: list(object({ name: text({ max: 9 }) }), { max: 9 }),
    publishedAt: optional(timestamp()),
    likedBy: manyToMany('User', 'likes'),
  },
  filter: {
    author: is,
    title: is,
    tag: contains('tags'),
    part: contains('parts.name'),
    published: isPresent('publishedAt'),
    minLevel: atLeast('level'),
  },
  sort: ['publishedAt', 'title', 'level'],
  actions: { read: { allow: anyOf(when({ publishedAt: present }), own('author')) } },
})
const definition = { resources: { User, Post }, accounts: {}, roles: {} }
const model = compileModel(service(definition as never) as never)
const post = model.byName.get('Post')!
const user = model.byName.get('User')!
const column = (name: string): Column => post.column.get(name)!

type Thing = Readonly<Record<string, unknown>> & { readonly id: string; readonly author: string }
const moment = (at: number) => new Date(Date.UTC(2026, 0, 1) + at * 1_000)
const pick = <T>(from: readonly T[], at: number): T => from[at % from.length]!
const words = ['a', 'A', 'é', '\uFFFD', '\u{1F600}', 'b']
const users = ['usr_0', 'usr_1', 'usr_2']
/** Few values, so that there are many ties. */
const posts: readonly Thing[] = Array.from({ length: 60 }, (_, at) => ({
  id: `post_${String((at * 37) % 60).padStart(2, '0')}`,
  title: pick(words, at * 7),
  level: pick([null, 1, 2, 3, -1], at * 3),
  author: pick(users, at * 11),
  tags: words.filter((_, word) => (at * 5 + word * 3) % 4 === 0),
  parts: words.filter((_, word) => (at + word) % 3 === 0).map((name) => ({ name })),
  publishedAt: at % 3 === 0 ? null : moment((at * 13) % 7),
  createdAt: moment((at * 17) % 9),
  updatedAt: moment(at),
  deletedAt: at % 10 === 9 ? moment(at) : null,
}))
const likes = posts.flatMap(({ id }, at) => users.filter((_, by) => (at + by) % 4 !== 0).map((by) => [by, id] as const))

interface Wish {
  readonly sort: readonly (readonly [string, boolean])[]
  readonly filters: Readonly<Record<string, unknown>>
  readonly actor: string | null
  readonly everything: boolean
  readonly within: 'posts' | 'likes' | null
  readonly parent: string
  readonly seek: { readonly at: Thing; readonly backward: boolean } | null
  readonly offset: number | null
  readonly limit: number
}
const word = fc.constantFrom(...words)
const wishes: fc.Arbitrary<Wish> = fc.record({
  sort: fc.uniqueArray(fc.tuple(fc.constantFrom('createdAt', 'publishedAt', 'title', 'level', 'id'), fc.boolean()), {
    minLength: 1,
    maxLength: 3,
    selector: ([name]) => name,
  }),
  filters: fc.record(
    {
      author: fc.constantFrom(...users),
      title: word,
      tag: word,
      part: word,
      published: fc.boolean(),
      minLevel: fc.constantFrom(-1, 1, 2),
    },
    { requiredKeys: [] },
  ),
  actor: fc.option(fc.constantFrom(...users)),
  everything: fc.boolean(),
  within: fc.constantFrom(null, null, 'posts', 'likes'),
  parent: fc.constantFrom(...users),
  seek: fc.option(fc.record({ at: fc.constantFrom(...posts), backward: fc.boolean() })),
  offset: fc.option(fc.nat(10)),
  limit: fc.integer({ min: 1, max: 15 }),
})

function shapeOf({ sort, filters, seek, offset }: Wish): ListShape {
  const keys = totalOrder(
    post,
    sort.map(([name, descending]) => ({ column: column(name), descending })),
  )
  return {
    resource: post,
    filters: Object.entries(filters).map(([name, value]) => {
      const filter = post.filters.get(name)!
      return { filter, present: filter.test === 'isPresent' ? (value as boolean) : null }
    }),
    sort: keys,
    seek: seek && { backward: seek.backward, nulls: keys.map((key) => seek.at[key.column.field] === null) },
    backward: seek?.backward === true,
    offset: offset !== null,
  }
}

const conditionOf = ({ actor, everything }: Wish): Condition =>
  everything
    ? { is: 'always' }
    : fold(
        post.read.allow,
        post,
        actor === null ? null : ({ id: actor, role: 'USER', permissions: new Set() } as never),
      )

function inputsOf(wish: Wish, dialect: Dialect): Inputs {
  const encode = (value: unknown) => (value instanceof Date ? dialect.encode(value, 'timestamp') : (value as Value))
  return {
    actor: wish.actor,
    id: wish.parent,
    keys: dialect.keys(['usr_2', 'usr_0']),
    limit: wish.limit,
    offset: wish.offset ?? 0,
    filter: Object.values(wish.filters).map(encode),
    cursor: wish.seek === null ? [] : shapeOf(wish).sort.map((key) => encode(wish.seek!.at[key.column.field])),
  }
}

/** The same list, made in memory; without `parent` of all parents. */
function expected(wish: Wish, parent: string | null): readonly string[] {
  const { filters, seek, offset, limit, actor } = wish
  const { sort } = shapeOf(wish)
  const condition = conditionOf(wish)
  const matches: Readonly<Record<string, (of: Thing, value: never) => boolean>> = {
    author: (of, value) => of.author === value,
    title: (of, value) => of['title'] === value,
    tag: (of, value) => (of['tags'] as string[]).includes(value),
    part: (of, value) => (of['parts'] as { name: string }[]).some(({ name }) => name === value),
    published: (of, value) => (of['publishedAt'] !== null) === value,
    minLevel: (of, value) => of['level'] !== null && (of['level'] as number) >= value,
  }
  const records = posts
    .filter((of) => of['deletedAt'] === null)
    .filter((of) => parent === null || wish.within !== 'posts' || of.author === parent)
    .filter(
      (of) => parent === null || wish.within !== 'likes' || likes.some(([by, id]) => by === parent && id === of.id),
    )
    .filter((of) => holds(condition, ({ field }) => of[field], actor))
    .filter((of) => Object.entries(filters).every(([name, value]) => matches[name]!(of, value as never)))
    .toSorted((one, other) => compare(one, other, sort))
  if (seek === null) return records.slice(offset ?? 0, (offset ?? 0) + limit).map(({ id }) => id)
  const beyond = records.filter((of) =>
    seek.backward ? compare(of, seek.at, sort) < 0 : compare(of, seek.at, sort) > 0,
  )
  if (seek.backward) beyond.reverse()
  return beyond.slice(offset ?? 0, (offset ?? 0) + limit).map(({ id }) => id)
}

function compare(one: Thing, other: Thing, sort: ListShape['sort']): number {
  for (const { column, descending } of sort) {
    const order = compareValues(one[column.field], other[column.field])
    if (order !== 0) return descending ? -order : order
  }
  return 0
}
function compareValues(one: unknown, other: unknown): number {
  if (one === other) return 0
  if (one === null) return 1
  if (other === null) return -1
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return Number(one) - Number(other)
}

forEachEngine((engine) => {
  const dialect = dialectOf(engine)
  let database: TestDatabase
  let store: Store

  before(async () => {
    database = await createDatabase(engine)
    store = await openStore(database.url, { limits: defaultLimits, log: { warn: assert.fail, error: assert.fail } })
    await migrate(store, desiredSchema(model, dialect))
    await store.write(function* () {
      for (const id of users) yield* insert('users', { id, name: 'a', created_at: moment(0), updated_at: moment(0) })
      for (const { author, createdAt, updatedAt, publishedAt, deletedAt, ...rest } of posts) {
        const moments = {
          created_at: createdAt,
          updated_at: updatedAt,
          published_at: publishedAt,
          deleted_at: deletedAt,
        }
        yield* insert('posts', { ...rest, author_id: author, ...moments })
      }
      for (const [by, id] of likes) {
        const of = posts.find((each) => each.id === id)!
        const moments = { source_created_at: moment(0), target_created_at: of['createdAt'] }
        yield* insert('users_likes', { source_id: by, target_id: id, ...moments })
      }
    })
  })
  after(async () => {
    await store.close()
    await database.drop()
  })

  function* insert(table: string, values: Readonly<Record<string, unknown>>): Program<void> {
    const places = Object.keys(values).map((_, at) => dialect.parameter(at + 1))
    const encoded = Object.values(values).map((value) =>
      value instanceof Date
        ? dialect.encode(value, 'timestamp')
        : Array.isArray(value)
          ? dialect.encode(value, 'json')
          : (value as Value),
    )
    const statement = command(`insert into ${table} (${Object.keys(values).join(', ')}) values (${places.join(', ')})`)
    yield bind(statement, ...encoded)
  }
  const run = (prepared: Prepared, inputs: Inputs): Promise<readonly StoredRow[]> =>
    store.read(
      (function* (): Program<readonly StoredRow[]> {
        return yield boundTo(prepared, inputs)
      })(),
    )
  const idOnly = (alias: string) => onlyColumns(`${alias}."id"`)
  const relationOf = (name: string) => user.relations.get(name) as ManyRelation | LinkRelation
  const parentOf = ({ within }: Wish) => within && relationOf(within)

  test('gives the same list as memory does', async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (wish) => {
        const sql = new SqlText(dialect)
        const prepared = listSql(shapeOf(wish), conditionOf(wish), idOnly, parentOf(wish), sql)
        const rows = await run(prepared, inputsOf(wish, dialect))
        assert.deepEqual(rows.flat(), expected(wish, wish.parent), prepared.statement.sql)
      }),
      { numRuns: 200 },
    )
  })

  test('gives the same lists of several parents as memory does, in the order of the parents', async () => {
    await fc.assert(
      fc.asyncProperty(wishes, fc.constantFrom('posts', 'likes'), async (made, within) => {
        const wish = { ...made, within } as const
        const sql = new SqlText(dialect)
        const prepared = childListSql(shapeOf(wish), conditionOf(wish), idOnly, relationOf(within), sql)
        const rows = await run(prepared, inputsOf(wish, dialect))
        const both = ['usr_2', 'usr_0'].flatMap((parent, place) => expected(wish, parent).map((id) => [place, id]))
        assert.deepEqual(rows, both, prepared.statement.sql)
      }),
      { numRuns: 200 },
    )
  })

  test('gives those who ask at once, for lists of other authors or other pages, what memory does', async () => {
    await fc.assert(
      fc.asyncProperty(wishes, fc.constantFrom('posts', null), fc.boolean(), async (made, within, filters) => {
        const { seek, sort } = made
        const nullsOf = (at: Thing) => sort.map(([name]) => at[name] === null).join()
        const alike = posts.filter((each) => seek !== null && nullsOf(each) === nullsOf(seek.at))
        // The third asks what the first does.
        const wishesOfParents = ['usr_2', 'usr_0', 'usr_2', 'usr_1'].map(
          (author, index): Wish => ({
            ...made,
            within,
            parent: author,
            filters: within === null && filters ? { author } : {},
            seek: seek && { ...seek, at: alike[((index % 2) * index * 7) % alike.length]! },
          }),
        )
        const sql = new SqlText(dialect)
        const prepared = listSql(
          shapeOf(wishesOfParents[0]!),
          conditionOf(made),
          idOnly,
          parentOf(wishesOfParents[0]!),
          sql,
        )
        const before = store.counts.statements
        const answers = await Promise.all(wishesOfParents.map((wish) => run(prepared, inputsOf(wish, dialect))))
        assert.deepEqual(
          answers.map((rows) => rows.map(([id]) => id)),
          wishesOfParents.map((wish) => expected(wish, wish.parent)),
          prepared.statement.sql,
        )
        const distinct = new Set(wishesOfParents.map((wish) => JSON.stringify(inputsOf(wish, dialect)))).size
        // Where a rule has alternatives, only those who ask the same share a statement.
        const most = engine === 'sqlite' ? 4 : made.actor === null || made.everything ? 1 : distinct
        assert.ok(store.counts.statements - before <= most)
      }),
      { numRuns: 200 },
    )
  })

  test('counts the same as memory does, up to the limit', async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (made) => {
        const wish = { ...made, seek: null, offset: null }
        const sql = new SqlText(dialect)
        const prepared = countSql(shapeOf(wish), conditionOf(wish), parentOf(wish), sql)
        const [[count]] = (await run(prepared, inputsOf(wish, dialect))) as [[number]]
        assert.equal(count, expected(wish, wish.parent).length, prepared.statement.sql)
      }),
      { numRuns: 200 },
    )
  })

  // PostgreSQL's plans depend on statistics.
  if (engine === 'postgres') return
  test('walks no list and sorts none', async () => {
    const plain: Wish = {
      sort: [['createdAt', true]],
      filters: {},
      actor: null,
      everything: false,
      within: null,
      parent: 'usr_0',
      seek: null,
      offset: null,
      limit: 5,
    }
    const seek = { at: posts[1]!, backward: false }
    const served: readonly Partial<Wish>[] = [
      {},
      { sort: [['title', false]] },
      { sort: [['publishedAt', true]] },
      { sort: [['publishedAt', true]], everything: true },
      { sort: [['level', false]], everything: true },
      { filters: { author: 'usr_0' }, everything: true },
      { filters: { author: 'usr_0' }, sort: [['title', true]], everything: true },
      { filters: { title: 'a' }, everything: true },
      { filters: { tag: 'a' } },
      { filters: { part: 'a' }, everything: true },
      { filters: { published: true }, everything: true },
      { filters: { published: false }, everything: true },
      { within: 'posts' },
      { within: 'posts', filters: { tag: 'a' }, everything: true },
    ]
    for (const wish of served.flatMap((each) => [each, { ...each, seek }])) {
      const whole = { ...plain, ...wish }
      const sql = new SqlText(dialect)
      const { statement, sources } = listSql(shapeOf(whole), conditionOf(whole), idOnly, parentOf(whole), sql)
      const explained = { statement: query(`explain query plan ${statement.sql}`), sources }
      const plan = (await run(explained, inputsOf(whole, dialect))).map((row) => String(row[3]))
      const explanation = `${JSON.stringify(wish)}\n${statement.sql}\n${plan.join('\n')}`
      assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE|AUTOMATIC/, explanation)
      // Without a cursor a whole index is read in order, up to the limit; with one it is entered there. Not where null
      // comes after the cursor: no index of SQLite has both in one range.
      if (whole.seek !== null && whole.sort[0]![0] !== 'level')
        assert.doesNotMatch(plan.join('\n'), /SCAN/, explanation)
    }
  })
})
