// API keys: what they look like, how long they are good, and what is refused. (contract 5.3)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, make, row, withKey } from '../support/rows/api-key.ts'
import { clauses, type Expected } from '../support/rows/clauses.ts'
import { type Caller, withService } from '../support/server/service.ts'

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

withService(
  '5.3 API keys with limits of their own',
  (service) => {
    const create = async (as: Caller, requests_per_hour?: number) => {
      const body = { name: 'A key', scopes: ['*'], ...(requests_per_hour === undefined ? {} : { requests_per_hour }) }
      const { body: made } = await service().send('POST /api/v2/api-keys', { as, body })
      const headers = { 'X-API-Key': made.data.key as string }
      return {
        made: made.data,
        read: async () => {
          const { status, headers: answered } = await service().send('GET /api/v2/posts', { headers })
          return [status, Number(answered['x-ratelimit-limit'])]
        },
        headers,
      }
    }

    test('5.3.12 a key is limited to its own number, others of its user are not', async () => {
      const [limited, other] = [await create('editor', 3), await create('editor')]
      assert.deepEqual([limited.made.requests_per_hour, other.made.requests_per_hour], [3, null])
      for (let at = 0; at < 3; at++) assert.deepEqual(await limited.read(), [200, 3])
      assert.deepEqual(await limited.read(), [429, 3])
      assert.equal((await other.read())[0], 200)
      assert.equal((await service().send('GET /api/v2/posts', { as: 'editor' })).status, 200)
    })

    test('5.3.12 its requests count for its user, whose limit is not exceeded', async () => {
      const { read } = await create('viewer', 1_000)
      const answers = []
      for (let at = 0; at < 30; at++) answers.push(await read())
      assert.deepEqual(answers.at(-1), [429, 25])
    })

    test('5.3.12 mutations after the first count for the key, too', async () => {
      const { headers } = await create('other editor', 3)
      const query = `mutation { ${[1, 2, 3, 4].map((at) => `m${at}: publishPost(id: "post_${at}") { id }`).join(' ')} }`
      const { body } = await service().client.send('POST /graphql', { headers, body: { query } })
      assert.deepEqual(body.errors?.[0]?.extensions.code, 'RATE_LIMIT_EXCEEDED')
    })

    test('5.3.12 it is one or more', async () => {
      for (const requests_per_hour of [0, -1, 1.5, '3']) {
        const body = { name: 'A key', scopes: ['*'], requests_per_hour }
        const { status } = await service().send('POST /api/v2/api-keys', { as: 'admin', body })
        assert.equal(status, 400, `${requests_per_hour}`)
      }
    })

    test('5.3.12 for an hour', async () => {
      const { read } = await create('admin', 1)
      assert.deepEqual([(await read())[0], (await read())[0]], [200, 429])
      service().advance(3_601_000)
      assert.equal((await read())[0], 200)
    })
  },
  { environment: { LIMIT_USER_PER_HOUR: '25' } },
)
