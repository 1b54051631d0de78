// What a nested read costs: at most one statement per level, and no more rows than it answers, whatever else there is.
// (issue 2)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { combined } from '../../src/store/combine.ts'
import { type Bound, bind, command, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { overhear, withQuietService } from '../support/check/statement-counter.ts'
import type { TestService } from '../support/server/service.ts'

const nested = '{ users(first:20){ edges{ node{ id name posts(limit:10){ id title tags author{ id name } } } } } }'
/** The posts are read as rows, since something is below them; the comments of each are one text. */
const deep = '{ users(first:5){ edges{ node{ posts(limit:5){ id comments(limit:2){ id } } } } } }'
const manyPosts = 30_000

interface Answered {
  readonly users: {
    readonly edges: readonly { readonly node: { readonly id: string; readonly posts: readonly unknown[] } }[]
  }
}

withQuietService('Reading users, their posts and the authors of those', (service) => {
  test('is two statements, and no more rows than it answers', { timeout: 120_000 }, async () => {
    await fill(service())
    const { statements, answer } = await ask(service(), nested)
    const users = answer.users.edges.map(({ node }) => node)
    const posts = users.flatMap((each) => each.posts)
    assert.deepEqual([users.length, posts.length], [20, 19 * 3 + 10])
    // One row more than the page of users tells whether there is another; each user's posts arrive as one text, and who
    // wrote them is known.
    assert.deepEqual(
      statements.map((each) => each.rows),
      [users.length + 1, users.length],
    )
  })

  test('is a statement for each level, and no more rows than it answers, where there is more below', async () => {
    const { statements, answer } = await ask(service(), deep)
    const posts = answer.users.edges.flatMap(({ node }) => node.posts)
    assert.deepEqual(
      statements.map((each) => each.rows),
      [answer.users.edges.length + 1, posts.length, posts.length],
    )
    for (const each of statements) await assertIndexed(service(), each)
  })

  test('answers each of those who ask at the same time as it answers one', async () => {
    const { answer } = await ask(service(), deep)
    const answers = await Promise.all(Array.from({ length: 8 }, () => service().graphql(deep)))
    for (const { body } of answers) assert.deepEqual(body.data, answer)
  })

  test('leaves rows unread inside the database, too, where lists of several authors are one statement', async () => {
    const ids = await userIds(service())
    const { statements } = await overhear(service(), () =>
      Promise.all(ids.map((id) => service().send(`GET /api/v2/posts?author_id=${id}&limit=10`))),
    )
    await assertCombined(service(), statements, ids.length)
  })

  test('answers concurrent reads of different authors, in one statement on PostgreSQL', async () => {
    const ids = await userIds(service())
    const requests = ids.map((id, at) => {
      const where = `author_id IN ("${id}", "${ids[(at + 1) % ids.length]}")`
      return `GET /api/v2/posts?where=${encodeURIComponent(where)}&limit=5`
    })
    const statements = await askTogether(service(), requests, async (request) => (await service().send(request)).body)
    await assertCombined(service(), statements, requests.length)
  })

  test('answers concurrent documents about different authors as it answers each, in one statement on PostgreSQL', async () => {
    const documents = (await userIds(service())).map(
      (id) => `{ posts(first: 5, where: { authorId: { in: ["${id}"] } }) { nodes { id author { id } } } }`,
    )
    const statements = await askTogether(
      service(),
      documents,
      async (document) => (await service().graphql(document)).body.data,
    )
    const kinds = statements.map(({ statement }) => statement.batching?.kind)
    const groups = combined(statements.slice(0, 8), true)
    assert.equal(groups.length, service().engine === 'sqlite' ? 8 : 1)
    assert.equal(new Set(kinds).size, 1)
  })

  test('leaves rows unread inside the database, too', async () => {
    const { statements } = await ask(service(), nested)
    assert.equal(statements.length, 2)
    for (const each of statements) await assertIndexed(service(), each)
  })
})

/** Twenty-one users with three posts each, and one of them with thirty thousand. */
async function fill({ engine, store, fixtures }: TestService): Promise<void> {
  const users = Array.from({ length: 21 }, (_, index) => [`u${index}`, { User: { name: `U${index}` } }] as const)
  const made = fixtures(Object.fromEntries(users))
  const ids: string[] = []
  for (const [name] of users) ids.push(await made.idOf(name))
  const author = ids.at(-1)!
  const few = ids.slice(0, -1).flatMap((id) => [id, id, id])
  const columns = 'id, title, content, tags, author_id, published_at, created_at, updated_at'
  const moment = engine === 'sqlite' ? "'2026-01-01T00:00:00.000Z'" : "timestamptz '2026-01-01T00:00:00.000Z'"
  const values = (id: string, by: string) => `${id}, 'T', 'C', '[]', ${by}, ${moment}, ${moment}, ${moment}`
  const numbers =
    engine === 'sqlite'
      ? `(with recursive n(value) as (select 1 union all select value + 1 from n where value < ${manyPosts}) select value from n)`
      : `generate_series(1, ${manyPosts}) as n(value)`
  const id = engine === 'sqlite' ? "printf('post_%026d', value)" : "'post_' || lpad(value::text, 26, '0')"
  const posts = function* (): Program<void> {
    yield bind(command(`insert into posts (${columns}) select ${values(id, `'${author}'`)} from ${numbers}`))
    for (const [index, by] of few.entries())
      yield bind(
        command(
          `insert into posts (${columns}) values (${values(`'post_1${String(index).padStart(25, '0')}'`, `'${by}'`)})`,
        ),
      )
  }
  await store.write(posts, { withoutTimeout: true })
  if (engine === 'postgres') await store.write(() => one(bind(command('analyze'))), { withoutTimeout: true })
}

/** The answer to a document, and the statements that it took with the rows that they answered. */
async function ask(service: TestService, document: string) {
  const { statements, answer } = await overhear(service, () => service.graphql(document))
  return { statements, answer: answer.body.data as Answered }
}

async function userIds(service: TestService): Promise<readonly string[]> {
  const { answer } = await ask(service, '{ users(first: 30) { edges { node { id } } } }')
  return answer.users.edges.map(({ node }) => node.id)
}

/** Fails where answers differ when all are asked at the same time. The statements that this takes. */
async function askTogether<Request>(
  service: TestService,
  requests: readonly Request[],
  send: (request: Request) => Promise<unknown>,
): Promise<readonly Bound[]> {
  const alone: unknown[] = []
  for (const request of requests) alone.push(await send(request))
  assert.ok(new Set(alone.map((answer) => JSON.stringify(answer))).size > requests.length / 2)
  let together: readonly unknown[] = []
  const { statements } = await overhear(service, async () => {
    together = await Promise.all(requests.map(send))
  })
  assert.deepEqual(together, alone)
  return statements
}

/** Fails where these are not so many lists of one statement, which PostgreSQL answers together by an index. */
async function assertCombined(service: TestService, statements: readonly Bound[], count: number): Promise<void> {
  const lists = statements.filter(({ statement }) => statement === statements[0]!.statement)
  assert.equal(lists.length, count)
  const { batching } = lists[0]!.statement
  assert.equal(batching === null, service.engine === 'sqlite')
  if (batching !== null) await assertIndexed(service, batching.combine(lists.slice(0, 8).map(({ values }) => values)))
}

/** Fails where the database would look at more rows than a few pages have. */
async function assertIndexed({ engine, store }: TestService, { statement, values }: Bound): Promise<void> {
  if (engine === 'sqlite') {
    const plan = await store.read(one({ statement: query(`explain query plan ${statement.sql}`), values }))
    // A table that is walked without an index, and a sort inside a subquery, cost as much as there is.
    const slow = plan.filter(
      ([, parent, , step]) =>
        /^SCAN t\d+$|^SCAN t\d+ (?!USING)/.test(`${step}`) || (parent !== 0 && /TEMP/.test(`${step}`)),
    )
    assert.deepEqual(slow, [], plan.map((row) => row.at(-1)).join('\n'))
    return
  }
  const explain = query(`explain (analyze, format json) ${statement.sql}`)
  const [[plan]] = (await store.read(one({ statement: explain, values }))) as unknown as [[unknown]]
  const [{ Plan: root }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: PlanNode }]
  assert.ok(rowsLookedAt(root) < 1_000, JSON.stringify(root))
}
function* one(bound: Bound): Program<readonly StoredRow[]> {
  return yield bound
}

interface PlanNode {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}
function rowsLookedAt(node: PlanNode): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  return Math.max(own, ...(node.Plans ?? []).map(rowsLookedAt))
}
