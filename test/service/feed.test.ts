// A list that a rule leads to: the feed of somebody who follows many. One statement, each record found by an index, whatever the
// number of posts. For a million of them: `FEED_POSTS=1000000 npm test -- test/service/feed.test.ts`.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { defaultLimits } from '../../src/limits.ts'
import { compileRead } from '../../src/read-plan/compile.ts'
import { runList } from '../../src/read-plan/run.ts'
import { type Root, totalOrder } from '../../src/read-plan/selection.ts'
import { type Actor, noCredential } from '../../src/resource/actor.ts'
import type { LinkRelation } from '../../src/resource/model/model.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { migrate } from '../../src/store/migration/migrate.ts'
import { desiredSchema } from '../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { boundTo, type Prepared } from '../../src/store/sql/text/sql-text.ts'
import { bind, command, type Engine, type Program, query, type Store, type StoredRow } from '../../src/store/store.ts'
import { social } from '../support/domain/social.ts'
import { select } from '../support/rows/selection.ts'
import { createDatabase, forEachEngine, type TestDatabase } from '../support/server/databases.ts'

const posts = Number(process.env['FEED_POSTS'] ?? 20_000)
const authors = posts / 100
const follows = Math.min(1_000, authors / 2)
const model = compileService(social)
const resource = model.byName.get('Post')!
const me = `usr_${'0'.padStart(26, '0')}`
const actor: Actor = {
  id: me,
  role: 'MEMBER',
  permissions: model.roles.get('MEMBER')!,
  scopes: null,
  credential: noCredential,
}
const startSeconds = 1_700_000_000
/** By a number that spreads them over the authors, and over who is followed. */
const authorOf = (post: number): number => (post * 7_919) % authors
const isFollowed = (author: number): boolean => author % 2 === 1 && author < 2 * follows

forEachEngine((engine) => {
  let database: TestDatabase
  let store: Store
  before(async () => {
    database = await createDatabase(engine)
    store = await openStore(database.url, { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
    await migrate(store, desiredSchema(model, dialectOf(engine), []))
    await fill(store, engine)
  })
  after(async () => {
    await store?.close()
    await database?.drop()
  })

  test('a page of a feed is one statement that finds every post by an index', async () => {
    const dialect = dialectOf(engine)
    const expected = Array.from({ length: posts }, (_, index) => posts - 1 - index)
      .filter((post) => isFollowed(authorOf(post)))
      .map((post) => `post_${String(post).padStart(26, '0')}`)
    for (const from of [0, Math.floor(expected.length / 2)]) {
      const seek = from === 0 ? null : { backward: false, nulls: [false, false] }
      const plan = compileRead(feedRoot(seek), actor, dialect)
      const last = expected[from - 1]
      const moment = new Date((startSeconds + Number(last?.slice(5) ?? 0)) * 1_000)
      const cursor = last === undefined ? null : [dialect.encode(moment, 'timestamp'), last]
      const list = { size: 20, offset: 0, cursor, filter: [], scope: [], binding: null, countMax: 1_000 }
      const answer = await store.read(runList(plan, { actor: me, requestTime: moment, lists: [], list }, dialect))
      const found = (JSON.parse(answer!.json!) as readonly { readonly id: string }[]).map(({ id }) => id)
      assert.deepEqual(found, expected.slice(from, from + 20))
      assert.equal(plan.level.children.length, 0)
      const steps = await stepsOf(plan.level.prepared, cursor)
      assert.ok(
        steps.some((step) => /posts_author_id_created_at_id/.test(step)),
        steps.join('\n'),
      )
      for (const step of steps)
        assert.doesNotMatch(step, /Seq Scan on posts|SCAN t\d+ USING INDEX posts/, steps.join('\n'))
    }
  })

  /** What the database does for the statement. */
  async function stepsOf(prepared: Prepared, cursor: readonly unknown[] | null): Promise<readonly string[]> {
    const inputs = { actor: me, limit: 21, requestTime: new Date(0), ...(cursor === null ? {} : { cursor }) } as never
    const { statement, values } = boundTo(prepared, inputs)
    const explain = query(`explain ${engine === 'sqlite' ? 'query plan ' : ''}${statement.sql}`)
    const rows = await store.read(
      (function* (): Program<readonly StoredRow[]> {
        return yield { statement: explain, values }
      })(),
    )
    return rows.map((row) => String(row.at(-1)))
  }
})

function feedRoot(seek: { readonly backward: boolean; readonly nulls: readonly boolean[] } | null): Root {
  const sort = totalOrder(resource, [{ column: resource.column.get('createdAt')!, descending: true }])
  const feed = { query: resource.queries.get('feed')!, missing: [] }
  return {
    kind: 'list',
    list: { resource, filters: [], sort, seek, backward: false, offset: false, query: feed },
    within: null,
    parts: { as: 'array', of: select(resource, ['id']) },
    total: false,
  }
}

async function fill(store: Store, engine: Engine): Promise<void> {
  const isSqlite = engine === 'sqlite'
  const numbers = (count: number) =>
    isSqlite
      ? `(with recursive s(i) as (select 0 union all select i + 1 from s where i < ${count - 1}) select i from s) s`
      : `generate_series(0::bigint, ${count - 1}) as s(i)`
  const id = (prefix: string, number: string) =>
    isSqlite ? `'${prefix}_' || printf('%026d', ${number})` : `'${prefix}_' || lpad((${number})::text, 26, '0')`
  const at = (seconds: string) =>
    isSqlite
      ? `strftime('%Y-%m-%dT%H:%M:%S', ${startSeconds} + ${seconds}, 'unixepoch') || '.000Z'`
      : `to_timestamp(${startSeconds} + ${seconds})`
  const moments = `${at('i')}, ${at('i')}`
  const { link, side } = model.byName.get('User')!.relations.get('followers') as LinkRelation
  const [mine, theirs] = side === 'source' ? ['source', 'target'] : ['target', 'source']
  const ends = `${mine}_id, ${theirs}_id, ${mine}_created_at, ${theirs}_created_at`
  for (const sql of [
    `insert into users (id, email, password_hash, role, status, created_at, updated_at)
      select ${id('usr', 'i')}, 'u' || i || '@example.com', 'x', 'MEMBER', 'ACTIVE', ${moments} from ${numbers(authors)}`,
    `insert into posts (id, author_id, text, audience, status, created_at, updated_at)
      select ${id('post', 'i')}, ${id('usr', `(i * 7919) % ${authors}`)}, 'x', 'EVERYONE', 'visible', ${moments} from ${numbers(posts)}`,
    `insert into ${link.table} (${ends})
      select ${id('usr', '2 * i + 1')}, '${me}', ${at('2 * i + 1')}, ${at('0')} from ${numbers(follows)}`,
    ...(isSqlite ? [] : ['analyze']),
  ])
    await store.write(
      function* () {
        yield bind(command(sql))
      },
      { withoutTimeout: true },
    )
}
