// Lists as both engines give them, against the same lists made in memory; and that SQLite finds them by an index.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import {
  conditionOf,
  inputsOf,
  likes,
  listInMemory,
  model,
  moment,
  posts,
  shapeOf,
  type Thing,
  user,
  users,
  type Wish,
  wishes,
} from '../../../../test/support/oracle/list.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../../../../test/support/server/databases.ts'
import { defaultLimits } from '../../../limits.ts'
import type { LinkRelation, ManyRelation } from '../../../resource/model/model.ts'
import { openStore } from '../../../service/open/open-store.ts'
import { migrate } from '../../migration/migrate.ts'
import { bind, command, type Program, query, type Store, type StoredRow, type Value } from '../../store.ts'
import { desiredSchema } from '../schema/schema.ts'
import { dialectOf } from '../text/dialect.ts'
import { boundTo, type Inputs, type Prepared, SqlText } from '../text/sql-text.ts'
import { onlyColumns } from './join.ts'
import { childListSql, countSql, listSql } from './list.ts'

/** Statements are counted, and on a busy machine none is to be sent again. */
const limits = { ...defaultLimits, questionBlockingMs: 60_000, readBlockingMs: 60_000 }

forEachEngine((engine) => {
  const dialect = dialectOf(engine)
  let database: TestDatabase
  let store: Store

  before(async () => {
    database = await createDatabase(engine)
    store = await openStore(database.url, { limits, log: { warn: assert.fail, error: assert.fail } })
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
        assert.deepEqual(rows.flat(), listInMemory(wish, wish.parent), prepared.statement.sql)
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
        const both = ['usr_2', 'usr_0'].flatMap((parent, place) => listInMemory(wish, parent).map((id) => [place, id]))
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
          wishesOfParents.map((wish) => listInMemory(wish, wish.parent)),
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
        assert.equal(count, listInMemory(wish, wish.parent).length, prepared.statement.sql)
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
      { sort: [['rank', true]], everything: true },
      { sort: [['grade', true]], everything: true },
      { filters: { minRank: 'high' }, sort: [['rank', false]], everything: true },
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
      // A page of places is made of two lists, whose first rows are sorted again.
      const isMerged = whole.seek !== null && ['rank', 'grade'].includes(whole.sort[0]![0])
      if (isMerged) assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE FOR ORDER BY\nSCAN/, explanation)
      else assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE|AUTOMATIC/, explanation)
      // Without a cursor a whole index is read in order, up to the limit; with one it is entered there. Not where null
      // comes after the cursor: no index of SQLite has both in one range.
      if (whole.seek !== null && !isMerged && whole.sort[0]![0] !== 'level')
        assert.doesNotMatch(plan.join('\n'), /SCAN/, explanation)
    }
  })
})
