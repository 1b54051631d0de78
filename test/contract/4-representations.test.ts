// Validators: no two representations that an address has, at once or one after the other, share an ETag.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ledger } from '../support/domain/ledger.ts'
import { type Question, withService } from '../support/server/service.ts'

interface Representation {
  readonly status: number
  readonly etag: string
  readonly type: string | undefined
  readonly coding: string
  readonly bytes: Buffer
}
const decode = { identity: (bytes: Buffer) => bytes, gzip: gunzipSync, br: brotliDecompressSync }

/** The bytes as they are sent, whatever their coding. */
const fetchBytes = (url: string, method: string, headers: Readonly<Record<string, string>>): Promise<Representation> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { etag, 'content-type': type, 'content-encoding': coding = 'identity' } = response.headers
        resolve({ status: response.statusCode!, etag: etag!, type, coding, bytes: Buffer.concat(chunks) })
      })
    })
    sent.on('error', reject)
    sent.end()
  })

const graphqlUrl = (query: string) => `/graphql?query=${encodeURIComponent(query)}`

withService(
  '4.11 Representations',
  (service) => {
    test('4.11.8 each coding and each media type has a validator of its own, and is 304 for it alone', async () => {
      const fixtures = service().fixtures({
        long: { Post: { title: 'T', content: 'word '.repeat(100), author: '{editor}' } },
        order: { Order: { user: '{viewer}' } },
      })
      const post = await fixtures.idOf('long')
      const token = await service().token(await fixtures.idOf('admin'))
      for (const path of [
        `/api/v2/posts/${post}`,
        `/api/v2/posts/${post}?fields=id,content`,
        `/api/v2/posts/${post}?fields=can,content`,
        `/api/v1/posts/${post}`,
        '/api/v2/users/me',
        '/api/v2/posts',
        `/api/v2/users/${await fixtures.idOf('editor')}/posts`,
        '/api/v2/posts/summary?group_by=author_name,created_at:hour',
        '/api/v2/openapi.json',
        '/.well-known/jwks.json',
        '/docs/assets/overview.js',
        graphqlUrl(`{ post(id: "${post}") { id title content } }`),
        graphqlUrl('{ posts { nodes { author { name posts { title content } } } } }'),
      ]) {
        const seen: Representation[] = []
        for (const accept of ['application/json', 'application/graphql-response+json'])
          for (const coding of ['identity', 'gzip', 'br'] as const) {
            const headers = { Authorization: `Bearer ${token}`, Accept: accept, 'Accept-Encoding': coding }
            const ask = (method: string, tag?: string) =>
              fetchBytes(
                `${service().url}${path}`,
                method,
                tag === undefined ? headers : { ...headers, 'If-None-Match': tag },
              )
            const got = await ask('GET')
            assert.deepEqual([got.status, got.coding], [200, coding], path)
            const text = decode[coding](got.bytes).toString()
            assert.equal(text.includes('�'), false)
            assert.equal((await ask('HEAD')).etag, got.etag, path)
            for (const other of seen) {
              const isSame = other.bytes.equals(got.bytes) && other.type === got.type
              assert.equal(other.etag === got.etag, isSame, `${path}: ${other.etag} and ${got.etag}`)
              assert.equal((await ask('GET', other.etag)).status, isSame ? 304 : 200, path)
            }
            for (const method of ['GET', 'HEAD']) {
              const unchanged = await ask(method, got.etag)
              assert.deepEqual([unchanged.status, unchanged.etag, unchanged.type], [304, got.etag, undefined], path)
            }
            seen.push(got)
          }
        const isGraphql = path.startsWith('/graphql')
        assert.equal(new Set(seen.map(({ etag }) => etag)).size, isGraphql ? 6 : 3, path)
      }
    })

    test('4.11.8 a record is changed on condition of the ETag of any coding', async () => {
      const fixtures = service().fixtures({
        long: { Post: { title: 'T', content: 'word '.repeat(100), author: '{editor}' } },
      })
      const line = '/api/v2/posts/{long}'
      let version = 0
      for (const coding of ['identity', 'gzip', 'br'] as const) {
        version++
        const path = `${service().url}/api/v2/posts/${await fixtures.idOf('long')}`
        const token = await service().token(await fixtures.idOf('editor'))
        const { etag } = await fetchBytes(path, 'GET', { Authorization: `Bearer ${token}`, 'Accept-Encoding': coding })
        assert.match(etag, new RegExp(`^"${version}\\.[\\w-]{43}${coding === 'identity' ? '' : `\\+${coding}`}"$`))
        const change = () =>
          ({ as: 'editor', fixtures, headers: { 'If-Match': etag }, body: { title: coding } }) as const
        assert.equal((await service().send(`PATCH ${line}`, change())).status, 200)
        assert.equal((await service().send(`PATCH ${line}`, change())).status, 409)
      }
    })
  },
  { limits: { compressFromBytes: 50 } },
)

