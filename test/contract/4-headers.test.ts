// What every answer carries, methods that are not the usual ones, and who may keep an answer for how long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertHeaders, RawConnection, sendRaw } from '../support/client/raw-http.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { get, row } from '../support/rows/rest-row.ts'
import { type Caller, withService } from '../support/server/service.ts'

const vary = 'Authorization, X-API-Key'

const requestIds = (
  [
    ['a', true],
    ['A-b.c_9', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['a b', false],
    ['<script>', false],
    ['é', false],
    ['', false],
  ] as const
).map(([id, isEchoed]) =>
  get(
    '4.10.3',
    `X-Request-ID ${JSON.stringify(id.slice(0, 9))} of ${id.length} is ${isEchoed ? 'echoed' : 'made anew'}`,
    'posts',
    { status: 200, headers: { 'X-Request-ID': isEchoed ? id : /^[\w-]{10,40}$/ } },
    { headers: { 'X-Request-ID': id } },
  ),
)

clauses('4.2 Envelopes', [
  get('4.2.1', 'one record is data', 'posts/{post}', {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    data: { id: '{post}' },
    body: { meta: undefined },
  }),
  get('4.2.1', 'a list is data with meta', 'posts?per_page=1', {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    meta: { page: 1, per_page: 1 },
    body: { error: undefined },
  }),
])

clauses('4.10 Headers', [
  ...requestIds,
  row('4.10.3', 'X-Request-ID is echoed by an error, too', {
    send: 'POST /api/v2/posts',
    headers: { 'X-Request-ID': 'mine' },
    body: '{',
    answer: { status: 400, code: 'VALIDATION_ERROR', headers: { 'X-Request-ID': 'mine' } },
  }),

  ...(
    [
      ['posts', 'GET, HEAD, POST, PATCH, DELETE, QUERY, OPTIONS'],
      ['posts/batch', 'POST, OPTIONS'],
      ['posts/{post}', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
      ['posts/{post}/publish', 'POST, OPTIONS'],
      ['posts/{post}/comments', 'GET, HEAD, QUERY, OPTIONS'],
      ['users', 'GET, HEAD, POST, QUERY, OPTIONS'],
      ['orders/{pending order}', 'GET, HEAD, OPTIONS'],
    ] as const
  ).flatMap(([path, allow]): Row[] => [
    row('4.10.6', `OPTIONS /${path} tells what there is`, {
      send: `OPTIONS /api/v2/${path}`,
      answer: { status: 204, headers: { Allow: allow } },
    }),
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
      .filter((method) => !allow.includes(method))
      .map((method) =>
        row('4.10.5', `${method} /${path} is 405 with Allow`, {
          as: 'admin',
          send: `${method} /api/v2/${path}`,
          answer: { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { Allow: allow } },
        }),
      ),
  ]),
  row('4.10.6', 'OPTIONS of what there is not is 404', {
    send: 'OPTIONS /api/v2/nothing',
    answer: { status: 404, code: 'NOT_FOUND' },
  }),
  ...['TRACE', 'PROPFIND', 'MKCOL', 'PURGE'].map((method) =>
    row('4.10.5', `${method} is 405`, {
      send: `${method} /api/v2/posts`,
      answer: { status: 405, code: 'METHOD_NOT_ALLOWED' },
    }),
  ),
  row('4.10.5', 'X-HTTP-Method-Override is ignored', {
    send: 'POST /api/v2/posts/{post}',
    as: 'admin',
    headers: { 'X-HTTP-Method-Override': 'DELETE' },
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED' },
    then: [{ send: 'GET /api/v2/posts/{post}', answer: { status: 200 } }],
  }),
  row('4.10.5', '_method in the query or the body is no method', {
    send: 'POST /api/v2/posts/{post}?_method=DELETE',
    as: 'admin',
    body: { _method: 'DELETE' },
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED' },
    then: [{ send: 'GET /api/v2/posts/{post}', answer: { status: 200 } }],
  }),
  ...['{draft}', 'post_00000000000000000000000000'].map((id) =>
    row('4.10.6', `OPTIONS of ${id} tells nothing of a record`, {
      send: `OPTIONS /api/v2/posts/${id}`,
      answer: { status: 204, headers: { Allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' } },
    }),
  ),
  ...['posts', 'posts/{post}', 'users/{editor}/posts'].map((path) =>
    row('4.10.4', `HEAD /${path} is GET without a body`, {
      first: [{ send: `GET /api/v2/${path}`, keep: { tag: 'headers.etag', length: 'headers.content-length' } }],
      send: `HEAD /api/v2/${path}`,
      answer: {
        status: 200,
        headers: { ETag: '{tag}', 'Content-Length': '{length}', 'Content-Type': 'application/json; charset=utf-8' },
      },
    }),
  ),
  row('4.10.4', 'HEAD of a hidden record is 404', { send: 'HEAD /api/v2/posts/{draft}', answer: { status: 404 } }),
  row('4.10.4', 'HEAD of orders is 401', { send: 'HEAD /api/v2/orders', answer: { status: 401 } }),
  row('4.10.4', 'HEAD with the ETag is 304', {
    first: [{ send: 'GET /api/v2/posts/{post}', keep: { tag: 'headers.etag' } }],
    send: 'HEAD /api/v2/posts/{post}',
    headers: { 'If-None-Match': '{tag}' },
    answer: { status: 304 },
  }),
  ...['text/html', 'application/xml', 'application/json;q=0', 'x', '', '*/*;q=0'].map((Accept) =>
    get('4.10.7', `Accept: ${Accept} never fails`, 'posts/{post}', { status: 200 }, { headers: { Accept } }),
  ),
  get(
    '4.10.7',
    'an unknown Expect is 417',
    'posts',
    { status: 417, body: { error: { code: 'EXPECTATION_FAILED' } } },
    { headers: { Expect: 'x' } },
  ),
])

/** What is written about who may keep the answer. */
const caching = (it: string, path: string, as: Caller, expected: string): Row =>
  get('4.11.1', `${it}: ${expected}`, path, { status: 200, headers: { 'Cache-Control': expected, Vary: vary } }, { as })
const notModified = (it: string, path: string, ifNoneMatch: string, status: 200 | 304, more: Partial<Row> = {}): Row =>
  get(
    '4.11.3',
    `If-None-Match ${it} is ${status}`,
    path,
    { status, headers: { ETag: '{tag}', Vary: vary, 'Cache-Control': /no-cache|max-age/ } },
    {
      first: [{ send: `GET /api/v2/${path}`, keep: { tag: 'headers.etag' } }],
      headers: { 'If-None-Match': ifNoneMatch },
      ...more,
    },
  )

clauses('4.11 Caching', [
  caching('products, anonymous', 'products/{product}', 'anonymous', 'public, max-age=60'),
  caching('products, signed in', 'products/{product}', 'viewer', 'public, max-age=60'),
  caching('a list of products', 'products', 'anonymous', 'public, max-age=60'),
  caching('other public records, anonymous', 'posts/{post}', 'anonymous', 'public, no-cache'),
  caching('a list of other public records, anonymous', 'users', 'anonymous', 'public, no-cache'),
  caching('a nested list, anonymous', 'users/{editor}/posts', 'anonymous', 'public, no-cache'),
  caching('the same, signed in', 'posts/{post}', 'viewer', 'private, no-cache'),
  caching('a list, signed in', 'posts', 'viewer', 'private, no-cache'),
  caching('me', 'users/me', 'viewer', 'private, no-cache'),
  caching('orders', 'orders', 'viewer', 'private, no-cache'),
  ...(
    [
      ['POST', 'posts', { title: 'T', content: 'C' }, 201],
      ['PATCH', 'posts/{draft}', { title: 'T' }, 200],
      ['PUT', 'posts/{draft}', { title: 'T', content: 'C' }, 200],
      ['DELETE', 'posts/{draft}', undefined, 204],
      ['POST', 'posts/{draft}/publish', undefined, 200],
    ] as const
  ).map(([method, path, body, status]) =>
    row('4.11.2', `${method} ${path} is no-store`, {
      as: 'editor',
      send: `${method} /api/v2/${path}`,
      ...(body === undefined ? {} : { body }),
      answer: { status, headers: { 'Cache-Control': 'no-store' } },
    }),
  ),
  row('4.11.2', 'an error is no-store', {
    send: 'GET /api/v2/posts/x',
    answer: { status: 404, code: 'NOT_FOUND', headers: { 'Cache-Control': 'no-store' } },
  }),

  row('4.11.5', 'what one caller knows of me is news to another', {
    as: 'other viewer',
    first: [{ as: 'viewer', send: 'GET /api/v2/users/me', keep: { tag: 'headers.etag' } }],
    send: 'GET /api/v2/users/me',
    headers: { 'If-None-Match': '{tag}' },
    answer: { status: 200, data: { name: 'Other Viewer' }, headers: { ETag: /^"\d+\.[\w-]{43}\.usr_\w{26}"$/ } },
  }),
  row('4.11.5', 'and not to the same', {
    as: 'viewer',
    first: [{ as: 'viewer', send: 'GET /api/v2/users/me', keep: { tag: 'headers.etag' } }],
    send: 'GET /api/v2/users/me',
    headers: { 'If-None-Match': '{tag}' },
    answer: { status: 304 },
  }),
  row('4.11.5', 'a change can be made on its condition', {
    as: 'viewer',
    first: [{ as: 'viewer', send: 'GET /api/v2/users/me', keep: { tag: 'headers.etag' } }],
    send: 'PATCH /api/v2/users/me',
    headers: { 'If-Match': '{tag}' },
    body: { bio: 'Reads.' },
    answer: { status: 200, data: { bio: 'Reads.' } },
  }),

  notModified('that is the ETag of a record', 'posts/{post}', '{tag}', 304),
  notModified('that is weak', 'posts/{post}', 'W/{tag}', 304),
  notModified('that is *', 'posts/{post}', '*', 304),
  notModified('that lists it', 'posts/{post}', '"a", W/"b,c", {tag}', 304),
  notModified('that is another', 'posts/{post}', '"0.0"', 200),
  notModified('of the same version of another representation', 'posts/{post}', '"1.0"', 200),
  notModified('that is no tag', 'posts/{post}', 'abc', 200),
  notModified('that is the ETag of a list', 'posts/{post}/comments', '{tag}', 304),
  notModified('that is another, of a list', 'posts/{post}/comments', '"x"', 200),
  get(
    '4.11.4',
    'a write raises the version in the ETag',
    'posts/{draft}',
    { status: 200, headers: { ETag: /^"3\./ } },
    {
      as: 'editor',
      first: [
        { as: 'editor', send: 'PATCH /api/v2/posts/{draft}', body: { title: 'T' } },
        { as: 'editor', send: 'POST /api/v2/posts/{draft}/publish' },
      ],
    },
  ),
  get('4.11.4', 'the ETag of a record is its version and a hash of its body', 'users/{member}', {
    status: 200,
    headers: { ETag: /^"1\.[\w-]{43}"$/ },
  }),
  get(
    '4.11.9',
    'the ETag of an anonymous caller is not 304 for a caller who sees more',
    'users/{member}',
    { status: 200, data: { email: /@/ } },
    {
      as: '{member}',
      first: [{ send: 'GET /api/v2/users/{member}', keep: { tag: 'headers.etag' } }],
      headers: { 'If-None-Match': '{tag}' },
    },
  ),
  get(
    '4.11.4',
    'a list that has changed is 200 again',
    'posts/{post}/comments',
    { status: 200, data: [{ content: 'New' }] },
    {
      first: [
        { send: 'GET /api/v2/posts/{post}/comments', keep: { tag: 'headers.etag' } },
        { as: 'viewer', send: 'POST /api/v2/comments', body: { post_id: '{post}', content: 'New' } },
      ],
      headers: { 'If-None-Match': '{tag}' },
    },
  ),
])

withService(
  '4.10 Headers, of unknown methods',
  (service) => {
    for (const [line, address] of [
      ['BREW /api/v2/posts', '203.0.113.1'],
      ['get /graphql', '203.0.113.2'],
      ['CONNECT localhost:443', '203.0.113.3'],
    ]) {
      test(`4.10.5 ${line} counts against its address, like every request`, async () => {
        const observations: unknown[] = []
        for (let count = 0; count < 3; count++) {
          const head = `${line} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`
          const [answer, connection] = await sendRaw(Number(new URL(service().url).port), head)
          assertHeaders(answer)
          observations.push([answer.status, answer.headers['x-ratelimit-remaining']])
          await connection.closed()
        }
        assert.deepEqual(observations, [
          [405, '1'],
          [405, '0'],
          [429, '0'],
        ])
      })
    }
  },
  { environment: { LIMIT_IP_PER_MINUTE: '2', TRUST_PROXY: '127.0.0.1' } },
)

withService('4.10 Headers, of bodies without a length', (service) => {
  test('4.10.14 a chunked body without a byte is none', async () => {
    const fixtures = service().fixtures({
      old: { Post: { title: 'T', content: 'C', author: '{editor}' } },
      other: { Post: { title: 'T', content: 'C', author: '{editor}' } },
    })
    const [id, other] = [await fixtures.idOf('old'), await fixtures.idOf('other')]
    const authorization = `Authorization: Bearer ${await service().token(await fixtures.idOf('editor'))}\r\n`
    const send = async (line: string, more: string, chunks: string) => {
      const head = `${line} HTTP/1.1\r\nHost: localhost\r\n${authorization}${more}Transfer-Encoding: chunked\r\n\r\n`
      const connection = new RawConnection(Number(new URL(service().url).port)).send(head + chunks)
      const { status, body } = await connection.answer()
      connection.socket.destroy()
      return [status, body.length === 0 ? null : (JSON.parse(body.toString()).error?.message ?? null)]
    }
    const [none, small] = ['0\r\n\r\n', '2\r\n{}\r\n0\r\n\r\n']
    const json = 'Content-Type: application/json\r\n'
    const form = 'Content-Type: application/x-www-form-urlencoded\r\n'
    assert.deepEqual(await send(`DELETE /api/v2/posts/${id}`, '', none), [204, null])
    assert.deepEqual(await send(`DELETE /api/v2/posts/${other}`, form, none), [204, null])
    const draft = await fixtures.idOf('draft')
    assert.deepEqual(await send(`POST /api/v2/posts/${draft}/publish`, json, none), [200, null])
    assert.equal((await send('POST /api/v2/posts', json, none))[0], 400)
    assert.deepEqual(await send('POST /graphql', json, none), [400, null])
    assert.equal((await send(`DELETE /api/v2/posts/${draft}`, '', small))[0], 415)
    assert.equal((await send(`DELETE /api/v2/posts/${draft}`, form, small))[0], 415)
    const large = `${(2_000_000).toString(16)}\r\n${'x'.repeat(2_000_000)}\r\n${none}`
    assert.equal((await send(`DELETE /api/v2/posts/${draft}`, form, large))[0], 415)
    assert.equal((await send('POST /api/v2/posts', json, large))[0], 413)
  })
})

withService('4.10 Headers, pipelined', (service) => {
  test('4.10.11 what follows a change on one connection sees it, and of two changes the last one stays', async () => {
    const fixtures = service().fixtures()
    const path = `/api/v2/posts/${await fixtures.idOf('draft')}`
    const headers = `Host: localhost\r\nAuthorization: Bearer ${await service().token(await fixtures.idOf('editor'))}\r\n`
    const get = `GET ${path} HTTP/1.1\r\n${headers}\r\n`
    const write = (method: string, title: string) => {
      const body = JSON.stringify({ title, content: 'C' })
      const length = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
      return `${method} ${path} HTTP/1.1\r\n${headers}${length}\r\n${body}`
    }
    const connection = new RawConnection(Number(new URL(service().url).port))
    const observations: string[] = []
    const expected: string[] = []
    for (let round = 0; round < 10; round++) {
      const [first, second, third] = [`First ${round}`, `Second ${round}`, `Third ${round}`]
      const before = expected.at(-1) ?? 'Draft'
      connection.send(get + write('PUT', first) + get + write('PUT', second) + write('PATCH', third) + get)
      expected.push(before, first, first, second, third, third)
      while (observations.length < expected.length) {
        const { status, body } = await connection.answer()
        assert.equal(status, 200, body.toString())
        observations.push(JSON.parse(body.toString()).data.title)
      }
    }
    assert.deepEqual(observations.slice(1), expected.slice(1))
    connection.destroy()
  })
})
