// Who may read what, alone and in lists, through REST and through GraphQL.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { camel, createTwin } from '../support/rows/graphql-question.ts'
import type { ActorName, Caller } from '../support/server/service.ts'
import type { Clause } from './contract.ts'

const everybody: readonly Caller[] = ['anonymous', 'viewer', 'other viewer', 'editor', 'other editor', 'admin']

interface Visibility {
  readonly clause: Clause
  readonly type: string
  readonly path: string
  readonly id: string
  readonly by: readonly Caller[]
}
const visibility = (clause: Clause, type: string, path: string, id: string, by: readonly Caller[]): Visibility => ({
  clause,
  type,
  path,
  id,
  by,
})
const editors: readonly Caller[] = ['editor', 'other editor', 'admin']

/** Records, and exactly who may read them. */
const visibilities: readonly Visibility[] = [
  visibility('2.7.1', 'User', 'users', '{member}', everybody),
  visibility('2.7.1', 'User', 'users', '{suspended}', everybody),
  visibility('2.7.3', 'Post', 'posts', '{post}', everybody),
  visibility('2.7.3', 'Post', 'posts', '{draft}', editors),
  visibility('2.7.3', 'Post', 'posts', '{draft of viewer}', ['viewer', ...editors]),
  visibility('2.7.4', 'Comment', 'comments', '{comment}', everybody),
  visibility('2.7.4', 'Comment', 'comments', '{hidden comment}', editors),
  visibility('2.7.4', 'Comment', 'comments', '{comment on draft of viewer}', ['viewer', ...editors]),
  visibility('2.7.5', 'Article', 'articles', '{published article}', everybody),
  ...['{draft article}', '{in_review article}', '{archived article}'].map((id) =>
    visibility('2.7.5', 'Article', 'articles', id, editors),
  ),
  visibility('2.7.5', 'Article', 'articles', '{article of viewer}', ['viewer', ...editors]),
  visibility('2.7.6', 'Product', 'products', '{product}', everybody),
  visibility('2.7.7', 'Order', 'orders', '{pending order}', ['viewer', 'admin']),
  visibility('2.7.7', 'Order', 'orders', '{other order}', ['other viewer', 'admin']),
]

/** Written while their author was an editor, who is none any more. */
const given = {
  'draft of viewer': { Post: { title: 'Mine', content: 'C', author: '{viewer}' } },
  'comment on draft of viewer': { Comment: { post: '{draft of viewer}', author: '{editor}', content: 'C' } },
  'article of viewer': { Article: { title: 'Mine', body: 'B', author: '{viewer}', status: 'draft' } },
}

const alone = visibilities.flatMap(({ clause, type, path, id, by }) =>
  everybody.map((as): Row => {
    const isAllowed = by.includes(as)
    const signsIn = type === 'Order' && as === 'anonymous'
    const code = signsIn ? 'UNAUTHENTICATED' : type === 'User' ? 'USER_NOT_FOUND' : 'NOT_FOUND'
    return {
      clause,
      it: `${id} is ${isAllowed ? 'there' : 'not there'} for ${as}`,
      as,
      ...(id.includes('of viewer') ? { given } : {}),
      send: `GET /api/v2/${path}/${id}`,
      also: `{ ${camel(type.charAt(0).toLowerCase() + type.slice(1))}(id: "${id}") { id } }`,
      answer: isAllowed ? { status: 200, data: { id } } : { status: signsIn ? 401 : 404, code },
    }
  }),
)
clauses('2.7 Reading one record', alone)