withService(
  '4.11 Representations of addresses',
  (service) => {
    const customer = { externalId: 'k', region: 'eu', name: 'First', code: 'c', owner: '{viewer}' }
    const ask = async (line: string, question: Question) => {
      const { status, headers, body } = await service().send(line, question)
      return { status, etag: headers['etag']!, data: body?.data }
    }

    test('4.11.5 an address that names another record later has another ETag, and If-Match notices', async () => {
      const fixtures = service().fixtures({ customer: { Customer: customer } })
      await fixtures.idOf('customer')
      const as = { as: 'viewer', fixtures } as const
      for (const at of ['/api/v2/customers/by/external_id/k', '/api/v2/customers/by/region/eu/code/c/level/1']) {
        const tags = new Set<string>()
        for (const query of ['', '?fields=name', '?fields=can,name']) {
          const first = await ask(`GET ${at}${query}`, as)
          assert.equal(first.status, 200)
          assert.equal(
            (await ask(`GET ${at}${query}`, { ...as, headers: { 'If-None-Match': first.etag } })).status,
            304,
          )
          tags.add(first.etag)
        }
        const whole = (await ask(`GET ${at}`, as)).etag
        assert.match(whole, /^"1\.[\w-]{43}\.cus_\w{26}"$/)
        assert.equal((await ask(`DELETE ${at}`, as)).status, 204)
        const { externalId: external_id, region, code } = customer
        const made = { external_id, region, code, name: 'Second' }
        assert.equal((await ask('POST /api/v2/customers', { ...as, body: made })).status, 201)
        for (const query of ['', '?fields=name', '?fields=can,name'])
          for (const etag of tags) {
            const later = await ask(`GET ${at}${query}`, { ...as, headers: { 'If-None-Match': etag } })
            assert.deepEqual([later.status, later.data.name], [200, 'Second'])
          }
        // The new record has the same version as the one that the client read.
        const headers = { 'If-Match': whole }
        const body = { name: 'Third' }
        assert.equal((await ask(`PATCH ${at}`, { ...as, headers, body })).status, 409)
        const fresh = (await ask(`GET ${at}`, as)).etag
        const changed = await ask(`PATCH ${at}`, { ...as, headers: { 'If-Match': fresh }, body })
        assert.equal(changed.status, 200)
        assert.equal((await ask(`DELETE ${at}`, as)).status, 204)
        assert.equal((await ask('POST /api/v2/customers', { ...as, body: { ...made, name: 'First' } })).status, 201)
      }
    })

    test('4.11.4, 4.11.9 fields, can and older names have ETags of their own', async () => {
      const fixtures = service().fixtures({
        customer: { Customer: { ...customer, externalId: 'other', code: 'other' } },
      })
      const id = await fixtures.idOf('customer')
      const as = { as: 'viewer', fixtures } as const
      const bodies = new Map<string, string>()
      for (const query of ['', '?fields=id', '?fields=name', '?fields=id,name', '?fields=can', '?fields=id,can'])
        for (const version of ['v1', 'v2']) {
          const { etag, data } = await ask(`GET /api/${version}/customers/${id}${query}`, as)
          assert.match(etag, /^"1\.[\w-]{43}"$/)
          assert.equal(bodies.get(etag) ?? JSON.stringify(data), JSON.stringify(data), `${version}${query}`)
          bodies.set(etag, JSON.stringify(data))
          const conditional = { ...as, headers: { 'If-None-Match': etag } }
          assert.equal((await ask(`GET /api/${version}/customers/${id}${query}`, conditional)).status, 304)
        }
      // Where no name differs, both versions send the same bytes.
      assert.equal(bodies.size, 7)
      const older = await ask(`PATCH /api/v1/customers/${id}`, { ...as, body: { name: 'New' } })
      assert.equal(
        (await ask(`GET /api/v1/customers/${id}`, { ...as, headers: { 'If-None-Match': older.etag } })).status,
        304,
      )
    })

    test('4.11.5 two callers of me share no ETag', async () => {
      const fixtures = service().fixtures({})
      const as = { as: 'viewer', fixtures } as const
      const { etag, status } = await ask('GET /api/v2/users/me', as)
      assert.equal(status, 200)
      const other = { as: 'other viewer', fixtures, headers: { 'If-None-Match': etag } } as const
      assert.equal((await ask('GET /api/v2/users/me', other)).status, 200)
    })
  },
  { definition: ledger },
)
