// Keys that make a POST repeatable: what a second request with the same key gets, and when it is another one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { made, withKey } from '../support/rows/api-key.ts'
import { clauses, type Expected, type Preparation, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const post = { title: 'T', content: 'C' }
const sent = (key: string, more: Partial<Preparation> = {}): Preparation => ({
  as: 'editor',
  send: 'POST /api/v2/posts',
  headers: { 'X-Idempotency-Key': key },
  body: post,
  ...more,
})
const once = (more: Partial<Preparation> = {}): Preparation =>
  sent('{word}', { keep: { made: 'body.data.id' }, ...more })
const replayed: Expected = {
  status: 200,
  headers: { 'Idempotent-Replayed': 'true', 'Cache-Control': 'no-store' },
  data: { id: '{made}', title: 'T' },
}
const another: Expected = {
  status: 201,
  headers: { 'Idempotent-Replayed': undefined },
  data: (data: object) => 'id' in data,
}
const row = (clause: Row['clause'], it: string, more: Omit<Row, 'clause' | 'it'>): Row => ({
  clause,
  it,
  as: 'editor',
  ...more,
})

clauses('4.7 Idempotency', [
  row('4.7.1', 'the same again is 200, and the record that was made', {
    ...sent('{word}'),
    first: [once()],
    answer: { ...replayed, headers: { ...replayed.headers, ETag: /^"1\./, Location: undefined } },
  }),
  row('4.7.1', 'nothing is made twice', {
    as: '{writer}',
    given: { writer: { User: { name: 'W', role: 'EDITOR' } } },
    first: [sent('{word}', { as: '{writer}' }), sent('{word}', { as: '{writer}' }), sent('{word}', { as: '{writer}' })],
    send: 'GET /api/v2/posts?author_id={writer}',
    answer: { status: 200, meta: { total: 1 } },
  }),
  row('4.7.2', 'Idempotency-Key is the same header', {
    ...sent('{word}', { headers: { 'Idempotency-Key': '{word}' } }),
    first: [once()],
    answer: replayed,
  }),
  row('4.7.2', 'both headers, alike', {
    ...sent('{word}', { headers: { 'Idempotency-Key': '{word}', 'X-Idempotency-Key': '{word}' } }),
    first: [once()],
    answer: replayed,
  }),
  row('4.7.2', 'both headers, differing, are 400', {
    ...sent('a', { headers: { 'Idempotency-Key': 'a', 'X-Idempotency-Key': 'b' } }),
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'X-Idempotency-Key' },
  }),
  ...[
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a letter that is not ASCII', 'cl\xe9'],
    ['with a tab', 'a\tb'],
  ].map(([it, key]) =>
    row('4.7.2', `a key ${it} is 400`, {
      ...sent(key!),
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'X-Idempotency-Key' },
    }),
  ),
  row('4.7.12', 'a key in quotation marks is its content', {
    ...sent('{word}', { headers: { 'Idempotency-Key': '"{word}"' } }),
    first: [once()],
    answer: replayed,
  }),
  row('4.7.12', 'a quotation mark and a backslash in it are escaped', {
    ...sent('{word}', { headers: { 'Idempotency-Key': '"{word}\\\\\\""' } }),
    first: [once({ headers: { 'X-Idempotency-Key': '{word}\\"' } })],
    answer: replayed,
  }),
  row('4.7.12', 'X-Idempotency-Key is literal', {
    ...sent('"{word}"'),
    first: [once()],
    answer: another,
  }),
  ...['"', '"{word}', '"{word}"x', '"a\\b"', '""', `"${'k'.repeat(256)}"`].map((key) =>
    row('4.7.12', `${key.slice(0, 10)} is no key`, {
      ...sent(key, { headers: { 'Idempotency-Key': key } }),
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'Idempotency-Key' },
    }),
  ),
  row('4.7.2', 'a key of 255 characters is a key', { ...sent(`${'k'.repeat(254)}l`), answer: another }),
  row('4.7.2', 'a key of one character is a key', { ...sent('!'), answer: another }),
  row('4.7.2', 'a key is not trimmed of its case', {
    ...sent('{word}-A'),
    first: [sent('{word}-a')],
    answer: another,
  }),

  row('4.7.3', 'of somebody else it is another key', {
    ...sent('{word}', { as: 'other editor' }),
    first: [once()],
    answer: another,
  }),
  row('4.7.3', 'of an admin it is another key', {
    ...sent('{word}', { as: 'admin' }),
    first: [once()],
    answer: another,
  }),
  row('4.7.3', 'at another path it is another key', {
    ...sent('{word}', { send: 'POST /api/v2/articles', body: { title: 'T', body: 'B' } }),
    first: [once()],
    answer: another,
  }),
  row('4.7.3', 'in another version it is another key', {
    ...sent('{word}', { send: 'POST /api/v1/posts' }),
    first: [once()],
    answer: another,
  }),
  row('4.7.3', 'all anonymous callers are one', {
    as: 'anonymous',
    first: [
      {
        send: 'POST /api/v2/users',
        headers: { 'X-Idempotency-Key': '{word}' },
        body: { name: 'N', email: '{word}@example.com', password: 'long enough' },
        keep: { made: 'body.data.id' },
      },
    ],
    send: 'POST /api/v2/users',
    headers: { 'X-Idempotency-Key': '{word}' },
    body: { name: 'N', email: '{word}@example.com', password: 'long enough' },
    // Whoever repeats a sign-up is not the new user: email is for that user alone.
    answer: { ...replayed, data: { id: '{made}', name: 'N', email: undefined } },
  }),

  row('4.7.4', 'another body is 422', {
    ...sent('{word}', { body: { ...post, title: 'Other' } }),
    first: [once()],
    answer: { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' },
  }),
  row('4.7.4', 'a field more, with its default, is another body', {
    ...sent('{word}', { body: { ...post, tags: [] } }),
    first: [once()],
    answer: { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' },
  }),
  row('4.7.4', 'another order of fields and other spaces are the same body', {
    ...sent('{word}', { body: ' { "content" : "C",\n"title":"\\u0054" } ' }),
    first: [once()],
    answer: replayed,
  }),

  ...(
    [
      ['400', { body: { title: '' } }, 400],
      ['401', { as: 'anonymous' }, 401],
      ['403', { as: 'viewer' }, 403],
    ] as const
  ).map(([what, first, status]) =>
    row('4.7.5', `after ${what} the key is free`, {
      ...sent('{word}'),
      first: [
        sent('{word}', {
          ...first,
          answer: {
            status,
            code: ({ 400: 'VALIDATION_ERROR', 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN' } as const)[status],
          },
        }),
      ],
      answer: another,
    }),
  ),
  row('4.7.5', 'after 409 the key is free', {
    first: [
      {
        as: 'editor',
        send: 'POST /api/v2/posts/{draft}/unpublish',
        headers: { 'X-Idempotency-Key': '{word}' },
        answer: { status: 409, code: 'CONFLICT' },
      },
      { as: 'editor', send: 'POST /api/v2/posts/{draft}/publish' },
    ],
    send: 'POST /api/v2/posts/{draft}/unpublish',
    headers: { 'X-Idempotency-Key': '{word}' },
    answer: { status: 200, headers: { 'Idempotent-Replayed': undefined } },
  }),
  row('4.7.5', 'after 422 the key is free', {
    as: 'viewer',
    first: [
      {
        as: 'viewer',
        send: 'POST /api/v2/orders',
        headers: { 'X-Idempotency-Key': '{word}' },
        body: { items: [{ product_id: '{product}', quantity: 11 }] },
        answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION' },
      },
    ],
    send: 'POST /api/v2/orders',
    headers: { 'X-Idempotency-Key': '{word}' },
    body: { items: [{ product_id: '{product}', quantity: 1 }] },
    answer: another,
  }),

  row('4.7.6', 'a replay shows the record as it is now', {
    ...sent('{word}'),
    first: [once(), { as: 'editor', send: 'PATCH /api/v2/posts/{made}', body: { title: 'Changed' } }],
    answer: { ...replayed, data: { id: '{made}', title: 'Changed' } },
  }),
  row('4.7.6', 'a replay of a record that is gone is 404', {
    ...sent('{word}'),
    first: [once(), { as: 'editor', send: 'DELETE /api/v2/posts/{made}' }],
    answer: { status: 404, code: 'NOT_FOUND' },
  }),
  row('4.7.6', 'a replay of a comment whose post is hidden since is 404', {
    as: 'viewer',
    first: [
      {
        as: 'viewer',
        send: 'POST /api/v2/comments',
        headers: { 'X-Idempotency-Key': '{word}' },
        body: { post_id: '{post}', content: 'C' },
      },
      { as: 'editor', send: 'POST /api/v2/posts/{post}/unpublish' },
    ],
    send: 'POST /api/v2/comments',
    headers: { 'X-Idempotency-Key': '{word}' },
    body: { post_id: '{post}', content: 'C' },
    answer: { status: 404, code: 'NOT_FOUND' },
  }),

  row('4.1.8', 'a replay by a caller who may no longer create is 403', {
    given: { writer: { User: { name: 'W', role: 'EDITOR' } } },
    first: [
      { ...made(['*']), as: '{writer}' },
      sent('{word}', { as: 'anonymous', headers: { ...withKey, 'X-Idempotency-Key': '{word}' } }),
      { as: 'admin', send: 'PATCH /api/v2/users/{writer}', body: { role: 'VIEWER' } },
    ],
    ...sent('{word}', { as: 'anonymous', headers: { ...withKey, 'X-Idempotency-Key': '{word}' } }),
    answer: { status: 403, code: 'FORBIDDEN' },
  }),

  row('4.7.7', 'of a batch', {
    first: [
      sent('{word}', {
        send: 'POST /api/v2/posts/batch',
        body: { posts: [post, post] },
        keep: { made: 'body.data.1.id' },
      }),
    ],
    ...sent('{word}', { send: 'POST /api/v2/posts/batch', body: { posts: [post, post] } }),
    answer: { status: 200, headers: replayed.headers!, data: [{ title: 'T' }, { id: '{made}' }], meta: { created: 2 } },
  }),
  row('4.7.7', 'of an order: stock is taken once', {
    as: 'viewer',
    first: [
      {
        as: 'viewer',
        send: 'POST /api/v2/orders',
        headers: { 'X-Idempotency-Key': '{word}' },
        body: { items: [{ product_id: '{product}', quantity: 4 }] },
        keep: { made: 'body.data.id' },
      },
    ],
    send: 'POST /api/v2/orders',
    headers: { 'X-Idempotency-Key': '{word}' },
    body: { items: [{ product_id: '{product}', quantity: 4 }] },
    answer: { status: 200, headers: replayed.headers!, data: { id: '{made}' } },
    then: [{ send: 'GET /api/v2/products/{product}', answer: { status: 200, data: { stock: 6 } } }],
  }),
  ...(['PUT', 'PATCH'] as const).map((method) =>
    row('4.7.8', `${method} does not look at a key`, {
      first: [sent('{word}', { send: `${method} /api/v2/posts/{draft}` })],
      ...sent('{word}', { send: `${method} /api/v2/posts/{draft}`, body: { ...post, title: 'Other' } }),
      answer: { status: 200, headers: { 'Idempotent-Replayed': undefined }, data: { title: 'Other' } },
    }),
  ),
  row('4.7.8', 'DELETE does not look at a key', {
    first: [sent('{word}', { send: 'DELETE /api/v2/posts/{draft}', body: undefined })],
    ...sent('{word}', { send: 'DELETE /api/v2/posts/{draft}', body: undefined }),
    answer: { status: 404, code: 'NOT_FOUND' },
  }),
  row('4.7.8', 'GET does not look at a key, not even at a bad one', {
    send: 'GET /api/v2/posts/{draft}',
    headers: { 'X-Idempotency-Key': 'a b' },
    answer: { status: 200 },
  }),
  row('4.7.8', 'GraphQL does not look at a key', {
    as: '{writer}',
    given: { writer: { User: { name: 'W', role: 'EDITOR' } } },
    first: [1, 2].map(() => ({
      as: '{writer}' as const,
      send: 'POST /graphql',
      headers: { 'X-Idempotency-Key': '{word}' },
      body: { query: 'mutation { createPost(input: { title: "T", content: "C" }) { id } }' },
    })),
    send: 'GET /api/v2/posts?author_id={writer}',
    answer: { status: 200, meta: { total: 2 } },
  }),
])

withService('4.7 Idempotency, all at once', (service) => {
  test('4.7.9 of fifty requests with one key, one is carried out', async () => {
    const fixtures = service().fixtures()
    const key = await fixtures.fill('{unique}')
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        service().send('POST /api/v2/posts', { as: 'editor', headers: { 'X-Idempotency-Key': key }, body: post }),
      ),
    )
    const creations = answers.filter(({ status }) => status === 201)
    assert.equal(creations.length, 1)
    for (const { status, headers, body } of answers) {
      assert([201, 200, 409].includes(status), `${status}`)
      if (status === 200) assert.equal(body.data.id, creations[0]!.body.data.id)
      if (status === 409) assert.deepEqual([body.error.code, headers['retry-after']], ['CONFLICT', '1'])
    }
    const again = await service().send('POST /api/v2/posts', {
      as: 'editor',
      headers: { 'X-Idempotency-Key': key },
      body: post,
    })
    assert.deepEqual([again.status, again.body.data.id], [200, creations[0]!.body.data.id])
    service().assertLog()
  })

  test('4.7.10 a key is kept for 24 hours', async () => {
    const hourMs = 3_600_000
    const key = await service().fixtures().fill('{unique}')
    const ask = () =>
      service().send('POST /api/v2/users', {
        headers: { 'X-Idempotency-Key': key },
        body: { name: 'N', email: `${key}@example.com`, password: 'long enough' },
      })
    assert.equal((await ask()).status, 201)
    service().advance(24 * hourMs - 1_000)
    assert.equal((await ask()).status, 200, 'a second before')
    service().advance(1_000)
    // Carried out anew: somebody has this address already.
    assert.equal((await ask()).status, 409, 'after')
    service().assertLog()
  })
})

const signUp = (key: string) => ({
  headers: { 'X-Idempotency-Key': key },
  body: { name: 'N', email: `${key}@example.com`, password: 'long enough' },
})

withService('4.7 Idempotency, after a fault', (service) => {
  test('4.7.5 after a 500 whose transaction was undone the key is free', async () => {
    const { store } = service()
    const key = await service().fixtures().fill('{unique}')
    const { write } = store
    store.write = (run, ...more) =>
      write.call(
        store,
        function* () {
          yield* run()
          throw new Error('The transaction fails.')
        },
        ...(more as []),
      ) as never
    try {
      assert.equal((await service().send('POST /api/v2/users', signUp(key))).status, 500)
    } finally {
      store.write = write
    }
    service().forgetLog()
    const again = await service().send('POST /api/v2/users', signUp(key))
    assert.deepEqual([again.status, again.headers['idempotent-replayed']], [201, undefined])
    assert.equal((await service().send('POST /api/v2/users', signUp(key))).body.data.id, again.body.data.id)
  })
})

withService(
  '4.7 Idempotency, limited',
  (service) => {
    test('4.7.5 after 429 the key is free', async () => {
      const key = await service().fixtures().fill('{unique}')
      assert.equal((await service().send('GET /api/v2/products')).status, 200)
      assert.equal((await service().send('POST /api/v2/users', signUp(key))).status, 429)
      service().advance(60_000)
      const again = await service().send('POST /api/v2/users', signUp(key))
      assert.deepEqual([again.status, again.headers['idempotent-replayed']], [201, undefined])
    })
  },
  { environment: { LIMIT_IP_PER_MINUTE: '1' } },
)

withService(
  '4.7 Idempotency, in the end',
  (service) => {
    test('4.7.10 keys that have expired are removed, however many, and no others', async () => {
      const keys = await Promise.all(Array.from({ length: 5 }, () => service().fixtures().fill('{unique}')))
      for (const key of keys) assert.equal((await service().send('POST /api/v2/users', signUp(key))).status, 201)
      service().advance(24 * 3_600_000)
      const last = await service().fixtures().fill('{unique}')
      assert.equal((await service().send('POST /api/v2/users', signUp(last))).status, 201)
      while ((await service().tables('duet_idempotency')).length > 1);
      assert.equal((await service().send('POST /api/v2/users', signUp(last))).headers['idempotent-replayed'], 'true')
    })
  },
  { limits: { sweepSeconds: 0.02, sweepRows: 2 } },
)
