// What can be done with each resource, and what hangs below a record.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { actionTwin, createTwin } from '../support/rows/graphql-question.ts'
import { ids, posts } from '../support/rows/list.ts'
import type { Caller } from '../support/server/service.ts'

const follow = (as: Caller, action = 'follow') => ({ as, send: `POST /api/v2/users/{member}/${action}` }) as const
const notAllowed = (method: string, path: string, allow: string, body?: unknown): Row => ({
  clause: /^(orders|webhook-deliveries)/.test(path) ? '2.4.2' : '2.4.1',
  it: `${method} ${path} is not there`,
  as: 'admin',
  send: `${method} /api/v2/${path}`,
  ...(body === undefined ? {} : { body }),
  answer: { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { Allow: allow } },
})
const one = 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'

clauses('2.4 Methods and relations', [
  notAllowed('POST', 'users/batch', one, { users: [] }),
  notAllowed('PATCH', 'users', 'GET, HEAD, POST, QUERY, OPTIONS', { ids: [] }),
  notAllowed('PUT', 'orders/{pending order}', 'GET, HEAD, OPTIONS', {}),
  notAllowed('PATCH', 'orders/{pending order}', 'GET, HEAD, OPTIONS', {}),
  notAllowed('DELETE', 'orders/{pending order}', 'GET, HEAD, OPTIONS'),
  notAllowed('PATCH', 'orders', 'GET, HEAD, POST, QUERY, OPTIONS', { ids: [] }),
  notAllowed('POST', 'webhooks/batch', one, { webhooks: [] }),
  notAllowed('PATCH', 'webhooks', 'GET, HEAD, POST, QUERY, OPTIONS', { ids: [] }),
  notAllowed('POST', 'webhook-deliveries', 'GET, HEAD, QUERY, OPTIONS', {}),
  notAllowed('PATCH', 'webhook-deliveries/whd_1', 'GET, HEAD, OPTIONS', {}),
  notAllowed('DELETE', 'webhook-deliveries/whd_1', 'GET, HEAD, OPTIONS'),
  {
    clause: '2.4.1',
    it: 'GraphQL has neither createUsers nor updateUsers',
    as: 'admin',
    also: '{ __type(name: "Mutation") { fields { name } } }',
    answer: {
      status: 200,
      body: {
        data: (data: { __type: { fields: { name: string }[] } }) => {
          const names = data.__type.fields.map((each) => each.name)
          return names.includes('createPosts') && !names.includes('createUsers') && !names.includes('updateUsers')
        },
      },
    },
  },
  {
    clause: '2.4.2',
    it: 'orders are paid and cancelled, and GraphQL does not update them',
    as: 'viewer',
    send: 'POST /api/v2/orders/{pending order}/pay',
    also: actionTwin('pay', 'Order', '{pending order}', 'status'),
    answer: { status: 200, data: { status: 'paid' } },
    then: [
      {
        as: 'viewer',
        also: 'mutation { updateOrder(id: "{pending order}") { id } }',
        answer: { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ],
  },
  {
    clause: '2.4.3',
    it: 'every relation leads where it says',
    as: 'viewer',
    given: { 'own comment': { Comment: { post: '{post}', author: '{viewer}', content: 'C' } } },
    also: `{ comment(id: "{own comment}") { post { id comments { id } author { id } } author { id } } }`,
    answer: {
      status: 200,
      body: {
        data: {
          comment: {
            post: { id: '{post}', comments: [{ id: '{own comment}' }], author: { id: '{editor}' } },
            author: { id: '{viewer}' },
          },
        },
      },
    },
    then: [
      {
        also: '{ article(id: "{published article}") { author { id } } }',
        answer: { status: 200, data: { author_id: '{editor}' } },
      },
      {
        as: 'viewer',
        also: '{ order(id: "{pending order}") { user { id } } }',
        answer: { status: 200, data: { user_id: '{viewer}' } },
      },
    ],
  },
  {
    clause: '2.4.3',
    it: 'followers and following are two ends of one',
    first: [follow('{writer}')],
    also: '{ user(id: "{member}") { followers { id following { id } } following { id } } }',
    answer: {
      status: 200,
      body: { data: { user: { followers: [{ id: '{writer}', following: [{ id: '{member}' }] }], following: [] } } },
    },
  },
  {
    clause: '2.4.4',
    it: '/users/{id}/posts',
    given: posts,
    as: 'admin',
    send: 'GET /api/v2/users/{writer}/posts?sort=title',
    answer: { status: 200, data: ids('a', 'b'), meta: { total: 2 } },
  },
  {
    clause: '2.4.4',
    it: '/users/{id}/followers, with the newest user first',
    first: [follow('{writer}'), follow('viewer')],
    given: { writer: { User: { name: 'W' } } },
    send: 'GET /api/v2/users/{member}/followers',
    answer: { status: 200, data: ids('writer', 'viewer'), meta: { total: 2 } },
  },
  {
    clause: '2.4.4',
    it: '/posts/{id}/comments, narrowed by a filter',
    given: {
      mine: { Comment: { post: '{post}', author: '{viewer}', content: 'C' } },
      theirs: { Comment: { post: '{post}', author: '{editor}', content: 'C' } },
    },
    send: 'GET /api/v2/posts/{post}/comments?author_id={editor}',
    answer: { status: 200, data: ids('theirs'), meta: { total: 1 } },
  },
  {
    clause: '2.4.4',
    it: 'the lists of a user who is not there are not there',
    send: 'GET /api/v2/users/usr_00000000000000000000000000/posts',
    answer: { status: 404, code: 'USER_NOT_FOUND' },
  },
  {
    clause: '2.4.4',
    it: 'nothing hangs deeper than that',
    send: 'GET /api/v2/users/{editor}/posts/{other post}',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '2.4.5',
    it: 'follow answers the user that is followed',
    as: 'viewer',
    send: 'POST /api/v2/users/{member}/follow',
    also: actionTwin('follow', 'User', '{member}', 'id name'),
    answer: { status: 200, data: { id: '{member}', name: 'Member' } },
    then: [{ send: 'GET /api/v2/users/{member}/followers', answer: { status: 200, data: ids('viewer') } }],
  },
  {
    clause: '2.4.5',
    it: 'follow again is 200 and follows once',
    as: 'viewer',
    first: [follow('viewer')],
    send: 'POST /api/v2/users/{member}/follow',
    also: actionTwin('follow', 'User', '{member}', 'id'),
    answer: { status: 200, data: { id: '{member}' } },
    then: [
      {
        send: 'GET /api/v2/users/{member}/followers',
        answer: { status: 200, data: ids('viewer'), meta: { total: 1 } },
      },
    ],
  },
  {
    clause: '2.4.5',
    it: 'unfollow ends it',
    as: 'viewer',
    first: [follow('viewer'), follow('editor')],
    send: 'POST /api/v2/users/{member}/unfollow',
    also: actionTwin('unfollow', 'User', '{member}', 'id'),
    answer: { status: 200, data: { id: '{member}' } },
    then: [{ send: 'GET /api/v2/users/{member}/followers', answer: { status: 200, data: ids('editor') } }],
  },
  {
    clause: '2.4.5',
    it: 'unfollow of a user who is not followed is 200',
    as: 'viewer',
    send: 'POST /api/v2/users/{member}/unfollow',
    also: actionTwin('unfollow', 'User', '{member}', 'id'),
    answer: { status: 200, data: { id: '{member}' } },
  },
  ...['follow', 'unfollow'].map(
    (action): Row => ({
      clause: '2.4.6',
      it: `${action} oneself is 422`,
      as: 'viewer',
      send: `POST /api/v2/users/{viewer}/${action}`,
      also: actionTwin(action, 'User', '{viewer}', 'id'),
      answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'You cannot follow yourself.' },
    }),
  ),
  {
    clause: '2.4.7',
    it: 'me is the caller',
    as: 'editor',
    send: 'GET /api/v2/users/me',
    also: '{ me { id email role } }',
    answer: { status: 200, data: { id: '{editor}', email: 'editor@example.com', role: 'EDITOR' } },
  },
  {
    clause: '2.4.7',
    it: 'me is 401 where the caller is anonymous',
    send: 'GET /api/v2/users/me',
    also: { query: '{ me { id } }', answer: { path: ['me'], body: { data: { me: null } } } },
    answer: { status: 401, code: 'UNAUTHENTICATED' },
  },
  {
    clause: '2.4.7',
    it: 'me leads to the lists of the caller',
    as: '{writer}',
    given: posts,
    send: 'GET /api/v2/users/me/posts',
    also: { query: '{ me { posts { id } } }', answer: { data: { posts: ids('b', 'a') } } },
    answer: { status: 200, data: ids('b', 'a') },
  },
  {
    clause: '2.2.7',
    it: 'an order total over 2,147,483,647 is 422',
    as: 'viewer',
    given: { gold: { Product: { name: 'Gold', category: 'c', price: 2_147_483_647, currency: 'EUR', stock: 5 } } },
    send: 'POST /api/v2/orders',
    body: { items: [{ product_id: '{gold}', quantity: 2 }] },
    also: createTwin('Order', { items: [{ product_id: '{gold}', quantity: 2 }] }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' },
    then: [{ send: 'GET /api/v2/products/{gold}', answer: { status: 200, data: { stock: 5 } } }],
  },
  {
    clause: '2.2.7',
    it: 'an order total of exactly 2,147,483,647 is fine',
    as: 'viewer',
    given: { gold: { Product: { name: 'Gold', category: 'c', price: 2_147_483_647, currency: 'EUR', stock: 5 } } },
    send: 'POST /api/v2/orders',
    body: { items: [{ product_id: '{gold}', quantity: 1 }] },
    also: createTwin('Order', { items: [{ product_id: '{gold}', quantity: 1 }] }, 'total'),
    answer: { status: 201, data: { total: 2_147_483_647 } },
  },
  {
    clause: '2.2.9',
    it: 'two currencies in one order are 422',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: {
      items: [
        { product_id: '{product}', quantity: 1 },
        { product_id: '{dollar product}', quantity: 1 },
      ],
    },
    also: createTwin('Order', {
      items: [
        { product_id: '{product}', quantity: 1 },
        { product_id: '{dollar product}', quantity: 1 },
      ],
    }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: 'All items must have one currency.' },
    then: [{ send: 'GET /api/v2/products/{product}', answer: { status: 200, data: { stock: 10 } } }],
  },
])
