// States: every move from every state, allowed or refused, and what a move does beside moving.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clauses, type Row } from '../support/rows/clauses.ts'
import type { Recipe } from '../support/rows/fixtures.ts'
import { actionTwin, answering, createTwin } from '../support/rows/graphql-question.ts'
import { withService } from '../support/server/service.ts'
import type { Clause } from './contract.ts'

interface Machine {
  readonly clause: Clause
  readonly type: string
  readonly in: (state: string) => Recipe
  readonly field: string
  readonly states: readonly string[]
  readonly moves: Readonly<Record<string, { readonly from: readonly string[]; readonly to: unknown }>>
}

const machines: readonly Machine[] = [
  {
    clause: '3.2.1',
    type: 'User',
    in: (status) => ({ User: { name: 'Somebody', status } }),
    field: 'status',
    states: ['ACTIVE', 'SUSPENDED', 'DEACTIVATED'],
    moves: {
      suspend: { from: ['ACTIVE'], to: 'SUSPENDED' },
      reactivate: { from: ['SUSPENDED'], to: 'ACTIVE' },
      deactivate: { from: ['ACTIVE', 'SUSPENDED'], to: 'DEACTIVATED' },
    },
  },
  {
    clause: '3.2.2',
    type: 'Article',
    in: (status) => ({ Article: { title: 'T', body: 'B', author: '{editor}', status } }),
    field: 'status',
    states: ['draft', 'in_review', 'published', 'archived'],
    moves: {
      submit: { from: ['draft'], to: 'in_review' },
      reject: { from: ['in_review'], to: 'draft' },
      publish: { from: ['in_review'], to: 'published' },
      archive: { from: ['published'], to: 'archived' },
    },
  },
  {
    clause: '3.2.3',
    type: 'Order',
    in: (status) => ({
      Order: {
        user: '{viewer}',
        status,
        items: [{ product: '{product}', quantity: 1, unitPrice: 5 }],
        total: 5,
        currency: 'EUR',
      },
    }),
    field: 'status',
    states: ['pending', 'paid', 'cancelled'],
    moves: { pay: { from: ['pending'], to: 'paid' }, cancel: { from: ['pending', 'paid'], to: 'cancelled' } },
  },
  {
    clause: '3.2.4',
    type: 'Post',
    in: (state) => ({
      Post: { title: 'T', content: 'C', author: '{editor}', publishedAt: state === 'published' ? new Date(0) : null },
    }),
    field: 'publishedAt',
    states: ['draft', 'published'],
    moves: {
      publish: { from: ['draft'], to: /^2026-11-20T/ },
      unpublish: { from: ['published'], to: null },
    },
  },
]

const snake = (field: string) => (field === 'publishedAt' ? 'published_at' : field)

const moves = machines.flatMap(({ clause, type, in: inState, field, states, moves }) =>
  Object.entries(moves).flatMap(([action, { from, to }]) =>
    states.map((state): Row => {
      const isAllowed = from.includes(state)
      const path = `/api/v2/${type.toLowerCase()}s/{it}`
      const reason = (name: string) =>
        new RegExp(`^To ${action} it, ${name} must .*; it is${type === 'Post' ? '( not)?' : ` ${state}`}\\.$`)
      const unmoved = type === 'Post' ? (state === 'draft' ? null : '1970-01-01T00:00:00.000Z') : state
      return {
        clause,
        it: `${action} ${type} from ${state} ${isAllowed ? 'moves' : 'is 409'}`,
        as: 'admin',
        given: { it: inState(state) },
        send: `POST ${path}/${action}`,
        also: answering(actionTwin(action, type, '{it}', `id ${field}`), isAllowed ? {} : { message: reason(field) }),
        answer: isAllowed
          ? { status: 200, data: { id: '{it}', [snake(field)]: to } }
          : // The sentence names the state that the record is in.
            {
              status: 409,
              code: 'CONFLICT',
              message: reason(snake(field)),
            },
        then: [
          {
            as: 'admin',
            send: `GET ${path}`,
            answer: {
              status: 200,
              data: { [snake(field)]: isAllowed ? to : unmoved },
              headers: { ETag: isAllowed ? /^"2\./ : /^"1\./ },
            },
          },
        ],
      }
    }),
  ),
)

const stock = (left: number, product = 'product') =>
  ({ send: `GET /api/v2/products/{${product}}`, answer: { status: 200, data: { stock: left } } }) as const
const buy = (quantity: number, product = 'product') => ({ items: [{ product_id: `{${product}}`, quantity }] })
const signIn = (email: string) =>
  ({ send: 'POST /auth/login', body: { email, password: 'correct horse battery staple' } }) as const