/** Lists with one hidden and one visible record in them: who sees how many. */
const listed: readonly [Clause, string, string, string, Readonly<Record<string, number>>][] = [
  [
    '2.7.3',
    'posts',
    'author_id={writer}',
    'authorId: "{writer}"',
    { anonymous: 1, viewer: 1, '{writer}': 2, editor: 2, admin: 2 },
  ],
  [
    '2.7.5',
    'articles',
    'author_id={writer}',
    'authorId: "{writer}"',
    { anonymous: 1, viewer: 1, '{writer}': 4, editor: 4, admin: 4 },
  ],
  [
    '2.7.4',
    'comments',
    'author_id={writer}',
    'authorId: "{writer}"',
    { anonymous: 1, viewer: 1, '{writer}': 2, editor: 2, admin: 2 },
  ],
  [
    '2.7.7',
    'orders',
    'product_id={product}',
    'productId: "{product}"',
    { viewer: 1, 'other viewer': 1, editor: 0, admin: 2 },
  ],
]
const item = { product: '{product}', quantity: 1, unitPrice: 500 }
const order = { items: [item], total: 500, currency: 'EUR' }
const ofWriter = {
  shown: { Post: { title: 'A', content: 'C', author: '{writer}', publishedAt: new Date(0) } },
  hidden: { Post: { title: 'B', content: 'C', author: '{writer}' } },
  'on shown': { Comment: { post: '{shown}', author: '{writer}', content: 'C' } },
  'on hidden': { Comment: { post: '{hidden}', author: '{writer}', content: 'C' } },
  ...Object.fromEntries(
    ['draft', 'in_review', 'published', 'archived'].map((status) => [
      `${status} of writer`,
      { Article: { title: status, body: 'B', author: '{writer}', status } },
    ]),
  ),
  mine: { Order: { ...order, user: '{viewer}' } },
  theirs: { Order: { ...order, user: '{other viewer}' } },
}
const lists = listed.flatMap(([clause, path, query, filter, counts]) =>
  Object.entries(counts).map(([as, count]): Row => {
    const some = Array(count).fill({})
    return {
      clause,
      it: `the list and the count of ${path} have ${count} for ${as}`,
      as: as as Caller,
      given: ofWriter,
      send: `GET /api/v2/${path}?${query}`,
      also: {
        query: `{ ${path}(filter: { ${filter} }) { nodes { id } totalCount } }`,
        answer: { data: some, body: { data: { [path]: { totalCount: count } } } },
      },
      answer: { status: 200, data: some, meta: { total: count, total_pages: count === 0 ? 0 : 1, has_next: false } },
    }
  }),
)
clauses('2.7 Reading lists', [
  ...lists,
  {
    clause: '2.7.7',
    it: 'no caller reads the list of orders without signing in',
    send: 'GET /api/v2/orders',
    also: '{ orders { nodes { id } } }',
    answer: { status: 401, code: 'UNAUTHENTICATED' },
  },
  {
    clause: '2.7.3',
    it: "a user's nested list leaves out what the reader may not see",
    given: ofWriter,
    as: 'viewer',
    send: 'GET /api/v2/users/{writer}/posts',
    also: { query: '{ user(id: "{writer}") { posts { id } } }', answer: { data: { posts: [{ id: '{shown}' }] } } },
    answer: { status: 200, data: [{ id: '{shown}' }], meta: { total: 1 } },
  },
  {
    clause: '2.7.4',
    it: 'the comments of a hidden post are not there',
    as: 'viewer',
    send: 'GET /api/v2/posts/{draft}/comments',
    also: '{ post(id: "{draft}") { comments { id } } }',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
])

const isSecret = { email: undefined, preferences: undefined, email_verified: undefined, password: undefined }
const protectedFields = ['email', 'preferences', 'emailVerified']

/** Through GraphQL, each protected field of a stranger. */
const refusedFields = protectedFields.flatMap((field): Row[] => [
  {
    clause: '2.7.9',
    it: `${field} of a stranger is FORBIDDEN, and null goes up to the user`,
    as: 'viewer',
    also: `{ user(id: "{member}") { id ${field} } }`,
    answer: { status: 200, code: 'FORBIDDEN', path: ['user', field], body: { data: { user: null } } },
  },
  {
    clause: '2.7.9',
    it: `${field} of any user is FORBIDDEN to an anonymous caller`,
    also: `{ user(id: "{member}") { id ${field} } }`,
    answer: { status: 200, code: 'FORBIDDEN', path: ['user', field], body: { data: { user: null } } },
  },
  {
    clause: '2.7.9',
    it: `${field} of an author makes the post null`,
    also: `{ post(id: "{post}") { author { ${field} } } }`,
    answer: { status: 200, code: 'FORBIDDEN', path: ['post', 'author', field], body: { data: { post: null } } },
  },
])

const seesSecrets: readonly [ActorName, string, boolean][] = [
  ['viewer', '{viewer}', true],
  ['viewer', '{other viewer}', false],
  ['viewer', '{admin}', false],
  ['editor', '{editor}', true],
  ['editor', '{viewer}', false],
  ['admin', '{admin}', true],
  ['admin', '{viewer}', true],
  ['admin', '{suspended}', true],
]

clauses('2.7 Reading fields', [
  ...seesSecrets.map(
    ([as, id, isAllowed]): Row => ({
      clause: '2.7.2',
      it: `${as} ${isAllowed ? 'reads' : 'does not read'} email, preferences and email_verified of ${id}`,
      as,
      send: `GET /api/v2/users/${id}`,
      ...(isAllowed ? { also: `{ user(id: "${id}") { email preferences emailVerified } }` } : {}),
      answer: {
        status: 200,
        data: isAllowed
          ? {
              email: /^[a-z.\d]+@example\.com$/,
              preferences: {},
              email_verified: (value: unknown) => typeof value === 'boolean',
            }
          : isSecret,
      },
    }),
  ),
  {
    clause: '2.7.2',
    it: 'no caller reads a password, not even their own',
    as: 'admin',
    send: 'GET /api/v2/users/me?fields=password',
    also: { query: '{ me { password } }', answer: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'fields' },
  },
  {
    clause: '2.7.8',
    it: 'REST leaves out of a list what the reader may not see, user by user',
    as: '{member}',
    given: { member: { User: { name: '{unique}' } } },
    first: [{ as: '{member}', send: 'POST /api/v2/users/{editor}/follow' }],
    send: 'GET /api/v2/users/{editor}/followers?limit=1',
    answer: { status: 200, data: [{ id: '{member}', email: /@/, preferences: {} }] },
    then: [
      {
        as: 'viewer',
        send: 'GET /api/v2/users/{editor}/followers?limit=1',
        answer: { status: 200, data: [{ id: '{member}', ...isSecret }] },
      },
    ],
  },
  {
    clause: '2.7.8',
    it: 'REST leaves out a field that was requested by name, without a word',
    as: 'viewer',
    send: 'GET /api/v2/users/{member}?fields=name,email',
    answer: { status: 200, body: { data: (data: object) => JSON.stringify(data) === '{"name":"Member"}' } },
  },
  ...refusedFields,
  {
    clause: '2.7.9',
    it: 'a list whose records may not be null is one region with one error, the first in document and list order',
    as: 'viewer',
    given: { p: { Post: { title: 'A', content: 'C', author: '{writer}', publishedAt: new Date(0) } } },
    also: '{ post(id: "{p}") { comments { id } author { preferences email } } }',
    answer: { status: 200, code: 'FORBIDDEN', path: ['post', 'author', 'preferences'], body: { data: { post: null } } },
  },
  {
    clause: '2.7.9',
    it: 'what stands beside the region stays',
    as: 'viewer',
    also: '{ a: user(id: "{viewer}") { email } b: user(id: "{editor}") { email } c: user(id: "{editor}") { name } }',
    answer: {
      status: 200,
      code: 'FORBIDDEN',
      path: ['b', 'email'],
      body: { data: { a: { email: 'viewer@example.com' }, b: null, c: { name: 'Editor' } } },
    },
  },
  {
    clause: '2.7.9',
    it: 'null goes up to data itself where nothing on the way may be null',
    as: 'viewer',
    given: { member: { User: { name: 'M' } } },
    first: [{ as: '{member}', send: 'POST /api/v2/users/{viewer}/follow' }],
    also: '{ userList(limit: 2) { id email } }',
    answer: { status: 200, code: 'FORBIDDEN', path: ['userList', 0, 'email'], body: { data: null } },
  },
  {
    clause: '2.7.10',
    it: 'in the answer to sign-up the new user is its own reader',
    send: 'POST /api/v2/users',
    body: { name: 'New', email: '{unique}@example.com', password: 'long enough' },
    also: createTwin(
      'User',
      { name: 'New', email: '{unique}@example.com', password: 'long enough' },
      'email preferences emailVerified',
    ),
    answer: { status: 201, data: { email: /^n\d+@example\.com$/, preferences: {}, email_verified: false } },
  },
  {
    clause: '2.7.10',
    it: 'it is also where another user was signed in',
    as: 'viewer',
    send: 'POST /api/v2/users',
    body: { name: 'New', email: '{unique}@example.com', password: 'long enough' },
    also: createTwin(
      'User',
      { name: 'New', email: '{unique}@example.com', password: 'long enough' },
      'email preferences emailVerified',
    ),
    answer: { status: 201, data: { email: /^n\d+@example\.com$/, preferences: {}, email_verified: false } },
  },
])
