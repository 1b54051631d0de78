// API keys: what they look like, how long they are good, and what is refused. (contract 5.3)

import { made, make, row, withKey } from '../support/rows/api-key.ts'
import { clauses, type Expected } from '../support/rows/clauses.ts'

const invalid = (...fields: readonly string[]): Expected => ({ status: 400, code: 'VALIDATION_ERROR', fields })
const refused: Expected = {
  status: 401,
  code: 'INVALID_CREDENTIALS',
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
}

clauses('5.3 Keys', [
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
      '5.3.2',
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
      '5.3.2',
    ),
  ),
  ...['read:security-event', 'write:posts', 'write:*', 'read:reports', 'reed:*'].map((scope) =>
    row(
      `${scope} is a scope of nothing`,
      {
        ...make({ scopes: ['read:*', scope] }),
        answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', field: 'scopes[1]' },
      },
      '5.3.2',
    ),
  ),
  row('a key has a scope', { ...make({ scopes: [] }), answer: invalid('scopes') }, '5.3.2'),
  row('fifty are enough', { ...make({ scopes: Array(50).fill('read:posts') }), answer: { status: 201 } }, '5.3.2'),
  row(
    'one more is too many',
    { ...make({ scopes: Array(51).fill('read:posts') }), answer: invalid('scopes') },
    '5.3.2',
  ),
  row(
    'there is nothing else to say',
    {
      ...make({ prefix: 'x', key: 'x', user_id: 'x', last_used_at: null }),
      answer: invalid('prefix', 'key', 'user_id', 'last_used_at'),
    },
    '5.3.2',
  ),
  row(
    'it cannot expire in the past',
    { ...make({ expires_at: '2026-11-20T09:29:59.999Z' }), answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' } },
    '5.3.3',
  ),

  row(
    'none, where one is needed, is UNAUTHENTICATED',
    { send: 'GET /api/v2/users/me', answer: { status: 401, code: 'UNAUTHENTICATED' } },
    '5.3.4',
  ),
  ...['x', '', `duet_${'A'.repeat(43)}`, `duet_${'A'.repeat(42)}B`, '{key}x', '{key}, {key}', 'Bearer {key}'].map(
    (key) =>
      row(
        `${JSON.stringify(key)} is INVALID_CREDENTIALS`,
        { first: [made(['*'])], send: 'GET /api/v2/posts', headers: { 'X-API-Key': key }, answer: refused },
        '5.3.4',
      ),
  ),
  row(
    'it is not read from the address',
    {
      first: [made(['*'])],
      send: 'GET /api/v2/users/me?api_key={key}',
      answer: { status: 401, code: 'UNAUTHENTICATED' },
    },
    '5.3.4',
  ),
  row(
    'nor as a bearer token',
    {
      first: [made(['*'])],
      send: 'GET /api/v2/posts',
      headers: { Authorization: 'Bearer {key}' },
      answer: { status: 401, code: 'INVALID_TOKEN' },
    },
    '5.3.4',
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
    '5.3.4',
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
    '5.3.5',
  ),

  row(
    'no anonymous caller creates one',
    { ...make({}), as: 'anonymous', answer: { status: 401, code: 'UNAUTHENTICATED' } },
    '5.3.1',
  ),
])
