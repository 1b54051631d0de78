// API keys: what they look like, what ends them, and what they never may. Group G of the security cases.

import { clauses, type Expected, type Preparation, type Row } from '../support/clauses.ts'

const row = (it: string, more: Omit<Row, 'clause' | 'it'>, clause: Row['clause'] = '5 Keys.1'): Row => ({
  clause,
  it,
  ...more,
})
const make = (body: object): Pick<Row, 'as' | 'send' | 'body'> => ({
  as: 'editor',
  send: 'POST /api/v2/api-keys',
  body: { name: 'A key', scopes: ['read:posts'], ...body },
})
const made = (scopes: readonly string[]): Preparation => ({
  ...make({ scopes }),
  keep: { key: 'body.data.key', id: 'body.data.id' },
})
const withKey = { 'X-API-Key': '{key}' }
const invalid = (...fields: readonly string[]): Expected => ({ status: 400, code: 'VALIDATION_ERROR', fields })
const refused: Expected = {
  status: 401,
  code: 'INVALID_CREDENTIALS',
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
}
const lacking = (scope: string): Expected => ({
  status: 403,
  code: 'INSUFFICIENT_SCOPE',
  message: `This needs the scope ${scope}.`,
  headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
})

clauses('5 Keys', [
  row('making one answers it whole, this once', {
    ...make({ expires_at: '2027-01-01T00:00:00.000Z' }),
    answer: {
      status: 201,
      data: {
        id: /^key_/,
        name: 'A key',
        scopes: ['read:posts'],
        prefix: /^duet_[\w-]{7}$/,
        key: /^duet_[\w-]{43}$/,
        expires_at: '2027-01-01T00:00:00.000Z',
        last_used_at: null,
      },
    },
  }),
  row('reading it answers no secret', {
    first: [made(['read:posts'])],
    as: 'editor',
    send: 'GET /api/v2/api-keys/{id}',
    answer: { status: 200, data: { id: '{id}', key: undefined, key_hash: undefined } },
  }),
  row('nor does a replay of its making', {
    first: [{ ...make({}), headers: { 'X-Idempotency-Key': '{word}' } }],
    ...make({}),
    headers: { 'X-Idempotency-Key': '{word}' },
    answer: { status: 200, data: { key: undefined } },
  }),
  ...['other editor', 'admin'].map((as) =>
    row(`${as} finds no key of somebody else`, {
      first: [made(['read:posts'])],
      as: as as 'admin',
      send: 'GET /api/v2/api-keys/{id}',
      also: '{ apiKey(id: "{id}") { id } }',
      answer: { status: 404, code: 'NOT_FOUND' },
    }),
  ),
  row('nor deletes it', {
    first: [made(['read:posts'])],
    as: 'admin',
    send: 'DELETE /api/v2/api-keys/{id}',
    answer: { status: 404, code: 'NOT_FOUND' },
  }),
  ...['PUT', 'PATCH'].map((method) =>
    row(`${method} is no method of keys`, {
      as: 'editor',
      send: `${method} /api/v2/api-keys/key_1`,
      body: {},
      answer: { status: 405, code: 'METHOD_NOT_ALLOWED' },
    }),
  ),

  ...['*', 'read:*', 'read:posts', 'create:api-keys', 'publish:posts', 'publish:*'].map((scope) =>
    row(
      `${scope} is a scope`,
      { ...make({ scopes: [scope] }), answer: { status: 201, data: { scopes: [scope] } } },
      '5 Keys.2',
    ),
  ),
  ...[
    '',
    'read',
    'READ:posts',
    ' read:posts',
    'read:posts ',
    'read:posts:1',
    '*:posts',
    're*:posts',
    'read:po*',
    '**',
    'read:',
    ':posts',
    'read:Posts',
    'read:api_keys',
    5,
    null,
    ['read:posts'],
  ].map((scope) =>
    row(
      `${JSON.stringify(scope)} is none`,
      { ...make({ scopes: ['read:*', scope] }), answer: invalid('scopes[1]') },
      '5 Keys.2',
    ),
  ),
  ...['read:security-event', 'write:posts', 'write:*', 'read:reports', 'reed:*'].map((scope) =>
    row(
      `${scope} is a scope of nothing`,
      {
        ...make({ scopes: ['read:*', scope] }),
        answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'scopes[1]' },
      },
      '5 Keys.2',
    ),
  ),
  row('a key has a scope', { ...make({ scopes: [] }), answer: invalid('scopes') }, '5 Keys.2'),
  row('fifty are enough', { ...make({ scopes: Array(50).fill('read:posts') }), answer: { status: 201 } }, '5 Keys.2'),
  row(
    'one more is too many',
    { ...make({ scopes: Array(51).fill('read:posts') }), answer: invalid('scopes') },
    '5 Keys.2',
  ),
  row(
    'there is nothing else to say',
    {
      ...make({ prefix: 'x', key: 'x', user_id: 'x', last_used_at: null }),
      answer: invalid('prefix', 'key', 'user_id', 'last_used_at'),
    },
    '5 Keys.2',
  ),
  row(
    'it cannot expire in the past',
    { ...make({ expires_at: '2026-11-20T09:29:59.999Z' }), answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' } },
    '5 Keys.3',
  ),

  row(
    'none, where one is needed, is UNAUTHENTICATED',
    { send: 'GET /api/v2/users/me', answer: { status: 401, code: 'UNAUTHENTICATED' } },
    '5 Keys.4',
  ),
  ...['x', '', `duet_${'A'.repeat(43)}`, `duet_${'A'.repeat(42)}B`, '{key}x', '{key}, {key}', 'Bearer {key}'].map(
    (key) =>
      row(
        `${JSON.stringify(key)} is INVALID_CREDENTIALS`,
        { first: [made(['*'])], send: 'GET /api/v2/posts', headers: { 'X-API-Key': key }, answer: refused },
        '5 Keys.4',
      ),
  ),
  row(
    'it is not read from the address',
    {
      first: [made(['*'])],
      send: 'GET /api/v2/users/me?api_key={key}',
      answer: { status: 401, code: 'UNAUTHENTICATED' },
    },
    '5 Keys.4',
  ),
  row(
    'nor as a bearer token',
    {
      first: [made(['*'])],
      send: 'GET /api/v2/posts',
      headers: { Authorization: 'Bearer {key}' },
      answer: { status: 401, code: 'INVALID_TOKEN' },
    },
    '5 Keys.4',
  ),
  row(
    'a key that was deleted is refused at once',
    {
      first: [
        made(['*']),
        { send: 'GET /api/v2/users/me', headers: withKey },
        { as: 'editor', send: 'DELETE /api/v2/api-keys/{id}' },
      ],
      send: 'GET /api/v2/posts',
      headers: withKey,
      answer: refused,
    },
    '5 Keys.4',
  ),
  row(
    'with a token beside it, it is one credential too many',
    {
      first: [made(['*'])],
      as: 'editor',
      send: 'GET /api/v2/posts',
      headers: withKey,
      answer: { status: 400, code: 'VALIDATION_ERROR' },
    },
    '5 Keys.5',
  ),

  row(
    'read:posts reads posts',
    { first: [made(['read:posts'])], send: 'GET /api/v2/posts', headers: withKey, answer: { status: 200 } },
    '5 Keys.6',
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
    '5 Keys.6',
  ),
  row(
    'nor reads anything else, be it public',
    { first: [made(['read:posts'])], send: 'GET /api/v2/products', headers: withKey, answer: lacking('read:products') },
    '5 Keys.6',
  ),
  row(
    'read:* reads everything',
    { first: [made(['read:*'])], send: 'GET /api/v2/products', headers: withKey, answer: { status: 200 } },
    '5 Keys.6',
  ),
  row(
    'read:* writes nothing',
    {
      first: [made(['read:*'])],
      send: 'DELETE /api/v2/posts/{post}',
      headers: withKey,
      answer: lacking('delete:posts'),
    },
    '5 Keys.6',
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
    '5 Keys.6',
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
    '5 Keys.6',
  ),
  row(
    'create:* is no reading',
    { first: [made(['create:*'])], send: 'GET /api/v2/posts', headers: withKey, answer: lacking('read:posts') },
    '5 Keys.6',
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
    '5 Keys.6',
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
    '5 Keys.6',
  ),
  row(
    'its owner’s drafts are readable, those of nobody else',
    {
      given: { hers: { Order: { user: '{viewer}', status: 'pending', items: [], total: 0, currency: 'EUR' } } },
      first: [made(['*'])],
      send: 'GET /api/v2/orders/{hers}',
      headers: withKey,
      answer: { status: 404, code: 'NOT_FOUND' },
    },
    '5 Keys.6',
  ),
  row(
    'me is its owner',
    {
      first: [made(['read:users'])],
      send: 'GET /api/v2/users/me',
      headers: withKey,
      answer: { status: 200, data: { id: '{editor}', email: 'editor@example.com' } },
    },
    '5 Keys.6',
  ),

  ...['api-keys', 'sessions'].map((path) =>
    row(
      `reading ${path} needs their scope`,
      { first: [made(['read:posts'])], send: `GET /api/v2/${path}`, headers: withKey, answer: lacking(`read:${path}`) },
      '5 Keys.7',
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
    '5 Keys.7',
  ),
  row(
    '* deletes no key, its own included',
    {
      first: [made(['*'])],
      send: 'DELETE /api/v2/api-keys/{id}',
      headers: withKey,
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    '5 Keys.7',
  ),
  row(
    '* ends no session',
    {
      first: [made(['*'])],
      send: 'DELETE /api/v2/sessions/ses_1',
      headers: withKey,
      answer: { status: 403, code: 'FORBIDDEN' },
    },
    '5 Keys.7',
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
      '5 Keys.7',
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
    '5 Keys.7',
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
    '5 Keys.7',
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
      '5 Keys.8',
    ),
  ),
  row(
    'an admin gives any',
    {
      ...make({ scopes: ['suspend:users', 'manage:users', 'read:security-events'] }),
      as: 'admin',
      answer: { status: 201 },
    },
    '5 Keys.8',
  ),
  row(
    'nobody who is not signed in makes one',
    { ...make({}), as: 'anonymous', answer: { status: 401, code: 'UNAUTHENTICATED' } },
    '5 Keys.1',
  ),
])