clauses('3.2 States', [
  ...moves,
  ...machines.map(
    ({ type, in: inState, states, moves }): Row => ({
      clause: '3.1.2',
      it: `a move of ${type} takes no fields`,
      as: 'admin',
      given: { it: inState(Object.values(moves)[0]!.from[0] ?? states[0]!) },
      send: `POST /api/v2/${type.toLowerCase()}s/{it}/${Object.keys(moves)[0]}`,
      body: { status: 'x' },
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'status' },
    }),
  ),
  {
    clause: '3.1.1',
    it: 'a move takes an empty object, and no body at all',
    as: 'editor',
    send: 'POST /api/v2/posts/{draft}/publish',
    body: {},
    answer: { status: 200, data: { id: '{draft}' } },
  },
  {
    clause: '3.1.2',
    it: 'a move that there is not is 404',
    as: 'admin',
    send: 'POST /api/v2/posts/{draft}/archive',
    also: { query: 'mutation { archivePost(id: "{draft}") { id } }', answer: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '3.1.2',
    it: 'GET of a move is 405',
    as: 'admin',
    send: 'GET /api/v2/posts/{draft}/publish',
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { Allow: 'POST, OPTIONS' } },
  },
  {
    clause: '3.3.1',
    it: 'a new order is pending and takes its stock',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: buy(3),
    also: createTwin('Order', buy(3), 'status total'),
    answer: { status: 201, data: { status: 'pending', total: 1500 } },
    then: [stock(7)],
  },
  {
    clause: '3.3.1',
    it: 'two items of one product take their sum',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: { items: [...buy(4).items, ...buy(5).items] },
    answer: { status: 201, data: { total: 4500 } },
    then: [stock(1)],
  },
  {
    clause: '3.3.2',
    it: 'exactly what is left can be bought',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: buy(10),
    also: createTwin('Order', buy(10)),
    answer: { status: 201 },
    then: [stock(0)],
  },
  {
    clause: '3.3.2',
    it: 'too little stock is 422, and takes nothing',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: { items: [...buy(1).items, ...buy(2, 'last product').items] },
    also: createTwin('Order', { items: [...buy(1).items, ...buy(2, 'last product').items] }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'Not enough of a product is in stock.' },
    then: [stock(10), stock(1, 'last product')],
  },
  {
    clause: '3.3.2',
    it: 'two items of one product that are too much together are 422',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: { items: [...buy(6).items, ...buy(5).items] },
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' },
    then: [stock(10)],
  },
  ...(['pending order', 'paid order'] as const).map(
    (order): Row => ({
      clause: '3.3.3',
      it: `cancelling a ${order} returns its stock`,
      as: 'viewer',
      send: `POST /api/v2/orders/{${order}}/cancel`,
      also: actionTwin('cancel', 'Order', `{${order}}`, 'status'),
      answer: { status: 200, data: { status: 'cancelled' } },
      then: [stock(12)],
    }),
  ),
  {
    clause: '3.3.3',
    it: 'a cancelled order returns its stock once',
    as: 'viewer',
    first: [{ as: 'viewer', send: 'POST /api/v2/orders/{paid order}/cancel' }],
    send: 'POST /api/v2/orders/{paid order}/cancel',
    also: actionTwin('cancel', 'Order', '{paid order}', 'status'),
    answer: { status: 409, code: 'CONFLICT', message: /cancelled/ },
    then: [stock(12)],
  },
  {
    clause: '3.3.3',
    it: 'an order whose product was deleted can still be cancelled',
    as: 'viewer',
    first: [
      { as: 'viewer', send: 'GET /api/v2/orders/{paid order}' },
      { as: 'admin', send: 'DELETE /api/v2/products/{product}' },
    ],
    send: 'POST /api/v2/orders/{paid order}/cancel',
    also: actionTwin('cancel', 'Order', '{paid order}', 'status'),
    answer: { status: 200, data: { status: 'cancelled' } },
  },
  {
    clause: '3.3.3',
    it: 'stock that would return to more than an integer holds is 422',
    as: 'viewer',
    given: {
      product: { Product: { name: 'P', category: 'c', price: 1, currency: 'EUR', stock: 2_147_483_646 } },
    },
    send: 'POST /api/v2/orders/{paid order}/cancel',
    also: actionTwin('cancel', 'Order', '{paid order}', 'status'),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' },
    then: [
      { as: 'viewer', send: 'GET /api/v2/orders/{paid order}', answer: { status: 200, data: { status: 'paid' } } },
    ],
  },
  {
    clause: '3.3.1',
    it: 'a product that is not there cannot be bought',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: { items: [...buy(1).items, { product_id: 'prod_00000000000000000000000000', quantity: 1 }] },
    also: createTwin('Order', {
      items: [...buy(1).items, { product_id: 'prod_00000000000000000000000000', quantity: 1 }],
    }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'items[1].product_id' },
    then: [stock(10)],
  },
  {
    clause: '3.4.1',
    it: 'a user who is suspended cannot log in',
    as: 'admin',
    given: { person: { User: { name: 'P', email: '{unique}@example.com' } } },
    first: [{ as: 'admin', send: 'GET /api/v2/users/{person}', keep: { email: 'body.data.email' } }],
    send: 'POST /api/v2/users/{person}/suspend',
    answer: { status: 200 },
    then: [{ ...signIn('{email}'), answer: { status: 401, code: 'INVALID_CREDENTIALS' } }],
  },
  {
    clause: '3.4.1',
    it: 'a user who is reactivated can log in again',
    as: 'admin',
    given: { person: { User: { name: 'P', status: 'SUSPENDED' } } },
    first: [{ as: 'admin', send: 'GET /api/v2/users/{person}', keep: { email: 'body.data.email' } }],
    send: 'POST /api/v2/users/{person}/reactivate',
    answer: { status: 200 },
    then: [{ ...signIn('{email}'), answer: { status: 200 } }],
  },
  ...(['suspend', 'deactivate'] as const).map(
    (action): Row => ({
      clause: '3.4.1',
      it: `${action} ends every refresh token`,
      as: 'admin',
      given: { person: { User: { name: 'P' } } },
      first: [
        { as: 'admin', send: 'GET /api/v2/users/{person}', keep: { email: 'body.data.email' } },
        { ...signIn('{email}'), keep: { refresh: 'body.refresh_token' } },
      ],
      send: `POST /api/v2/users/{person}/${action}`,
      also: actionTwin(action, 'User', '{person}', 'id'),
      answer: { status: 200 },
      then: [
        {
          send: 'POST /auth/refresh',
          body: { refresh_token: '{refresh}' },
          answer: { status: 401, code: 'INVALID_TOKEN' },
        },
      ],
    }),
  ),
  ...(
    [
      ['suspension', { as: 'admin', send: 'POST /api/v2/users/{person}/suspend' }],
      ['deactivation', { as: 'admin', send: 'POST /api/v2/users/{person}/deactivate' }],
      ['deletion', { as: 'admin', send: 'DELETE /api/v2/users/{person}' }],
      ['a change of role', { as: 'admin', send: 'PATCH /api/v2/users/{person}', body: { role: 'EDITOR' } }],
    ] as const
  ).map(
    ([what, step]): Row => ({
      clause: '3.4.2',
      it: `${what} refuses every earlier access token`,
      given: { person: { User: { name: 'P' } } },
      as: '{person}',
      first: [{ as: '{person}', send: 'GET /api/v2/users/me' }, step],
      send: 'GET /api/v2/users/me',
      also: '{ me { id } }',
      answer: { status: 401, code: 'INVALID_TOKEN' },
    }),
  ),
])

