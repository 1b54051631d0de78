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
            'successor-version': [{ href: '/api/v2' }],
            status: [{ href: '/health/ready', type: 'application/json' }],
          },
          {
            anchor: '/api/v2',
            'service-desc': [{ href: '/api/v2/openapi.json', type: 'application/json' }],
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
