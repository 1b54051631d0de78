// urql, as it comes from npm, against the running service. (contract 4.9)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client, fetchExchange, gql } from '@urql/core'
import { persistedExchange } from '@urql/exchange-persisted'
import { recordFetch } from '../support/client/recorded-fetch.ts'
import { type TestService, withService } from '../support/server/service.ts'

type Options = Parameters<typeof persistedExchange>[0]

function clientOf({ url }: TestService, options: Options = {}) {
  const recorded = recordFetch()
  const client = new Client({
    url: `${url}/graphql`,
    fetch: recorded.fetch,
    exchanges: [persistedExchange(options), fetchExchange],
    preferGetMethod: false,
  })
  return { client, ...recorded }
}

withService('urql: persisted queries', (service) => {
  const products = gql`query Products { products(first: 1) { nodes { id name } } }`

  test('an unknown hash is missed, the text registered, and the hash alone answered from then on', async () => {
    await service().fixtures().idOf('product')
    const { client, taken } = clientOf(service())
    const first = await client.query(products, {})
    assert.equal(first.error, undefined)
    assert.deepEqual(
      taken().map(({ method, hasText, status }) => [method, hasText, status]),
      [
        ['GET', false, 422],
        ['GET', true, 200],
      ],
    )
    const again = await client.query(products, {})
    assert.deepEqual(again.data, first.data)
    const [hit, ...more] = taken()
    assert.deepEqual([hit!.method, hit!.hasText, hit!.status, more], ['GET', false, 200, []])
    assert.equal(hit!.headers.get('cache-control'), 'public, max-age=60')
    assert.match(hit!.headers.get('etag')!, /^(W\/)?"/)
  })

  test('the same by POST', async () => {
    const query = gql`query Sizes($size: Int!) { products(first: $size) { nodes { id } } }`
    const { client, taken } = clientOf(service(), { preferGetForPersistedQueries: false })
    for (const size of [1, 2]) assert.equal((await client.query(query, { size })).error, undefined)
    assert.deepEqual(
      taken().map(({ method, hasText, status }) => [method, hasText, status]),
      [
        ['POST', false, 422],
        ['POST', true, 200],
        ['POST', false, 200],
      ],
    )
  })

  test('the hash of another text is refused, and nothing is registered under it', async () => {
    const { client, taken } = clientOf(service(), { generateHash: async () => 'f'.repeat(64) })
    for (const _ of ['once', 'again']) {
      const { error } = await client.query(products, {})
      assert.deepEqual(
        error?.graphQLErrors.map(({ extensions }) => extensions['code']),
        ['VALIDATION_ERROR'],
      )
      assert.deepEqual(
        taken().map(({ hasText, status }) => [hasText, status]),
        [
          [false, 422],
          [true, 422],
        ],
      )
    }
  })
})
