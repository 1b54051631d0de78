// biome-ignore-all format: a promise and what breaks it stand on two lines, so that the compiler finds them
// What the client's types promise: what must follow does, and what must not compile does not. Checked by `npm run types`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Id } from 'duet-api'
import type { Client, GraphqlDocument } from 'duet-api/client'
import { createClient, DuetError } from 'duet-api/client'
import { createSubscriptions } from 'duet-api/client/subscriptions'
import type { api } from '../../reference/service.ts'
import type { api as todo } from '../../template/service.ts'
import type { agency } from '../../test/support/domain/agency.ts'
import type { backlog } from '../../test/support/domain/backlog.ts'
import type { billing } from '../../test/support/domain/billing.ts'
import type { cards } from '../../test/support/domain/cards.ts'
import type { burn, look, pitch, sales } from '../../test/support/domain/custom-routes.ts'
import type { helpdesk } from '../../test/support/domain/helpdesk.ts'
import type { ledger } from '../../test/support/domain/ledger.ts'
import type { library } from '../../test/support/domain/library.ts'
import type { remarks } from '../../test/support/domain/remarks.ts'
import type { journal } from '../../test/support/domain/values.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const expect = <_T extends true>() => {}
const url = 'http://127.0.0.1:1'
const json = { preferences: true, details: true } as const

