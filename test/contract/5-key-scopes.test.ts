// Scopes of API keys: what each lets its key do, what no key ever may, and who gives which. (contract 5.3)

import { made, make, row, withKey } from '../support/rows/api-key.ts'
import { clauses, type Expected } from '../support/rows/clauses.ts'
import { updateTwin } from '../support/rows/graphql-question.ts'

const lacking = (scope: string): Expected => ({
  status: 403,
  code: 'INSUFFICIENT_SCOPE',
  message: `This needs the scope ${scope}.`,
  headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
})

clauses('5.3 Keys and their scopes', [
  row(
    'read:posts reads posts',
    { first: [made(['read:posts'])], send: 'GET /api/v2/posts', headers: withKey, answer: { status: 200 } },
    '5.3.6',
  ),
  row(
    'and makes none',
    {
      first: [made(['read:posts'])],
      send: 'POST /api/v2/posts',
      headers: withKey,
      body: {},
      answer: lacking('create:posts'),
    },
    '5.3.6',
  ),
  row(
    'nor reads anything else, be it public',
    { first: [made(['read:posts'])], send: 'GET /api/v2/products', headers: withKey, answer: lacking('read:products') },
    '5.3.6',
  ),
  row(
    'read:* reads everything',
    { first: [made(['read:*'])], send: 'GET /api/v2/products', headers: withKey, answer: { status: 200 } },
    '5.3.6',
  ),
  row(
    'read:* writes nothing',
    {
      first: [made(['read:*'])],
      send: 'DELETE /api/v2/posts/{post}',
      headers: withKey,
      answer: lacking('delete:posts'),
    },
    '5.3.6',
  ),
  row(
    '* is all that its owner may',
    {
      first: [made(['*'])],
      send: 'POST /api/v2/posts',
      headers: withKey,
      body: { title: 'T', content: 'C' },
      answer: { status: 201, data: { author_id: '{editor}' } },
    },
    '5.3.6',
  ),
  row(
    'and no more',
    {
      first: [made(['*'])],
      send: 'POST /api/v2/products',
      headers: withKey,
      body: {},
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    '5.3.6',
  ),
  row(
    'create:* is no reading',
    { first: [made(['create:*'])], send: 'GET /api/v2/posts', headers: withKey, answer: lacking('read:posts') },
    '5.3.6',
  ),
  row(
    'create:posts does not publish',
    {
      first: [made(['create:posts'])],
      send: 'POST /api/v2/posts',
      headers: withKey,
      body: { title: 'T', content: 'C', publish: true },
      answer: lacking('publish:posts'),
    },
    '5.3.6',
  ),
  row(
    'with both, it does',
    {
      first: [made(['create:posts', 'publish:posts'])],
      send: 'POST /api/v2/posts',
      headers: withKey,
      body: { title: 'T', content: 'C', publish: true },
      answer: { status: 201, data: { published_at: /^2026/ } },
    },
    '5.3.6',
  ),
  row(
    'its owner’s drafts are readable, and no other user’s',
    {
      given: { hers: { Order: { user: '{viewer}', status: 'pending', items: [], total: 0, currency: 'EUR' } } },
      first: [made(['*'])],
      send: 'GET /api/v2/orders/{hers}',
      headers: withKey,
      answer: { status: 404, code: 'NOT_FOUND' },
    },
    '5.3.6',
  ),
  row(
    'a key with every scope changes no record of another user',
    {
      first: [made(['*'])],
      send: 'PATCH /api/v2/posts/{other post}',
      headers: withKey,
      body: { title: 'Mine' },
      also: { ...updateTwin('Post', '{other post}', { title: 'Mine' }), headers: withKey },
      answer: { status: 403, code: 'FORBIDDEN' },
      then: [{ send: 'GET /api/v2/posts/{other post}', answer: { status: 200, data: { title: 'Published' } } }],
    },
    '5.3.6',
  ),
  row(
    'me is its owner',
    {
      first: [made(['read:users'])],
      send: 'GET /api/v2/users/me',
      headers: withKey,
      answer: { status: 200, data: { id: '{editor}', email: 'editor@example.com' } },
    },
    '5.3.6',
  ),

  ...['api-keys', 'sessions'].map((path) =>
    row(
      `reading ${path} needs their scope`,
      { first: [made(['read:posts'])], send: `GET /api/v2/${path}`, headers: withKey, answer: lacking(`read:${path}`) },
      '5.3.7',
    ),
  ),
  ...[
    ['api-keys', '{ apiKeys { nodes { id } } }'],
    ['api-keys/{id}', '{ apiKey(id: "{id}") { id } }'],
    ['sessions', '{ sessionList { id } }'],
    ['sessions/ses_1', '{ session(id: "ses_1") { id } }'],
  ].map(([path, also]) =>
    row(
      `* reads no ${path}`,
      {
        first: [made(['*'])],
        send: `GET /api/v2/${path}`,
        headers: withKey,
        also: { query: also!, headers: withKey },
        answer: {
          status: 403,
          code: 'FORBIDDEN',
          message: 'An API key can neither see nor manage API keys, sessions and webhooks.',
        },
      },
      '5.3.7',
    ),
  ),
  row(
    '* makes no key',
    {
      first: [made(['*'])],
      send: 'POST /api/v2/api-keys',
      headers: withKey,
      body: { name: 'More', scopes: ['*'] },
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    '5.3.7',
  ),
  row(
    '* deletes no key, its own included',
    {
      first: [made(['*'])],
      send: 'DELETE /api/v2/api-keys/{id}',
      headers: withKey,
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    '5.3.7',
  ),
  row(
    '* ends no session',
    {
      first: [made(['*'])],
      send: 'DELETE /api/v2/sessions/ses_1',
      headers: withKey,
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    '5.3.7',
  ),
  ...(['PATCH', 'PUT'] as const).map((method) =>
    row(
      `* of an admin changes no role, by ${method}`,
      {
        first: [{ ...made(['*']), as: 'admin' }],
        send: `${method} /api/v2/users/{member}`,
        headers: withKey,
        body: { name: 'M', role: 'ADMIN' },
        answer: { status: 403, code: 'FORBIDDEN' },
        then: [{ send: 'GET /api/v2/users/{member}', answer: { status: 200, data: { role: 'VIEWER' } } }],
      },
      '5.3.7',
    ),
  ),
  row(
    '* of an admin makes no admin',
    {
      first: [{ ...made(['*']), as: 'admin' }],
      send: 'POST /api/v2/users',
      headers: withKey,
      body: { name: 'N', email: '{unique}@example.com', password: 'long enough', role: 'ADMIN' },
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    '5.3.7',
  ),
  row(
    '* of an admin makes a user',
    {
      first: [{ ...made(['*']), as: 'admin' }],
      send: 'POST /api/v2/users',
      headers: withKey,
      body: { name: 'N', email: '{unique}@example.com', password: 'long enough' },
      answer: { status: 201 },
    },
    '5.3.7',
  ),

  ...(
    [
      ['viewer', 'create:posts'],
      ['viewer', 'read:security-events'],
      ['editor', 'delete:users'],
      ['editor', 'suspend:users'],
      ['editor', 'manage:users'],
    ] as const
  ).map(([as, scope]) =>
    row(
      `${as} gives no key ${scope}`,
      {
        ...make({ scopes: ['read:*', scope] }),
        as,
        answer: { status: 403, code: 'FORBIDDEN', message: `You may not give the scope ${scope}.` },
      },
      '5.3.8',
    ),
  ),
  row(
    'an admin gives any',
    {
      ...make({ scopes: ['suspend:users', 'manage:users', 'read:security-events'] }),
      as: 'admin',
      answer: { status: 201 },
    },
    '5.3.8',
  ),
])
