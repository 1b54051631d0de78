// Addresses of an author's own beside the reference service, with everything that such an address can have, and as fields of GraphQL.

import {
  anyOf,
  anyone,
  boolean,
  choice,
  Failure,
  integer,
  list,
  may,
  object,
  one,
  optional,
  route,
  signedIn,
  text,
  timestamp,
} from 'duet-api'
import { Article } from '../../../reference/article.ts'
import { Order } from '../../../reference/order.ts'
import { Post } from '../../../reference/post.ts'

const line = object({ order: one('Order'), total: integer({ min: 0 }), orderedAt: timestamp() })

/** What was sold, as far as the caller may see it. */
export const sales = route('GET', '/api/v2/reports/sales', {
  summary: 'Sum up paid orders',
  field: 'salesReport',
  access: signedIn,
  query: {
    minTotal: integer({ min: 0, default: 0 }),
    since: optional(timestamp()),
    perPage: integer({ min: 1, max: 50, default: 20 }),
  },
  answer: { currency: optional(text({ max: 3 })), sum: integer({ min: 0 }), orders: list(line, { max: 50 }) },
  async handle({ query, records }) {
    const which = { filter: { status: 'paid' }, sort: ['-total'], limit: query.perPage } as const
    const { records: paid } = await records.list(Order, which)
    const meant = paid.filter(
      ({ total, createdAt }) => total >= query.minTotal && createdAt >= (query.since ?? new Date(0)),
    )
    const orders = meant.map(({ id, total, createdAt, items }) => ({ order: id, total, orderedAt: createdAt, items }))
    return { currency: meant[0]?.currency ?? null, sum: meant.reduce((sum, { total }) => sum + total, 0), orders }
  },
})

/** Writes an article and hands it in: two writes, by the rules of articles. */
export const pitch = route('POST', '/api/v2/pitches', {
  summary: 'Pitch an article',
  field: 'pitchArticle',
  access: may('articles:create'),
  body: {
    workingTitle: text({ max: 200 }),
    lines: list(text({ max: 100 }), { min: 1, max: 10 }),
    submit: boolean({ default: true }),
  },
  answer: { article: one('Article'), state: choice(['draft', 'in_review', 'published', 'archived']) },
  async handle({ input, records }) {
    const article = await records.create(Article, { title: input.workingTitle, body: input.lines.join('\n') })
    const { id, status } = input.submit ? await records.run(Article, article.id, 'submit') : article
    return { article: id, state: status }
  },
})

/** The same address with three methods, one of them for people who may publish. */
const shelf = '/api/v2/shelves/{shelfName}/posts/{post}'
const params = { shelfName: choice(['new', 'old']), post: one('Post') }
export const look = route('GET', shelf, {
  summary: 'Look at a post on a shelf',
  field: 'shelvedPost',
  access: anyone,
  params,
  answer: { title: text({ max: 200 }), caller: optional(one('User')) },
  async handle({ actor, params: { post }, records }) {
    const { title } = await records.get(Post, post)
    return { title, caller: actor?.id ?? null }
  },
})
const rename = route('PUT', shelf, {
  summary: 'Rename a post on a shelf',
  field: 'renameOnShelf',
  access: anyOf(may('posts:publish'), may('posts:edit_any')),
  params,
  body: { title: text({ max: 200 }) },
  async handle({ params: { post, shelfName }, input, records }) {
    if (shelfName === 'old') throw new Failure('CONFLICT', { message: 'What is on the old shelf keeps its name.' })
    await records.update(Post, post, input)
  },
})
export const burn = route('DELETE', shelf, {
  summary: 'Delete a post on a shelf',
  field: 'burnOnShelf',
  access: signedIn,
  params,
  handle: ({ params: { post }, records }) => records.delete(Post, post),
})

/** Takes a while, so that it is not for everybody all the time. */
const audit = route('POST', '/api/v2/audits', {
  summary: 'Audit everything',
  field: { name: 'auditAll', cost: 400 },
  access: signedIn,
  limit: { name: 'audits', limit: 3, windowSeconds: 60, by: 'user' },
  answer: { startedAt: timestamp() },
  status: 202,
  handle: async ({ now }) => ({ startedAt: now }),
})

/** Its author answers what cannot be. */
const broken = route('GET', '/api/v2/reports/broken', {
  summary: 'Answer too much',
  field: 'brokenReport',
  access: anyone,
  answer: { count: integer({ max: 9 }) },
  handle: async () => ({ count: 10 }),
})
/** In the older version, and less literal than the others. */
const named = route('GET', '/api/v1/reports/{name}', {
  summary: 'Name a report',
  field: 'namedReport',
  access: anyone,
  params: { name: text({ max: 9 }) },
  answer: { reportName: text({ max: 9 }) },
  handle: async ({ params: { name } }) => ({ reportName: name }),
})

export const reportRoutes = [sales, pitch, look, rename, burn, audit, broken, named]