/** Never called: its lines are only read. */
export async function promises(): Promise<void> {
  const client = createClient<typeof api>(url, { version: 'v2', json })
  const old = createClient<typeof api, 'v1'>(url, { json })
  const borrower = createClient<typeof library>(url)
  const tasks = createClient<typeof todo>(url, { name: 'todo' })
  const books = createClient<typeof ledger>(url, { version: 'v2', json: { preferences: true } })
  const bills = createClient<typeof billing>(url, { version: 'v2', json: { preferences: true } })
  const agencies = createClient<typeof agency>(url, { version: 'v2' })
  const oldAgencies = createClient<typeof agency, 'v1'>(url)
  const oldBooks = createClient<typeof ledger, 'v1'>(url, { json: { preferences: true } })
  const diary = createClient<typeof journal>(url, { version: 'v2', json: { preferences: true } })

  const desk = createClient<typeof helpdesk>(url)
  const notes = createClient<typeof remarks>(url)
  const board = createClient<typeof cards>(url)
  const plans = createClient<typeof backlog>(url, { version: 'v2' })
  const oldPlans = createClient<typeof backlog, 'v1'>(url)

  // ── What follows ──────────────────────────────────────────────────────────────────────────────────────────────────

  const post = await client.posts.create({ title: 'Hello', content: '…', publish: true })
  expect<Equal<typeof post.publishedAt, string | null>>()
  expect<Equal<typeof post.tags, readonly string[]>>()
  expect<Equal<typeof post.createdAt, string>>()
  const someone = await client.users.get('me')
  expect<Equal<typeof someone.email, string | undefined>>()
  expect<Equal<typeof someone.role, 'VIEWER' | 'EDITOR' | 'ADMIN'>>()
  expect<Equal<typeof someone.avatarUrl, string | null>>()
  expect<Equal<typeof someone.preferences, { readonly [name: string]: unknown } | undefined>>()
  const order = await client.orders.create({ items: [{ productId: 'prod_1', quantity: 2 }] }, { idempotencyKey: 'k' })
  expect<Equal<(typeof order.items)[number]['unitPrice'], number>>()
  const message = await desk.messages.get('msg_1')
  expect<Equal<typeof message.organizationId, Id<'Organization'>>>()
  await board.cards.create({ organizationId: 'org_1', title: 'A', tags: [{ name: 'red' }] })
  await board.cards.update('crd_1', { tagIds: ['tag_1'] })
  // @ts-expect-error a tag has no such key
  await board.cards.update('crd_1', { tags: [{ title: 'red' }] })
  const remark = await notes.remarks.get('rem_1')
  type Named = { readonly type: 'Issue'; readonly id: Id<'Issue'> } | { readonly type: 'Page'; readonly id: Id<'Page'> }
  expect<Equal<typeof remark.target, Named | null>>()
  await notes.remarks.create({ organizationId: 'org_1', target: { type: 'Issue', id: 'iss_1' }, text: 'First' })
  void notes.remarks.list({ filter: { targetId: 'iss_1', sourceType: 'Page' }, where: { targetType: { in: ['Issue', 'Page'] } } })
  // @ts-expect-error it has no such type
  void notes.remarks.list({ filter: { targetType: 'User' } })
  // @ts-expect-error it has no such type
  void notes.remarks.list({ where: { targetType: { eq: 'User' } } })
  await notes.remarks.update('rem_1', { target: { type: 'Page', id: 'pag_1' } })
  await notes.issues.create({ organizationId: 'org_1', title: 'A', remarks: [{ text: 'First' }] })
  // @ts-expect-error it has no such type
  await notes.remarks.create({ organizationId: 'org_1', target: { type: 'User', id: 'usr_1' }, text: 'First' })
  // @ts-expect-error the relation is part of it
  await notes.remarks.create({ organizationId: 'org_1', issueId: 'iss_1', text: 'First' })
  // @ts-expect-error a remark is about something
  await notes.remarks.create({ organizationId: 'org_1', text: 'First' })
  // @ts-expect-error the parent is what it is about
  await notes.issues.create({ organizationId: 'org_1', title: 'A', remarks: [{ text: 'First', target: { type: 'Page', id: 'pag_1' } }] })
  // What a relation names may be hidden.
  expect<Equal<typeof message.authorId, Id<'User'> | null>>()
  expect<Equal<typeof post.authorId, Id<'User'> | null>>()
  const tenantKey = await desk.apiKeys.create({ name: 'Billing', scopes: ['*'], organizationId: 'org_1', role: 'AGENT' })
  expect<Equal<typeof tenantKey.organizationId, Id<'Organization'> | null>>()
  expect<Equal<typeof tenantKey.projectId, Id<'Project'> | null>>()
  expect<Equal<typeof tenantKey.userId, Id<'User'> | null>>()
  expect<Equal<typeof tenantKey.role, 'OWNER' | 'AGENT' | 'CUSTOMER' | 'LEAD' | 'GUEST' | null>>()
  expect<Equal<typeof tenantKey.key, string>>()
  void desk.apiKeys.list({ filter: { organizationId: 'org_1' }, fields: ['name', 'role'] })
  // @ts-expect-error: nobody is a NOBODY there
  void desk.apiKeys.create({ name: 'Billing', scopes: ['*'], organizationId: 'org_1', role: 'NOBODY' })
  // @ts-expect-error: a message has its organization from its ticket
  void desk.messages.create({ ticketId: 'tkt_1', body: '…', organizationId: 'org_1' })
  const values = { day: '2026-11-22', key: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6', ratio: 0.5, views: '1', price: '1.00' }
  const entry = await diary.entries.create({ ...values, prices: ['1'] })
  expect<Equal<typeof entry.price, string>>()
  expect<Equal<typeof entry.tiny, string | null>>()
  expect<Equal<typeof entry.views, string>>()
  expect<Equal<typeof entry.ratio, number>>()
  expect<Equal<typeof entry.day, string>>()
  expect<Equal<typeof entry.gross, string>>()
  expect<Equal<(typeof entry.lines)[number]['views'], string>>()
  void diary.entries.list({ filter: { minPrice: '1.00', views: '1', from: '2026-01-01', minRatio: 1 }, sort: ['-price', 'day'] })
  void diary.entries.cheap.list({ args: { below: '1.00' } })
  // @ts-expect-error: exact numbers are texts
  void diary.entries.create({ ...values, price: 1 })
  const key = await client.apiKeys.create({ name: 'ci', scopes: ['read:posts'], expiresAt: new Date() })
  expect<Equal<typeof key.key, string>>()
  const customer = await books.customers.by({ externalId: '42' }, { fields: ['name'] })
  expect<Equal<keyof typeof customer, 'name'>>()
  await books.customers.by({ region: 'eu', code: 'c', level: 1 })
  await oldBooks.customers.by({ foreignId: '42' })
  await books.customers.upsert({ externalId: '42' }, { code: 'c', name: 'N' })
  await books.customers.upsert({ region: 'eu', code: 'c', level: 1 }, { externalId: '42', name: 'N' })
  await books.customers.upsertMany(['externalId'], [{ externalId: '42', code: 'c', name: 'N' }])
  await books.customers.upsertMany(
    ['region', 'code', 'level'],
    [{ externalId: '42', region: 'eu', code: 'c', level: 1, name: 'N' }],
  )
  await bills.invoices.create({ title: 'A', lines: [{ productId: 'prd_1', quantity: 1, discounts: [{ percent: 5 }] }] })
  await bills.invoices.create({ title: 'A', labelIds: ['lab_1'], lines: [{ product: { sku: 'S' }, quantity: 1 }] })
  const labelled = await bills.invoices.update('inv_1', { labelIds: [] })
  expect<Equal<typeof labelled.labelIds, readonly Id<'Label'>[] | undefined>>()
  // @ts-expect-error a line has a quantity
  await bills.invoices.create({ title: 'A', lines: [{ productId: 'prd_1' }] })
  // @ts-expect-error its invoice is the one that it is in
  await bills.invoices.create({ title: 'A', lines: [{ productId: 'prd_1', quantity: 1, invoiceId: 'inv_1' }] })
  await bills.invoices.update('inv_1', { lines: [{ id: 'lin_1' }, { id: 'lin_2', quantity: 3, discounts: [] }] })
  await bills.invoices.update('inv_1', { lines: [{ productId: 'prd_1', quantity: 1 }] })
  // @ts-expect-error a line has no colour
  await bills.invoices.update('inv_1', { lines: [{ id: 'lin_1', colour: 'red' }] })
  // @ts-expect-error a new line has a quantity
  await bills.invoices.update('inv_1', { lines: [{ productId: 'prd_1' }] })
  await agencies.deals.create({ agencyId: 'agc_1', customer: { externalId: '42' }, label: 'L' })
  await agencies.deals.create({ agency: { slug: 'one' }, customerId: 'cus_1', payer: { vat: 'V' }, label: 'L' })
  await agencies.deals.update('dea_1', { payer: { region: 'eu', code: 'C' } })
  await agencies.notes.create({ deal: { label: 'L', agencyId: 'agc_1' }, text: 'T' })
  await agencies.notes.create({ deal: { label: 'L' }, about: { externalId: '42' }, text: 'T' })
  const theirs = await agencies.agencies.customers.by('agc_1', { externalId: '42' }, { fields: ['name'] })
  expect<Equal<keyof typeof theirs, 'name'>>()
  await agencies.agencies.customers.upsert('agc_1', { region: 'eu', code: 'C' }, { externalId: '42', vat: 'V', name: 'N' })
  await agencies.agencies.customers.upsert('agc_1', { externalId: '42' }, { agencyId: 'agc_1', code: 'C', vat: 'V', name: 'N' })
  await oldAgencies.agencies.customers.by('agc_1', { foreignId: '42' })
  await agencies.agencies.notes.by('agc_1', { text: 'T' })
  // @ts-expect-error a note has its agency from its deal
  await agencies.agencies.notes.upsert('agc_1', { text: 'T' }, {})
  // @ts-expect-error a customer is named in the agency of the note
  await agencies.notes.create({ dealId: 'dea_1', about: { externalId: '42', agencyId: 'agc_1' }, text: 'T' })
  // @ts-expect-error half of a key names nobody within an agency either
  await agencies.agencies.customers.by('agc_1', { region: 'eu' })
  // @ts-expect-error a key of an agency's customers counts in an agency
  await agencies.agencies.customers.by({ externalId: '42' })
  // @ts-expect-error memberships have no keys
  await agencies.agencies.memberships.by('agc_1', { role: 'STAFF' })
  // @ts-expect-error a deal is no tenant
  await agencies.deals.notes.by('dea_1', { text: 'T' })
  // @ts-expect-error one of the two is needed
  await agencies.deals.create({ agencyId: 'agc_1', label: 'L' })
  // @ts-expect-error not both
  await agencies.deals.create({ agencyId: 'agc_1', customerId: 'cus_1', customer: { externalId: '42' }, label: 'L' })
  // @ts-expect-error half of a key names nobody
  await agencies.deals.update('dea_1', { payer: { region: 'eu' } })
  // @ts-expect-error half of a key names nobody
  await books.customers.by({ region: 'eu' })
  // @ts-expect-error a code is a text
  await books.customers.by({ region: 'eu', code: 7, level: 1 })
  // @ts-expect-error a customer has a name
  await books.customers.upsert({ externalId: '42' }, { code: 'c' })
  // @ts-expect-error a name is no key
  await books.customers.upsertMany(['name'], [{ externalId: '42', code: 'c', name: 'N' }])
  // @ts-expect-error each input has the fields of the key, also those with a default
  await books.customers.upsertMany(['region', 'code', 'level'], [{ externalId: '42', code: 'c', name: 'N' }])
  // @ts-expect-error posts have no keys
  await client.posts.by({ title: 'Hello' })
  const brief = await client.posts.get('post_1', { fields: ['id', 'title'] })
  expect<Equal<keyof typeof brief, 'id' | 'title'>>()
  for await (const each of client.products.list({ filter: { category: 'books', minPrice: 100 }, sort: ['-price', 'name'], fields: ['name'] }))
    expect<Equal<keyof typeof each, 'name'>>()
  const page = await client.posts.page({ page: 2, limit: 50 })
  expect<Equal<typeof page.total, number | undefined>>()
  const next = await client.posts.page({ cursor: 'x' })
  expect<Equal<typeof next.nextCursor, string | null>>()
  for await (const each of client.users.posts.list('usr_1', { filter: { published: true } })) expect<Equal<typeof each.title, string>>()
  await client.users.follow('usr_2')
  await client.posts.update('post_1', { title: 'Other' }, { ifMatch: post })
  await client.posts.updateMany(['post_1'], { tags: [] })
  const few = { where: { status: { in: ['open', 'doing'] }, points: { lt: 3 } } } as const
  const count = await plans.tasks.updateMany(few, { title: 'T', projectId: null })
  expect<Equal<typeof count, { readonly count: number }>>()
  const dry = await plans.tasks.updateMany(['tsk_1'], { points: 1 }, { dryRun: true })
  expect<Equal<typeof dry.count, number>>()
  const changed = await plans.tasks.updateMany(['tsk_1'], { points: 1 })
  expect<Equal<(typeof changed)[number]['points'], number>>()
  await plans.tasks.deleteMany({ where: 'points > 3' }, { dryRun: count.count > 3 })
  await plans.tasks.deleteMany(['tsk_1'])
  const begun = await plans.tasks.start.many(['tsk_1'])
  expect<Equal<(typeof begun)[number]['status'], 'open' | 'doing' | 'done'>>()
  const finished = await plans.tasks.finish.many({ where: 'points > 3' }, { result: 'R' }, { idempotencyKey: 'k', dryRun: true })
  expect<Equal<typeof finished.count, number>>()
  await oldPlans.tasks.updateMany({ where: 'effort > 3' }, { effort: 1 })
  await client.comments.list({ filter: { authorId: 'usr_1', postId: post.id } })
  const comment = await client.comments.create({ postId: post.id, content: 'Hi' })
  expect<Equal<typeof comment.content, string>>()
  const oldComment = await old.comments.create({ postId: post.id, text: 'Hi' })
  expect<Equal<typeof oldComment.text, string>>()
  const loan = await borrower.loans.create({ copyId: 'copy_1', days: 14 })
  expect<Equal<typeof loan.dueAt, string>>()
  await borrower.books.copies.page('book_1', { filter: { status: 'on_shelf' } })
  await borrower.fines.waive('fine_1', { reason: 'The library was closed.' })
  await tasks.tasks.create({ projectId: 'prj_1', title: 'Water' })
  await tasks.tasks.list({ filter: { dueBefore: new Date() } })
  declareDocument satisfies GraphqlDocument<{ posts: number }, { first: number }>
  const found = await client.graphql(declareDocument, { first: 1 })
  expect<Equal<typeof found, { posts: number }>>()

  const able = await client.posts.get('post_1', { fields: ['id', 'can'] })
  expect<Equal<typeof able.can, { readonly update: boolean; readonly delete: boolean; readonly publish: boolean; readonly unpublish: boolean }>>()
  for await (const each of borrower.loans.list({ fields: ['can'] })) expect<Equal<keyof typeof each, 'can'>>()

  const events = createSubscriptions(client)
  for await (const each of events.on('commentAdded', { by: { postId: 'post_1' }, fields: ['id', 'content'] })) {
    expect<Equal<typeof each, { readonly id: typeof comment.id; readonly content: string }>>()
  }
  for await (const each of createSubscriptions(notes).on('remarkCreated', { by: { targetId: 'pag_1' }, fields: ['text'] })) expect<Equal<typeof each, { readonly text: string }>>()
  for await (const each of events.on('postCreated', { fields: ['tags', 'publishedAt'] })) expect<Equal<typeof each.publishedAt, string | null>>()
  for await (const { data } of events.subscribe(declareDocument, { first: 1 })) expect<Equal<typeof data, { posts: number }>>()

  // ── What must not compile ─────────────────────────────────────────────────────────────────────────────────────────

  // @ts-expect-error it is subscribed by a record
  createSubscriptions(notes).on('remarkCreated', { fields: ['text'] })
  // @ts-expect-error an argument is not stored
  void loan.days
  // @ts-expect-error nobody may read a password back
  void someone.password
  // @ts-expect-error the key is shown once
  void (await client.apiKeys.get('key_1')).key
  // @ts-expect-error it was not asked for
  void brief.content
  // @ts-expect-error what may be done is told where it is asked for
  void post.can
  // @ts-expect-error creating is done with no record
  void able.can.create
  // @ts-expect-error an event can have no record with which anything can be done
  client.securityEvents.list({ fields: ['can'] })
  // @ts-expect-error nothing is no condition
  await plans.tasks.deleteMany({})
  // @ts-expect-error there is no such field to ask by
  await plans.tasks.deleteMany({ where: { price: { eq: '1.00' } } })
  // @ts-expect-error v1 has other names than a tree
  await oldPlans.tasks.updateMany({ where: { points: { gt: 3 } } }, { effort: 1 })
  // @ts-expect-error what is written is what the action takes
  await plans.tasks.updateMany({ where: 'points > 3' }, { status: 'done' })
  // @ts-expect-error so it is of a move
  await plans.tasks.finish.many(['tsk_1'], { points: 3 })
  // @ts-expect-error a condition counts, and answers no records
  void (await plans.tasks.start.many({ where: 'points > 3' }))[0]
  // @ts-expect-error comments are moved by nobody
  plans.comments.start
  // @ts-expect-error articles take no conditions
  await client.articles.updateMany({ where: 'title = "A"' }, { title: 'B' })
  // @ts-expect-error nor deletes of many
  await client.articles.deleteMany(['art_1'])
  // @ts-expect-error nor moves of many
  await client.articles.submit.many(['art_1'])
  // @ts-expect-error v1 has another name for it
  void oldComment.content
  // @ts-expect-error and so has its input
  await old.comments.create({ postId: post.id, content: 'Hi' })
  // @ts-expect-error a list of orders cannot be filtered by total
  client.orders.list({ filter: { total: 1 } })
  // @ts-expect-error there is no such status
  client.articles.list({ filter: { status: 'gone' } })
  client.posts.list({ sort: ['author.name', '-author.createdAt'] })
  for await (const { status, createdAt, count, sum } of client.orders.summary.list({ groupBy: ['status', 'createdAt:month'] }))
    void [status satisfies string | null, createdAt satisfies string | null, count + 1, sum.total satisfies string | null]
  void client.orders.summary.page({ groupBy: ['userId', 'user.name'], timeZone: 'Europe/Berlin', sort: '-sumTotal' })
  // @ts-expect-error nobody sums up by this
  client.orders.summary.page({ groupBy: ['items'] })
  // @ts-expect-error articles have no summary
  client.articles.summary.page()
  // @ts-expect-error a list is not one record
  client.posts.list({ sort: 'comments.content' })
  // @ts-expect-error there is no such field to sort by
  client.posts.list({ sort: 'colour' })
  // @ts-expect-error nor one to choose
  client.posts.list({ fields: ['colour'] })
  // @ts-expect-error unit prices are answered, never sent
  await client.orders.create({ items: [{ productId: 'prod_1', quantity: 2, unitPrice: 1 }] })
  // @ts-expect-error content is needed
  await client.posts.create({ title: 'Hello' })
  // @ts-expect-error the author is whoever creates
  await client.posts.create({ title: 'Hello', content: '…', authorId: 'usr_1' })
  // @ts-expect-error an email is set at sign-up
  await client.users.update('me', { email: 'a@b.cd' })
  // @ts-expect-error the id of another resource
  await client.posts.get(someone.id)
  // @ts-expect-error what the resource does not list, nobody can call
  client.sessions.create
  const report = await client.request<typeof sales>('GET', '/api/v2/reports/sales', { query: { min_total: 5, since: new Date() } })
  expect<Equal<typeof report.data.sum, number>>()
  expect<Equal<typeof report.data.currency, string | null>>()
  expect<Equal<(typeof report.data.orders)[number]['ordered_at'], string>>()
  expect<Equal<(typeof report.data.orders)[number]['order_id'], Id<'Order'>>>()
  const pitched = await client.request<typeof pitch>('POST', '/api/v2/pitches', { body: { working_title: 'T', lines: ['a'] } })
  expect<Equal<typeof pitched.data.state, 'draft' | 'in_review' | 'published' | 'archived'>>()
  await client.request<typeof look>('GET', '/api/v2/shelves/new/posts/post_1')
  expect<Equal<Awaited<ReturnType<typeof client.request<typeof burn>>>, undefined>>()
  const anything = await client.request('GET', '/api/v2/anything', { query: { q: 1 } })
  expect<Equal<typeof anything, unknown>>()
  // @ts-expect-error it is another method
  await client.request<typeof sales>('POST', '/api/v2/reports/sales')
  // @ts-expect-error and another path
  await client.request<typeof sales>('GET', '/api/v2/reports/sale')
  // @ts-expect-error it takes no such parameter
  await client.request<typeof sales>('GET', '/api/v2/reports/sales', { query: { minTotal: 5 } })
  // @ts-expect-error or none of this kind
  await client.request<typeof sales>('GET', '/api/v2/reports/sales', { query: { min_total: 'five' } })
  // @ts-expect-error the body is needed
  await client.request<typeof pitch>('POST', '/api/v2/pitches')
  // @ts-expect-error and all of it that has no default
  await client.request<typeof pitch>('POST', '/api/v2/pitches', { body: { lines: ['a'] } })
  // @ts-expect-error there is no such resource
  client.notes
  // @ts-expect-error a page by number has no cursor
  page.nextCursor
  // @ts-expect-error the version has to be said, for there are two
  createClient<typeof api>(url, { json })
  // @ts-expect-error and be the one whose names are used
  createClient<typeof api>(url, { version: 'v1', json })
  // @ts-expect-error there is no such version
  createClient<typeof api, 'v3'>(url, { version: 'v3', json })
  // @ts-expect-error all fields of free form have to be named
  createClient<typeof api>(url, { version: 'v2', json: { preferences: true } })
  // @ts-expect-error and no others
  createClient<typeof api>(url, { version: 'v2', json: { ...json, bio: true } })
  // @ts-expect-error this event is about one post
  events.on('commentAdded', { fields: ['id'] })
  // @ts-expect-error and this one about any
  events.on('postCreated', { by: { postId: 'post_1' }, fields: ['id'] })
  // @ts-expect-error nothing of this name happens
  events.on('postBurnt', { fields: ['id'] })
  // @ts-expect-error a relation needs a document of its own
  events.on('postCreated', { fields: ['author'] })
  // @ts-expect-error a document with variables needs them
  await client.graphql(declareDocument)
  // @ts-expect-error of the right type
  await client.graphql(declareDocument, { first: 'one' })
  try {
    await client.posts.get('post_1')
  } catch (error) {
    // A service may have codes of its own, beside those that an editor completes.
    if (error instanceof DuetError) return error.code === 'BOOK_NOT_FOUND' ? undefined : undefined
  }
}
declare const declareDocument: { readonly kind: 'Document'; readonly __apiType?: (variables: { first: number }) => { posts: number } }

test('a client is made without a service, and is no promise', async () => {
  const client: Client<typeof todo> = createClient<typeof todo>(url)
  assert.equal(await client, client)
  assert.equal(await client.tasks, client.tasks)
})
