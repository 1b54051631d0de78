// Addresses of the author's own, through real HTTP. Every answer is held to the OpenAPI document as well. (contract 5.5)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportRoutes as routes } from '../support/domain/custom-routes.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { beginning, withService } from '../support/server/service.ts'

const order = (user: string, total: number) => ({
  Order: { user, status: 'paid', items: [{ product: '{product}', quantity: 1, unitPrice: 5 }], total, currency: 'EUR' },
})
const product = { Product: { name: 'Pan', category: 'kitchen', price: 5, currency: 'EUR', stock: 9 } }
const draft = { Post: { title: 'Mine', content: 'C', author: '{editor}' } }
const post = { Post: { title: 'Open', content: 'C', author: '{editor}', publishedAt: beginning } }
const buyer = { User: { name: 'Buyer' } }
const sold = {
  buyer,
  product,
  large: order('{buyer}', 700),
  small: order('{buyer}', 30),
  foreign: order('{editor}', 9),
}
const pitch = { working_title: 'T', lines: ['a', 'b'] }
const shelf = '/api/v2/shelves/new/posts/{post}'

const rows: readonly Row[] = [
  {
    clause: '5.5.1',
    it: 'reads as its caller, and answers in the envelope, in the names of the version',
    given: sold,
    as: '{buyer}',
    send: 'GET /api/v2/reports/sales',
    answer: {
      status: 200,
      data: {
        currency: 'EUR',
        sum: 730,
        orders: [
          { order_id: '{large}', total: 700, ordered_at: /Z$/, items: undefined },
          { order_id: '{small}', total: 30 },
        ],
      },
      headers: { 'Cache-Control': 'private, no-cache', Vary: /Authorization/, ETag: /^"/, Deprecation: undefined },
    },
  },
  {
    clause: '5.5.1',
    it: 'is not sent again to a caller who has it',
    given: { post },
    first: [{ send: `GET ${shelf}`, keep: { tag: 'headers.etag' } }],
    send: `GET ${shelf}`,
    headers: { 'If-None-Match': '{tag}' },
    answer: { status: 304, headers: { 'Cache-Control': 'public, no-cache' } },
  },
  {
    clause: '5.5.1',
    it: 'requires a user who is signed in',
    send: 'GET /api/v2/reports/sales',
    answer: { status: 401, code: 'UNAUTHENTICATED', headers: { 'WWW-Authenticate': 'Bearer' } },
  },
  {
    clause: '5.5.1',
    it: 'refuses a credential that is shown and wrong, even where anyone may',
    given: { post },
    send: `GET ${shelf}`,
    headers: { Authorization: 'Bearer x' },
    answer: { status: 401, code: 'INVALID_TOKEN' },
  },
  {
    clause: '5.5.1',
    it: 'writes by the rules of resources',
    as: 'editor',
    send: 'POST /api/v2/pitches',
    body: pitch,
    answer: {
      status: 200,
      data: { article_id: /^art_/, state: 'in_review' },
      headers: { 'Cache-Control': 'no-store' },
    },
  },
  {
    clause: '5.5.1',
    it: 'may do no more than its caller',
    given: { post },
    as: 'other editor',
    send: `PUT ${shelf}`,
    body: { title: 'Theirs' },
    answer: { status: 403, code: 'FORBIDDEN' },
    then: [{ send: 'GET /api/v2/posts/{post}', answer: { status: 200, data: { title: 'Open' } } }],
  },
  {
    clause: '5.5.1',
    it: 'sees what its caller sees',
    given: { post: draft },
    as: 'viewer',
    send: `GET ${shelf}`,
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '5.5.1',
    it: 'answers 204 where it has nothing to say',
    given: { post },
    as: 'editor',
    send: `DELETE ${shelf}`,
    answer: { status: 204 },
    then: [{ send: 'GET /api/v2/posts/{post}', answer: { status: 404, code: 'NOT_FOUND' } }],
  },
  {
    clause: '5.5.1',
    it: 'reports no by throwing a failure',
    given: { post },
    as: 'editor',
    send: 'PUT /api/v2/shelves/old/posts/{post}',
    body: { title: 'T' },
    answer: { status: 409, code: 'CONFLICT', message: 'What is on the old shelf keeps its name.' },
  },
  {
    clause: '5.5.2',
    it: 'reports its methods',
    send: 'OPTIONS /api/v2/shelves/x/posts/y',
    answer: { status: 204, headers: { Allow: 'GET, HEAD, PUT, DELETE, OPTIONS' } },
  },
  {
    clause: '5.5.2',
    it: 'has no other methods',
    send: 'PATCH /api/v2/shelves/x/posts/y',
    body: '{',
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { Allow: 'GET, HEAD, PUT, DELETE, OPTIONS' } },
  },
  {
    clause: '5.5.2',
    it: 'answers HEAD as GET',
    given: { post },
    send: `HEAD ${shelf}`,
    answer: { status: 200, headers: { 'Content-Length': /^[1-9]/ } },
  },
  ...['/api/v2/reports', '/api/v2/reports/sales/', '/api/v2/shelves/new/posts', '/api/v1/shelves/new/posts/x'].map(
    (path): Row => ({
      clause: '5.5.2',
      it: `is at its own address only, and not at ${path}`,
      send: `GET ${path}`,
      answer: { status: 404, code: 'NOT_FOUND' },
    }),
  ),
  {
    clause: '5.5.2',
    it: 'reports a deprecated version',
    send: 'GET /api/v1/reports/year',
    answer: { status: 200, data: { report_name: 'year' }, headers: { Deprecation: /^@/, Sunset: /GMT$/ } },
  },
  {
    clause: '5.5.2',
    it: 'reports a body that cannot be read before who may',
    send: 'POST /api/v2/pitches',
    headers: { 'Content-Type': 'text/plain' },
    body: 'x',
    answer: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  },
  {
    clause: '5.5.2',
    it: 'reports who may before what is wrong with the input',
    as: 'viewer',
    send: 'POST /api/v2/pitches?x=1',
    body: {},
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '5.5.2',
    it: 'reports what is wrong with the input before what is missing',
    as: 'editor',
    send: 'PUT /api/v2/shelves/none/posts/y',
    body: {},
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'title' },
  },
  {
    clause: '5.5.2',
    it: 'leads nowhere where a part of the path cannot be what it must be',
    as: 'editor',
    send: 'GET /api/v2/shelves/none/posts/y',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '5.5.3',
    it: 'reports all problems of a body at once, in the sentences of fields',
    as: 'editor',
    send: 'POST /api/v2/pitches?x=1',
    headers: { 'Idempotency-Key': 'k' },
    body: { lines: ['', 5], submit: null, colour: 'red' },
    answer: {
      status: 400,
      code: 'VALIDATION_ERROR',
      fields: ['colour', 'working_title', 'lines[0]', 'lines[1]', 'submit', 'x', 'Idempotency-Key'],
      body: {
        error: {
          details: [
            { field: 'colour', message: 'There is no such field.' },
            { field: 'working_title', message: 'Is required.' },
            { field: 'lines[0]', message: 'Must not be empty.' },
            { field: 'lines[1]', message: 'Must be text.' },
            { field: 'submit', message: 'Must not be null.' },
            { field: 'x', message: 'There is no such parameter here.' },
            { field: 'Idempotency-Key', message: 'Is not taken here.' },
          ],
        },
      },
    },
  },
  {
    clause: '5.5.3',
    it: 'reports all problems of a query at once, each once',
    as: 'viewer',
    send: 'GET /api/v2/reports/sales?min_total=-1&since=&per_page=x&perPage=5',
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['perPage', 'since', 'min_total', 'per_page'] },
  },
  {
    clause: '5.5.3',
    it: 'narrows by what was requested',
    given: sold,
    as: '{buyer}',
    send: 'GET /api/v2/reports/sales?min_total=31&since=2026-01-01T00%3A00%3A00Z',
    answer: { status: 200, data: { sum: 700 } },
  },
]
clauses("5.5 Addresses of the author's own", rows, { routes })

