// The addresses at which clients find the APIs of a service, and the contract that these keep.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const catalog = '/.well-known/api-catalog'
const contract = '/.well-known/api-contract'
const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
const kept = { 'Cache-Control': 'public, max-age=300', Vary: /Authorization, X-API-Key/, ETag: /^"/ }

const both = (it: string, row: (path: string) => Partial<Row>): readonly Row[] =>
  [catalog, contract].map((path) => ({
    clause: '4.15.10',
    it: `${it}: ${path}`,
    send: `GET ${path}`,
    answer: { status: 200 },
    ...row(path),
  }))

clauses('4.15 Well-known addresses', [
  {
    clause: '4.15.9',
    it: 'links to each version, its description and its successor, and to GraphQL',
    send: `GET ${catalog}`,
    answer: {
      status: 200,
      headers: { ...kept, 'Content-Type': linkset, Link: `<${catalog}>; rel="api-catalog"` },
      body: {
        linkset: [
          {
            anchor: '/api/v1',
            'service-desc': [{ href: '/api/v1/openapi.json', type: 'application/json' }],
            'service-meta': [{ href: '/api/v1/workflows.json', type: 'application/json' }],
            'successor-version': [{ href: '/api/v2' }],
            status: [{ href: '/health/ready', type: 'application/json' }],
          },
          {
            anchor: '/api/v2',
            'service-desc': [{ href: '/api/v2/openapi.json', type: 'application/json' }],
            'service-meta': [{ href: '/api/v2/workflows.json', type: 'application/json' }],
            'successor-version': undefined,
          },
          { anchor: '/graphql', status: [{ href: '/health/ready', type: 'application/json' }] },
        ],
      },
    },
  },
  {
    clause: '4.15.9',
    it: 'HEAD has the link',
    send: `HEAD ${catalog}`,
    answer: { status: 200, headers: { Link: `<${catalog}>; rel="api-catalog"` } },
  },
  {
    clause: '4.15.10',
    it: 'names edition, parts and versions',
    send: `GET ${contract}`,
    answer: {
      status: 200,
      headers: kept,
      body: { edition: '2026.1', levels: ['rest', 'graphql', 'events'], versions: ['v1', 'v2'] },
    },
  },
  ...both('ignores credentials', () => ({ headers: { Authorization: 'Bearer x' } })),
  ...both('OPTIONS', (path) => ({
    send: `OPTIONS ${path}`,
    answer: { status: 204, headers: { Allow: 'GET, HEAD, OPTIONS' } },
  })),
  ...both('POST is 405', (path) => ({
    send: `POST ${path}`,
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { Allow: 'GET, HEAD, OPTIONS' } },
  })),
])

withService(
  '4.15 Well-known addresses of a service that knows its own',
  (service) => {
    test('4.15.9 links are whole, and lead somewhere', async () => {
      const { linkset } = (await service().send(`GET ${catalog}`)).body
      const links = linkset.flatMap((each: Record<string, { href: string }[]>) => [
        ...(each['service-desc'] ?? []),
        ...(each['service-meta'] ?? []),
        ...each['status']!,
      ])
      for (const { href } of links) {
        assert.ok(href.startsWith('https://api.example.com/'), href)
        assert.equal((await fetch(service().url + new URL(href).pathname)).status, 200)
      }
    })
  },
  { environment: { BASE_URL: 'https://api.example.com' } },
)

withService('4.15 Workflows', (service) => {
  const path = '/api/v2/workflows.json'
  const read = (line: string, headers = {}) => service().client.send(line, { headers })

  test('4.15.11 they are public, validated and named as the version names its operations and fields', async () => {
    const { status, headers, body } = await read(`GET ${path}`)
    assert.deepEqual([status, headers['cache-control']], [200, 'public, no-cache'])
    assert.deepEqual(body.sourceDescriptions, [{ name: 'api', type: 'openapi', url: './openapi.json' }])
    assert.equal((await read(`GET ${path}`, { 'If-None-Match': headers['etag']! })).status, 304)
    assert.equal((await read(`HEAD ${path}`)).status, 200)
    assert.equal((await read(`GET ${path}`, { Authorization: 'Bearer x' })).status, 401)
    assert.equal((await read(`GET ${path}?x=1`)).status, 400)
    assert.equal((await read(`POST ${path}`)).status, 405)
  })

  test('4.15.11 a record goes to each move by the shortest way, with a token for each step', async () => {
    const { workflows } = (await read(`GET ${path}`)).body
    const ids = workflows.map(({ workflowId }: { workflowId: string }) => workflowId)
    assert.deepEqual(
      ids.filter((id: string) => id.startsWith('createArticle')),
      ['createArticle-submit-reject', 'createArticle-submit-publish-archive'],
    )
    // Expiry is a move of the clock.
    assert.deepEqual(
      ids.filter((id: string) => id.startsWith('createOrder')),
      ['createOrder-pay', 'createOrder-cancel'],
    )
    const pay = workflows[ids.indexOf('createOrder-pay')]
    assert.deepEqual(pay.inputs.required, ['createOrderToken', 'createOrder', 'payOrderToken'])
    assert.deepEqual(pay.steps[1].successCriteria, [
      { condition: '$statusCode == 200' },
      { condition: "$response.body#/data/status == 'paid'" },
    ])
  })
})
