// The same things by many at once: what holds for one after the other holds for all together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bind, type Program, query, type StoredRow } from '../../src/store/store.ts'
import { versionIn } from '../support/check/version-in.ts'
import type { Answer } from '../support/client/http-client.ts'
import type { Fixtures } from '../support/rows/fixtures.ts'
import { type Caller, type TestService, withService } from '../support/server/service.ts'

withService('2 All at once', (service) => {
  const all = (count: number, ask: (index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
  const send = (line: string, fixtures: Fixtures, as: Caller, body?: unknown, headers = {}) =>
    service().send(line, { as, fixtures, headers, ...(body === undefined ? {} : { body }) })
  /** Afterwards the log tells of no bug. */
  const race = (title: string, run: (fixtures: Fixtures) => Promise<void>) =>
    test(title, async () => {
      await run(service().fixtures({ second: { User: { name: 'Second', role: 'ADMIN' } } }))
      service().assertLog()
    })

  race('2.2.8 of twenty sign-ups with one email, one is made', async (fixtures) => {
    const email = await fixtures.fill('{word}@example.com')
    const body = { name: 'N', email, password: 'long enough' }
    const answers = await all(20, () => send('POST /api/v2/users', fixtures, 'anonymous', body))
    assert.deepEqual(statusesOf(answers), { 201: 1, 409: 19 })
  })

  race('4.5.8 of twenty writers with one ETag, one writes', async (fixtures) => {
    const { headers } = await send('GET /api/v2/posts/{draft}', fixtures, 'editor')
    const answers = await all(20, (index) =>
      send('PATCH /api/v2/posts/{draft}', fixtures, 'editor', { title: `T${index}` }, { 'If-Match': headers.etag! }),
    )
    assert.deepEqual(statusesOf(answers), { 200: 1, 409: 19 })
    const { headers: later } = await send('GET /api/v2/posts/{draft}', fixtures, 'editor')
    assert.equal(versionIn(later.etag), 2)
  })

  race('4.11.4 twenty writers without one raise the version twenty times', async (fixtures) => {
    await fixtures.idOf('draft')
    const answers = await all(20, (index) =>
      send('PATCH /api/v2/posts/{draft}', fixtures, 'editor', { title: `T${index}` }),
    )
    assert.deepEqual(statusesOf(answers), { 200: 20 })
    assert.equal(new Set(answers.map((each) => each.headers.etag)).size, 20, 'each answer is of its own version')
    const { headers } = await send('GET /api/v2/posts/{draft}', fixtures, 'editor')
    assert.equal(versionIn(headers.etag), 21)
  })

  race('3.2.4 of twenty who publish, one does', async (fixtures) => {
    await fixtures.idOf('draft')
    const answers = await all(20, () => send('POST /api/v2/posts/{draft}/publish', fixtures, 'editor'))
    assert.deepEqual(statusesOf(answers), { 200: 1, 409: 19 })
  })

  race('2.4.5 twenty times is once', async (fixtures) => {
    await fixtures.idOf('member')
    const answers = await all(20, () => send('POST /api/v2/users/{member}/follow', fixtures, 'viewer'))
    assert.deepEqual(statusesOf(answers), { 200: 20 })
    const { body } = await send('GET /api/v2/users/{member}/followers', fixtures, 'viewer')
    assert.equal(body.meta.total, 1)
  })

  race('2.5.3 no comment outlives its post, however quick it was', async (fixtures) => {
    const post = await fixtures.idOf('post')
    const comment = { post_id: '{post}', content: 'C' }
    const answers = await all(21, (index) =>
      index === 10
        ? send('DELETE /api/v2/posts/{post}', fixtures, 'editor')
        : send('POST /api/v2/comments', fixtures, 'viewer', comment),
    )
    for (const { status, text } of answers) assert([201, 204, 422].includes(status), text)
    const living = await rows(service(), `select id from comments where post_id = '${post}' and deleted_at is null`)
    assert.deepEqual(living, [])
  })

  race('2.5.3 no post outlives its author', async (fixtures) => {
    const writer = await fixtures.idOf('writer')
    await service().token(writer)
    const answers = await all(21, (index) =>
      index === 10
        ? send('DELETE /api/v2/users/{writer}', fixtures, 'admin')
        : send('POST /api/v2/posts', fixtures, '{writer}', { title: 'T', content: 'C' }),
    )
    for (const { status, text } of answers) assert([201, 204, 401].includes(status), text)
    const living = await rows(service(), `select id from posts where author_id = '${writer}' and deleted_at is null`)
    assert.deepEqual(living, [])
  })

  race('4.6.2 many at once in opposite orders do not stand in each other’s way', async (fixtures) => {
    const [one, two] = [await fixtures.idOf('draft'), await fixtures.idOf('post')]
    const answers = await all(20, (index) =>
      send('PATCH /api/v2/posts', fixtures, 'editor', {
        ids: index % 2 === 0 ? [one, two] : [two, one],
        title: `T${index}`,
      }),
    )
    assert.deepEqual(statusesOf(answers), { 200: 20 })
    const titles = await rows(service(), `select title from posts where id in ('${one}', '${two}')`)
    assert.equal(titles[0]![0], titles[1]![0], 'both have the title of one request')
  })

  race('3.3.1 orders of two products in opposite orders do not stand in each other’s way', async (fixtures) => {
    const products = [await fixtures.idOf('product'), await fixtures.idOf('last product')]
    const answers = await all(10, (index) =>
      send('POST /api/v2/orders', fixtures, 'viewer', {
        items: (index % 2 === 0 ? products : products.toReversed()).map((product_id) => ({ product_id, quantity: 1 })),
      }),
    )
    assert.deepEqual(statusesOf(answers), { 201: 1, 422: 9 })
    const stocks = await rows(service(), `select stock from products where id = '${products[0]}'`)
    assert.equal(stocks[0]![0], 9)
  })

  // The last one: the admin of this service may be suspended afterwards.
  race('2.6.7 two admins suspend each other: one stays', async (fixtures) => {
    const second = await fixtures.idOf('second')
    await service().token(second)
    const answers = await Promise.all([
      send('POST /api/v2/users/{second}/suspend', fixtures, 'admin'),
      send('POST /api/v2/users/{admin}/suspend', fixtures, '{second}'),
    ])
    const done = answers.filter(({ status }) => status === 200)
    assert.equal(done.length, 1, JSON.stringify(statusesOf(answers)))
    const active = await rows(service(), "select id from users where role = 'ADMIN' and status = 'ACTIVE'")
    assert.equal(active.length, 1)
  })
})

function statusesOf(answers: readonly Answer[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Straight from the tables: what no reader may see any more is there, too. */
async function rows({ store }: TestService, sql: string): Promise<readonly StoredRow[]> {
  function* read(): Program<readonly StoredRow[]> {
    return yield bind(query(sql))
  }
  return store.read(read())
}
