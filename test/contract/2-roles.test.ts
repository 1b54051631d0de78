// Which role may do what to whose records: every action of every resource, none left out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../reference/service.ts'
import { compileModel } from '../../src/resource/model/compile/compile-model.ts'
import { kebab } from '../../src/resource/naming/casing.ts'
import { plural } from '../../src/resource/naming/plural.ts'
import { type Also, clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import { kept, type Recipe, webhookOf } from '../support/rows/fixtures.ts'
import { createTwin, actionTwin as move, updateTwin } from '../support/rows/graphql-question.ts'
import type { Caller } from '../support/server/service.ts'
import type { Clause } from './contract.ts'

/** Who asks, and whose record it is. */
const columns = [
  { as: 'anonymous', owner: '{other viewer}', clause: '2.6.4' },
  { as: 'viewer', owner: '{viewer}', clause: '2.6.1' },
  { as: 'viewer', owner: '{other viewer}', clause: '2.6.1' },
  { as: 'editor', owner: '{editor}', clause: '2.6.2' },
  { as: 'editor', owner: '{other editor}', clause: '2.6.2' },
  { as: 'admin', owner: '{other editor}', clause: '2.6.3' },
] as const satisfies readonly { as: Caller; owner: string; clause: Clause }[]

const published = new Date('2026-11-01T12:00:00.000Z')
const post = (publishedAt: Date | null) => (author: string) => ({
  Post: { title: 'T', content: 'C', author, publishedAt },
})
const article = (status: string) => (author: string) => ({ Article: { title: 'T', body: 'B', author, status } })
const order = (status: string) => (user: string) => ({
  Order: { user, status, items: [{ product: '{product}', quantity: 1, unitPrice: 500 }], total: 500, currency: 'EUR' },
})
const comment = (author: string) => ({ Comment: { post: '{post}', author, content: 'C' } })
const product = () => ({ Product: { name: 'Pan', category: 'kitchen', price: 500, currency: 'EUR', stock: 1 } })
const user = (status: string) => () => ({ User: { name: 'Somebody', status } })

const apiKey = (owner: string) => ({
  ApiKey: { user: owner, name: 'K', scopes: ['read:*'], prefix: 'duet_AAAAAAA' },
})
const session = (owner: string) => ({
  Session: { user: owner, lastUsedAt: published, userAgent: 'A browser', ip: '192.0.2.1' },
})

const signInMethod = (owner: string) => ({ SignInMethod: { user: owner, kind: 'passkey', name: 'Laptop' } })

type Answers = readonly [number, number, number, number, number, number]
/** A record of this owner, and the answers by column: nobody; VIEWER, own and not; EDITOR, own and not; ADMIN. */
type Line = readonly [made: (owner: string) => Recipe, answers: Answers, body?: Readonly<Record<string, unknown>>]

const none: Answers = [401, 403, 403, 403, 403, 200]
const alone: Answers = [401, 200, 404, 200, 404, 404]
const lines: Readonly<Record<string, Line>> = {
  'User.update': [user('ACTIVE'), [401, 403, 403, 403, 403, 200], { bio: 'B' }],
  'User.delete': [user('ACTIVE'), [401, 403, 403, 403, 403, 204]],
  'User.suspend': [user('ACTIVE'), none],
  'User.reactivate': [user('SUSPENDED'), none],
  'User.deactivate': [user('ACTIVE'), none],
  'User.follow': [user('ACTIVE'), [401, 200, 200, 200, 200, 200]],
  'User.unfollow': [user('ACTIVE'), [401, 200, 200, 200, 200, 200]],
  'Post.update': [post(published), [401, 403, 403, 200, 403, 200], { title: 'New' }],
  'Post.delete': [post(published), [401, 403, 403, 204, 403, 204]],
  'Post.publish': [post(null), [401, 403, 403, 200, 200, 200]],
  'Post.unpublish': [post(published), [401, 403, 403, 200, 200, 200]],
  'Comment.update': [comment, [401, 200, 403, 200, 403, 200], { content: 'New' }],
  'Comment.delete': [comment, [401, 204, 403, 204, 403, 204]],
  'Article.update': [article('published'), [401, 403, 403, 200, 403, 200], { title: 'New' }],
  'Article.delete': [article('published'), [401, 403, 403, 204, 403, 204]],
  'Article.submit': [article('draft'), [401, 403, 403, 200, 200, 200]],
  'Article.reject': [article('in_review'), [401, 403, 403, 200, 200, 200]],
  'Article.publish': [article('in_review'), [401, 403, 403, 200, 200, 200]],
  'Article.archive': [article('published'), none],
  'Product.update': [product, none, { name: 'New' }],
  'Product.delete': [product, [401, 403, 403, 403, 403, 204]],
  // An order of somebody else is not there, so that nobody learns of it.
  'Order.pay': [order('pending'), [401, 200, 404, 200, 404, 200]],
  'Order.cancel': [order('pending'), [401, 200, 404, 200, 404, 200]],
  // These are their owner's alone.
  'ApiKey.delete': [apiKey, [401, 204, 404, 204, 404, 404]],
  'Session.delete': [session, [401, 204, 404, 204, 404, 404]],
  'SignInMethod.delete': [signInMethod, [401, 204, 404, 204, 404, 404]],
  'Webhook.update': [webhookOf, alone, { events: ['commentAdded'] }],
  'Webhook.rotate': [webhookOf, alone],
  'Webhook.pause': [webhookOf, alone],
  'Webhook.resume': [(owner) => webhookOf(owner, 'paused'), alone],
  'Webhook.ping': [webhookOf, alone],
  'Webhook.delete': [webhookOf, [401, 204, 404, 204, 404, 404]],
  'WebhookDelivery.replay': [() => kept('').delivery, alone],
}
const ownersAlone = ['ApiKey', 'Session', 'SignInMethod', 'Webhook', 'WebhookDelivery']

/** Creates: nobody, VIEWER, EDITOR, ADMIN. */
const creates: Readonly<
  Record<string, readonly [answers: readonly number[], body: Readonly<Record<string, unknown>>]>
> = {
  'User.create': [[201, 201, 201, 201], { name: 'New', email: '{unique}@example.com', password: 'long enough' }],
  'Post.create': [[401, 403, 201, 201], { title: 'T', content: 'C' }],
  'Comment.create': [[401, 201, 201, 201], { post_id: '{post}', content: 'C' }],
  'Article.create': [[401, 403, 201, 201], { title: 'T', body: 'B' }],
  'Product.create': [[401, 403, 403, 201], { name: 'Pan', category: 'kitchen', price: 5, currency: 'EUR', stock: 1 }],
  'Order.create': [[401, 201, 201, 201], { items: [{ product_id: '{product}', quantity: 1 }] }],
  'ApiKey.create': [[401, 201, 201, 201], { name: 'K', scopes: ['read:posts'] }],
  'Webhook.create': [[401, 201, 201, 201], { url: 'http://127.0.0.1:9/', events: ['postCreated'] }],
}

const pathOf = (type: string) => kebab(plural(type))
const codes = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' } as const
const answerOf = (status: number): Expected =>
  status < 300 ? { status } : { status, code: codes[status as keyof typeof codes] }

const rows = Object.entries(lines).flatMap(([name, [made, answers, body]]) => {
  const [type, action] = name.split('.') as [string, string]
  const member = `/api/v2/${pathOf(type)}/{it}`
  const methods: Record<string, string> = { delete: `DELETE ${member}`, update: `PATCH ${member}` }
  return columns.map(({ as, owner, clause }, index): Row => {
    const status = answers[index]!
    const also: Also =
      body === undefined
        ? move(action, type, '{it}', action === 'delete' ? undefined : 'id')
        : updateTwin(type, '{it}', body)
    return {
      clause,
      it: `${as}: ${action} ${type} of ${owner} is ${status}`,
      as,
      given: { it: made(owner), hook: webhookOf(owner) },
      send: methods[action] ?? `POST ${member}/${action}`,
      ...(body === undefined ? {} : { body }),
      also,
      answer: answerOf(status),
      // Whoever is refused has changed nothing: the version is the first still.
      then:
        status < 300
          ? []
          : [
              {
                as: ownersAlone.includes(type) ? owner : 'admin',
                send: `GET ${member}`,
                answer: { status: 200, headers: { ETag: /^"1\./ } },
              },
            ],
    }
  })
})

const createRows = Object.entries(creates).flatMap(([name, [answers, body]]) => {
  const [type] = name.split('.') as [string]
  return [columns[0], columns[1], columns[3], columns[5]].map(
    ({ as, clause }, index): Row => ({
      clause,
      it: `${as}: create ${type} is ${answers[index]}`,
      as,
      send: `POST /api/v2/${pathOf(type)}`,
      body,
      also: createTwin(type, body),
      answer: answerOf(answers[index]!),
    }),
  )
})

clauses('2.6 Roles', [
  ...createRows,
  ...rows,
  ...(['viewer', 'editor', 'admin'] as const).map(
    (as): Row => ({
      clause: as === 'viewer' ? '2.6.1' : as === 'editor' ? '2.6.2' : '2.6.3',
      it: `${as} edits the own profile`,
      as,
      send: `PATCH /api/v2/users/{${as}}`,
      body: { bio: 'Me.' },
      also: updateTwin('User', `{${as}}`, { bio: 'Me.' }, 'bio'),
      answer: { status: 200, data: { bio: 'Me.' } },
    }),
  ),
  {
    clause: '2.6.5',
    it: 'a new user is a VIEWER',
    send: 'POST /api/v2/users',
    body: { name: 'New', email: '{unique}@example.com', password: 'long enough' },
    also: createTwin('User', { name: 'New', email: '{unique}@example.com', password: 'long enough' }, 'role'),
    answer: { status: 201, data: { role: 'VIEWER' } },
  },
  ...(['VIEWER', 'EDITOR'] as const).map(
    (role): Row => ({
      clause: '2.6.6',
      it: `${role} deactivates oneself`,
      as: '{me}',
      given: { me: { User: { name: 'Me', role } } },
      send: 'POST /api/v2/users/{me}/deactivate',
      also: move('deactivate', 'User', '{me}', 'status'),
      answer: { status: 200, data: { status: 'DEACTIVATED' } },
    }),
  ),
  {
    clause: '2.6.6',
    it: 'no user suspends their own account',
    as: 'editor',
    send: 'POST /api/v2/users/me/suspend',
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '2.6.1',
    it: 'an editor who is demoted edits the own posts no longer',
    as: 'viewer',
    given: { mine: post(null)('{viewer}') },
    send: 'PATCH /api/v2/posts/{mine}',
    body: { title: 'New' },
    also: updateTwin('Post', '{mine}', { title: 'New' }),
    answer: { status: 403, code: 'FORBIDDEN' },
  },
])

const lastAdmin = (it: string, row: Partial<Row>): Row => ({
  clause: '2.6.7',
  it,
  as: 'admin',
  ...row,
  answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'The last active admin must stay one.' },
  then: [{ send: 'GET /api/v2/users/{admin}', answer: { status: 200, data: { role: 'ADMIN', status: 'ACTIVE' } } }],
})
const second = (status: string) => ({ second: { User: { name: 'Second', role: 'ADMIN', status } } })

clauses('2.6 Roles: the last active admin', [
  lastAdmin('cannot be suspended', {
    send: 'POST /api/v2/users/{admin}/suspend',
    also: move('suspend', 'User', '{admin}', 'id'),
  }),
  lastAdmin('cannot be deactivated', {
    send: 'POST /api/v2/users/me/deactivate',
    also: move('deactivate', 'User', '{admin}', 'id'),
  }),
  lastAdmin('cannot be demoted', {
    send: 'PATCH /api/v2/users/{admin}',
    body: { role: 'EDITOR' },
    also: updateTwin('User', '{admin}', { role: 'EDITOR' }),
  }),
  lastAdmin('cannot be demoted by PUT', {
    send: 'PUT /api/v2/users/{admin}',
    body: { name: 'Admin', role: 'VIEWER' },
  }),
  lastAdmin('cannot be deleted', {
    send: 'DELETE /api/v2/users/{admin}',
    also: move('delete', 'User', '{admin}'),
  }),
  lastAdmin('cannot be suspended where another admin is suspended', {
    given: second('SUSPENDED'),
    send: 'POST /api/v2/users/{admin}/suspend',
    also: move('suspend', 'User', '{admin}', 'id'),
  }),
  {
    clause: '2.6.7',
    it: 'one of two active admins can be suspended, by the other',
    as: 'admin',
    given: second('ACTIVE'),
    send: 'POST /api/v2/users/{second}/suspend',
    also: move('suspend', 'User', '{second}', 'status'),
    answer: { status: 200, data: { status: 'SUSPENDED' } },
  },
])

test('every action that the service has stands in the tables of roles', () => {
  const actions = compileModel(api).resources.flatMap((resource) =>
    [...resource.actions.values()]
      // What only the clock does is open to no role.
      .filter(({ name, allow }) => name !== 'read' && allow.rule !== 'nobody')
      .map(({ name }) => `${resource.name}.${name}`),
  )
  assert.deepEqual(Object.keys({ ...lines, ...creates }).sort(), actions.sort())
})