withService(
  "5 Limits of the author's own, and bugs",
  (service) => {
    test('5.5.4 a route has a limit of its own, for each user, and reports it', async () => {
      const ask = async (as: 'viewer' | 'editor', line = 'POST /api/v2/audits') => service().send(line, { as })
      for (const remaining of ['2', '1', '0']) {
        const { status, headers, body } = await ask('viewer')
        assert.deepEqual(
          [status, headers['x-ratelimit-remaining'], headers['x-ratelimit-limit']],
          [202, remaining, '3'],
        )
        assert.equal(body.data.started_at, service().now().toISOString())
      }
      const refused = await ask('viewer')
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '60'])
      // It is this route's, and this user's.
      assert.equal((await ask('viewer', 'GET /api/v2/audits')).status, 405)
      assert.equal((await ask('viewer', 'GET /api/v2/reports/sales')).status, 200)
      assert.equal((await ask('editor')).status, 202)
      service().advance(60_000)
      assert.equal((await ask('viewer')).status, 202)
    })

    test('5.5.3 an answer that is not what it says is a bug: 500, and the log', async () => {
      service().forgetLog()
      const { status, body } = await service().send('GET /api/v2/reports/broken')
      assert.deepEqual([status, body.error.code], [500, 'INTERNAL_ERROR'])
      assert.match(
        service().log().join(''),
        /GET \/api\/v2\/reports\/broken answers what its count can be: At most 9\./,
      )
    })

    test('5.5.1 the document of its version holds it, and no other', async () => {
      const document = async (version: string) =>
        (await service().client.send(`GET /api/${version}/openapi.json`)).body as {
          paths: Record<string, Record<string, { operationId: string; security: object[]; tags: string[] }>>
          tags: { name: string }[]
        }
      const [v1, v2] = [await document('v1'), await document('v2')]
      assert.deepEqual(Object.keys(v2.paths['/api/v2/shelves/{shelfName}/posts/{post}']!), ['get', 'put', 'delete'])
      assert.deepEqual([v1.paths['/api/v1/reports/sales'], v2.paths['/api/v2/reports/{name}']], [undefined, undefined])
      const { operationId, security, tags } = v2.paths['/api/v2/reports/sales']!['get']!
      assert.deepEqual(
        { operationId, security, tags },
        { operationId: 'getReportsSales', security: [{ bearer: [] }, { apiKey: ['read:reports'] }], tags: ['reports'] },
      )
      assert.ok(v2.tags.some(({ name }) => name === 'reports'))
    })

    test('5.5.1 an API key needs its scope', async () => {
      const key = async (...scopes: string[]) => {
        const made = await service().send('POST /api/v2/api-keys', { as: 'viewer', body: { name: 'K', scopes } })
        assert.equal(made.status, 201, made.text)
        return { 'X-API-Key': made.body.data.key }
      }
      const report = async (headers: Record<string, string>) =>
        (await service().send('GET /api/v2/reports/sales', { headers })).body
      assert.equal((await report(await key('read:posts'))).error.code, 'INSUFFICIENT_SCOPE')
      assert.equal((await report(await key('read:*'))).data.sum, 0)
    })
  },
  { routes, environment: { LIMIT_IP_PER_MINUTE: '1000' } },
)
