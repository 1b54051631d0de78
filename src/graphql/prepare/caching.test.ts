// Who may keep an answer of GraphQL: caches of all resources that it reads. (contract 4.11.7)

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anyone, service as define, one, resource, text } from 'duet-api'
import { accounts, User } from '../../../test/support/domain/account.ts'
import { assertAnswer, declareRows, get, post } from '../../../test/support/rows/graphql.ts'
import { startTestService, type TestService } from '../../../test/support/server/service.ts'

const me = { query: '{ me { name } }' }

let service: TestService
before(async () => {
  service = await startTestService('sqlite')
})
after(() => service.stop())

const products = '{ products { nodes { name } } }'
const vary = 'Authorization, X-API-Key, Accept'
declareRows(() => service, '4.11.7 caches may keep what is read by GET', [
  [
    'products',
    get({ query: products }),
    {},
    { status: 200, headers: { 'cache-control': 'public, max-age=60', vary, etag: /^"[\w-]+"$/ } },
  ],
  [
    'products, for any caller',
    get({ query: products }),
    { as: 'viewer' },
    { status: 200, headers: { 'cache-control': 'public, max-age=60' } },
  ],
  [
    'how many products',
    get({ query: '{ products { totalCount } }' }),
    {},
    { status: 200, headers: { 'cache-control': 'public, max-age=60' } },
  ],
  [
    'posts',
    get({ query: '{ posts { nodes { id } } }' }),
    {},
    { status: 200, headers: { 'cache-control': 'public, no-cache' } },
  ],
  [
    'posts, of an author',
    get({ query: '{ posts { nodes { id } } }' }),
    { as: 'viewer' },
    { status: 200, headers: { 'cache-control': 'private, no-cache' } },
  ],
  [
    'the strictest',
    get({ query: `{ products { totalCount } posts { totalCount } }` }),
    {},
    { status: 200, headers: { 'cache-control': 'public, no-cache' } },
  ],
  [
    'the strictest, below',
    get({ query: '{ posts { nodes { author { id } } } }' }),
    { as: 'viewer' },
    { status: 200, headers: { 'cache-control': 'private, no-cache' } },
  ],
  [
    'not what has errors',
    get(me),
    {},
    { status: 200, code: 'UNAUTHENTICATED', headers: { 'cache-control': 'no-store', etag: undefined } },
  ],
  [
    'not what is refused',
    get({ query: '{ x }' }),
    {},
    { status: 200, code: 'GRAPHQL_VALIDATION_FAILED', headers: { 'cache-control': 'no-store' } },
  ],
  [
    'not what is posted',
    post,
    { body: { query: products } },
    { status: 200, headers: { 'cache-control': 'no-store' } },
  ],
])

test('what has not changed is 304 (contract 4.11.3)', async () => {
  const { headers } = await service.send(get({ query: products }))
  const again = (value: string) => service.send(get({ query: products }), { headers: { 'If-None-Match': value } })
  assertAnswer(await again(`"other", W/${headers.etag}`), {
    status: 304,
    headers: { etag: headers.etag, vary, 'cache-control': 'public, max-age=60' },
  })
  assertAnswer(await again('"other"'), { status: 200 })
})

test('4.11.7 what may be kept is no longer once it leads to what may not', async () => {
  const Label = resource('Label', {
    prefix: 'lbl',
    fields: { name: text({ max: 40 }) },
    actions: { read: { allow: anyone } },
  })
  const Parcel = resource('Parcel', {
    prefix: 'pcl',
    fields: { name: text({ max: 40 }), label: one('Label') },
    actions: { read: { allow: anyone, maxAgeSeconds: 60 } },
  })
  const definition = define({ resources: { User, Label, Parcel }, accounts, roles: { ANY: {} } })
  const labels = await startTestService('sqlite', { definition })
  try {
    const fixtures = labels.fixtures({
      label: { Label: { name: 'L' } },
      parcel: { Parcel: { name: 'P', label: '{label}' } },
    })
    const parcel = await fixtures.idOf('parcel')
    for (const [fields, expected] of [
      ['name', 'public, max-age=60'],
      ['label { name }', 'public, no-cache'],
    ] as const)
      for (const query of [`{ parcel(id: "${parcel}") { ${fields} } }`, `{ parcels { nodes { ${fields} } } }`]) {
        const { headers, text: answer } = await labels.send(get({ query }))
        assert.equal(headers['cache-control'], expected, `${query} ${answer}`)
      }
  } finally {
    await labels.stop()
  }
})