withService('3.3 Orders, all at once', (service) => {
  test('3.3.2 of fifty buyers of the last ten pieces, ten buy them', async () => {
    const fixtures = service().fixtures()
    const buyers = Array.from({ length: 50 }, () =>
      service().send('POST /api/v2/orders', { as: 'viewer', fixtures, body: buy(1) }),
    )
    const statuses = (await Promise.all(buyers)).map((each) => each.status)
    const count = (status: number) => statuses.filter((each) => each === status).length
    assert.deepEqual([count(201), count(422)], [10, 40])
    const { body } = await service().send('GET /api/v2/products/{product}', { fixtures })
    assert.equal(body.data.stock, 0)
    service().assertLog()
  })

  test('3.3.3 of twenty cancellations of one order, one returns its stock', async () => {
    const fixtures = service().fixtures()
    await fixtures.idOf('paid order')
    const all = Array.from({ length: 20 }, () =>
      service().send('POST /api/v2/orders/{paid order}/cancel', { as: 'viewer', fixtures }),
    )
    const statuses = (await Promise.all(all)).map((each) => each.status).sort()
    assert.deepEqual(statuses, [200, ...Array(19).fill(409)])
    const { body } = await service().send('GET /api/v2/products/{product}', { fixtures })
    assert.equal(body.data.stock, 12)
    service().assertLog()
  })
})
