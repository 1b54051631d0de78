// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// What `route(…)` promises: what must follow does, and what must not compile does not. Checked by `npm run types`.
// It runs as well, for definitions are inert: no callback below is ever called.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyOf, anyone, boolean, choice, type Id, integer, list, may, object, one, open, optional, own, password, reply, route, signedIn, standardWebhooks, text, timestamp, when } from 'duet-api'
import { Article } from '../../reference/article.ts'
import { Order } from '../../reference/order.ts'
import { User } from '../../reference/user.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const expect = <_T extends true>() => {}

const path = '/api/v2/things'
const summary = 'Do a thing'
const access = signedIn
const handle = async () => {}
const basics = { summary, access, handle }

// ── What follows ────────────────────────────────────────────────────────────────────────────────────────────────────

route('POST', '/api/v2/things/{kind}/parts/{part}', {
  summary, access,
  params: { kind: choice(['a', 'b']), part: one('Post') },
  query: { since: optional(timestamp()), count: integer({ default: 1 }) },
  body: { names: list(text({ max: 9 }), { max: 9 }) },
  answer: { done: boolean(), at: timestamp(), who: optional(one('User')) },
  async handle({ actor, params, query, input, now, records, asService }) {
    expect<Equal<typeof actor.role, string>>()
    expect<Equal<typeof params.kind, 'a' | 'b'>>()
    expect<Equal<typeof params.part, Id<'Post'>>>()
    expect<Equal<typeof query.since, Date | null>>()
    expect<Equal<typeof query.count, number>>()
    expect<Equal<typeof input.names, readonly string[]>>()
    const order = await records.get(Order, 'ord_1')
    expect<Equal<typeof order.total, number>>()
    const { groups: [group] } = await records.summary(Order, { by: ['status', 'createdAt:month', 'user', 'user.name'], of: ['total'], filter: { status: 'paid' } })
    expect<Equal<(typeof group & {})['status'], 'pending' | 'paid' | 'cancelled' | null>>()
    expect<Equal<(typeof group & {})['createdAt'], string | null>>()
    expect<Equal<(typeof group & {})['user'], Id<'User'> | null>>()
    expect<Equal<(typeof group & {})['sum']['total'], number | null>>()
    expect<Equal<(typeof group & {})['count'], number>>()
    // @ts-expect-error orders are not grouped by their total
    await records.summary(Order, { by: ['total'] })
    // @ts-expect-error a state has no months
    await records.summary(Order, { by: ['status:month'] })
    // @ts-expect-error a state is no number
    await records.summary(Order, { of: ['status'] })
    // @ts-expect-error articles have no summary
    await records.summary(Article)
    const user = await records.get(User, actor.id)
    expect<Equal<typeof user.name, string>>()
    expect<Equal<typeof user.email, string | undefined>>()
    const article = await records.create(Article, { title: 'T', body: 'B' })
    expect<Equal<typeof article.status, 'draft' | 'in_review' | 'published' | 'archived'>>()
    await records.update(Article, article.id, { title: 'U' })
    await records.run(Article, article.id, 'submit')
    const { records: orders, hasNext } = await records.list(Order, { filter: { status: 'paid' }, sort: ['-total', 'createdAt'] })
    expect<Equal<typeof hasNext, boolean>>()
    const whole = await asService.records.get(User, actor.id)
    expect<Equal<typeof whole.email, string>>()
    await asService.records.create(Article, { title: 'T', body: 'B', author: actor.id })
    await asService.records.run(Article, article.id, 'submit')
    await asService.records.run(Order, order.id, 'pay')
    // @ts-expect-error nobody is there to be the author
    await asService.records.create(Article, { title: 'T', body: 'B' })
    // @ts-expect-error a state is no relation to an account
    await asService.records.run(Article, article.id, 'submit', { status: 'draft' })
    // @ts-expect-error articles have no such move
    await asService.records.run(Article, article.id, 'burn')
    // @ts-expect-error an order is no article
    await records.get(Article, orders[0]!.id)
    // @ts-expect-error articles are created with a body
    await records.create(Article, { title: 'T' })
    // @ts-expect-error create accepts no status
    await records.create(Article, { title: 'T', body: 'B', status: 'published' })
    // @ts-expect-error update accepts no author
    await records.update(Article, article.id, { author: actor.id })
    // @ts-expect-error articles have no such move
    await records.run(Article, article.id, 'burn')
    // @ts-expect-error creating is no move
    await records.run(Article, article.id, 'create')
    // @ts-expect-error orders have no such filter
    await records.list(Order, { filter: { total: 5 } })
    // @ts-expect-error orders have no such field
    await records.list(Order, { sort: ['-sum'] })
    return { done: true, at: now, who: null }
  },
})
route('GET', path, {
  summary, access: anyone, answer: { who: optional(one('User')) },
  // @ts-expect-error anyone may be nobody
  handle: async ({ actor }) => ({ who: actor.id }),
})
route('GET', path, {
  summary, access: anyOf(anyone, may('posts:publish')), answer: { who: optional(one('User')) },
  handle: async ({ actor }) => ({ who: actor?.id ?? null }),
})
route('GET', path, {
  summary, access: anyOf(may('posts:edit_any'), may('posts:publish')), answer: { who: one('User') },
  handle: async ({ actor }) => ({ who: actor.id }),
})

route('POST', path, {
  summary, access: anyone, raw: { maxBytes: 9 }, headers: { userAgent: optional(text({ max: 9 })) },
  async handle({ bytes, headers, log }) {
    expect<Equal<typeof bytes, Uint8Array>>()
    expect<Equal<typeof headers.userAgent, string | null>>()
    log.info('It has come.', { size: bytes.length })
  },
})
route('POST', path, {
  summary, access: anyone, signed: standardWebhooks('whsec_x'), body: open({ data: object({ post: one('Post') }) }),
  handle: async ({ input }) => expect<Equal<typeof input.data.post, Id<'Post'>>>(),
})

route('GET', '/.well-known/security.txt', { summary, access: anyone, answer: 'text/plain', handle: async () => 'Contact: x' })
route('GET', path, {
  summary, access: anyone, answer: 'text/csv',
  async handle({ records }) {
    for await (const { total } of records.each(Order, { sort: ['-total'] })) expect<Equal<typeof total, number>>()
    return reply({ headers: { 'Content-Disposition': 'attachment' }, body: new Uint8Array() })
  },
})
route('GET', path, {
  summary, access: anyone, query: { top: integer({ default: 1 }) }, answer: 'text/csv',
  async *handle({ query }) { yield `${query.top satisfies number}` },
})

route('GET', path, { summary, access, field: 'things', query: { top: integer({ default: 1 }) }, answer: { top: integer() }, handle: async ({ query: { top } }) => ({ top }) })
route('POST', path, { ...basics, field: { name: 'things', cost: 50 }, body: { name: text({ max: 9 }) } })

// ── What must not compile ───────────────────────────────────────────────────────────────────────────────────────────

// @ts-expect-error every route says who may
route('GET', path, { summary, handle })
// @ts-expect-error every route says what it does
route('GET', path, { access, handle })
// @ts-expect-error there is no record that could be one's own
route('GET', path, { ...basics, access: own('author') })
// @ts-expect-error there is no record that could have a value
route('GET', path, { ...basics, access: when({ status: 'draft' }) })
// @ts-expect-error a permission names its resource
route('GET', path, { ...basics, access: may('publish') })
// @ts-expect-error every route is in a version
route('GET', '/things', basics)
// @ts-expect-error HTTP has no such method here
route('HEAD', path, basics)
// @ts-expect-error something must say what the name is
route('GET', '/api/v2/things/{name}', basics)
// @ts-expect-error the path has no such name
route('GET', '/api/v2/things/{name}', { ...basics, params: { name: text({ max: 9 }), other: integer() } })
// @ts-expect-error a path holds no lists
route('GET', '/api/v2/things/{name}', { ...basics, params: { name: list(text({ max: 9 }), { max: 9 }) } })
// @ts-expect-error a query holds no lists
route('GET', path, { ...basics, query: { names: list(text({ max: 9 }), { max: 9 }) } })
// @ts-expect-error a GET has no body
route('GET', path, { ...basics, body: { name: text({ max: 9 }) } })
// @ts-expect-error a GET has no raw body
route('GET', path, { ...basics, raw: { maxBytes: 9 } })
// @ts-expect-error a raw body is not described
route('POST', path, { ...basics, raw: { maxBytes: 9 }, body: { name: text({ max: 9 }) } })
// @ts-expect-error only a raw body is bytes
route('POST', path, { summary, access, handle: async ({ bytes }) => void bytes })
// @ts-expect-error a header holds no lists
route('GET', path, { ...basics, headers: { names: list(text({ max: 9 }), { max: 9 }) } })
// @ts-expect-error only records keep passwords
route('POST', path, { ...basics, body: { password: password({ min: 8, max: 9 }) } })
// @ts-expect-error what is described must be answered
route('GET', path, { ...basics, answer: { name: text({ max: 9 }) } })
// @ts-expect-error and be of its kind
route('GET', path, { ...basics, answer: { name: text({ max: 9 }) }, handle: async () => ({ name: 5 }) })
// @ts-expect-error an answer of a media type is text or bytes
route('GET', path, { ...basics, answer: 'text/csv', handle: async () => 5 })
// @ts-expect-error JSON is not made in pieces
route('GET', path, { summary, access, answer: { name: text({ max: 9 }) }, async *handle() { yield 'x' } })
// @ts-expect-error a field of GraphQL is JSON
route('GET', path, { ...basics, field: 'things', answer: 'text/csv', handle: async () => 'x' })
// @ts-expect-error a field of GraphQL has no headers
route('GET', path, { ...basics, field: 'things', headers: { userAgent: text({ max: 9 }) } })
// @ts-expect-error a field of GraphQL has no raw body
route('POST', path, { ...basics, field: 'things', raw: { maxBytes: 9 } })
// @ts-expect-error nothing signs a field of GraphQL
route('POST', path, { ...basics, field: 'things', signed: standardWebhooks('whsec_x'), body: { name: text({ max: 9 }) } })
// @ts-expect-error a cost belongs to a name
route('GET', path, { ...basics, field: { cost: 50 } })
// @ts-expect-error no route sets cookies
reply({ headers: { 'Set-Cookie': 'a=b' }, body: '' })
// @ts-expect-error a limit says whom it counts
route('GET', path, { ...basics, limit: { name: 'x', limit: 1, windowSeconds: 1 } })

test('routes are inert values', () => {
  assert.deepEqual(Object.keys(route('GET', path, basics)).sort(), ['access', 'handle', 'method', 'path', 'summary'])
})
