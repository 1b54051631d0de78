// Apollo Client, as it comes from npm, against the running service. (contract 4.9)

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { CombinedGraphQLErrors } from '@apollo/client/errors'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { relayStylePagination } from '@apollo/client/utilities'
import { recordFetch } from '../support/client/recorded-fetch.ts'
import { type TestService, withService } from '../support/server/service.ts'

const sha256 = (text: string) => hash('sha256', text, 'hex')

function clientOf({ url }: TestService, sha256Of = sha256) {
  const recorded = recordFetch()
  const client = new ApolloClient({
    cache: new InMemoryCache({
      typePolicies: { Query: { fields: { posts: relayStylePagination(['filter', 'sort']) } } },
    }),
    link: ApolloLink.from([
      new PersistedQueryLink({ sha256: sha256Of, useGETForHashedQueries: true }),
      new HttpLink({ uri: `${url}/graphql`, fetch: recorded.fetch }),
    ]),
    defaultOptions: { query: { fetchPolicy: 'network-only' } },
  })
  return { client, ...recorded }
}

withService('Apollo Client: persisted queries', (service) => {
  const products = gql`query Products { products(first: 1) { nodes { id name } } }`

  test('an unknown hash is missed, the text registered, and the hash alone answered from then on', async () => {
    await service().fixtures().idOf('product')
    const { client, taken } = clientOf(service())
    const first = await client.query({ query: products })
    const [missed, registered] = taken()
    assert.deepEqual([missed!.method, missed!.hasText, missed!.status], ['GET', false, 422])
    assert.equal(missed!.headers.get('cache-control'), 'no-store')
    assert.deepEqual([registered!.method, registered!.hasText, registered!.status], ['POST', true, 200])

    const again = await client.query({ query: products })
    assert.deepEqual(again.data, first.data)
    const [hit, ...more] = taken()
    assert.deepEqual([hit!.method, hit!.hasText, hit!.status, more], ['GET', false, 200, []])
  })

  test('a GET of public records may be kept by caches, and is confirmed by its ETag', async () => {
    const { client, taken } = clientOf(service())
    await client.query({ query: products })
    const { url, headers } = taken().at(-1)!
    assert.equal(headers.get('cache-control'), 'public, max-age=60')
    assert.match(headers.get('vary')!, /\bAccept\b/)
    const accept = 'application/graphql-response+json,application/json;q=0.9'
    const confirmed = await fetch(url, { headers: { accept, 'if-none-match': headers.get('etag')! } })
    assert.deepEqual([confirmed.status, await confirmed.text()], [304, ''])
  })

  test('variables go along with the hash', async () => {
    const { client, taken } = clientOf(service())
    const query = gql`query Page($size: Int!) { products(first: $size) { nodes { id } } }`
    for (const size of [1, 2]) await client.query({ query, variables: { size } })
    assert.deepEqual(
      taken().map(({ method }) => method),
      ['GET', 'POST', 'GET'],
    )
  })

  test('the hash of another text is refused, and nothing is registered under it', async () => {
    const wrong = sha256('another text')
    const { client, taken } = clientOf(service(), () => wrong)
    for (const _ of ['once', 'again']) {
      await assert.rejects(client.query({ query: products }), (error) => {
        assert.ok(CombinedGraphQLErrors.is(error))
        assert.deepEqual(error.errors[0]!.extensions!['code'], 'VALIDATION_ERROR')
        return true
      })
      assert.deepEqual(
        taken().map(({ hasText, status }) => [hasText, status]),
        [
          [false, 422],
          [true, 422],
        ],
      )
    }
  })

  test('mutations are persisted as well, and always sent by POST', async () => {
    const { client, taken } = clientOf(service())
    const mutation = gql`mutation Write($name: String!) { createPost(input: { title: $name, content: "C" }) { title } }`
    const Authorization = `Bearer ${await service().token(await service().fixtures().idOf('editor'))}`
    for (const name of ['one', 'two']) {
      const { data } = await client.mutate({ mutation, variables: { name }, context: { headers: { Authorization } } })
      assert.deepEqual(data, { createPost: { __typename: 'Post', title: name } })
    }
    assert.deepEqual(
      taken().map(({ method, hasText }) => [method, hasText]),
      [
        ['POST', false],
        ['POST', true],
        ['POST', false],
      ],
    )
  })
})

withService('Apollo Client: relayStylePagination', (service) => {
  const query = gql`
    query Posts($first: Int, $after: String, $last: Int, $before: String) {
      posts(first: $first, after: $after, last: $last, before: $before, sort: [CREATED_AT_ASC]) {
        edges { cursor node { id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  `
  interface Page {
    readonly posts: {
      readonly edges: readonly { readonly node: { readonly id: string } }[]
      readonly pageInfo: {
        readonly hasNextPage: boolean
        readonly hasPreviousPage: boolean
        readonly startCursor: string
        readonly endCursor: string
      }
    }
  }
  const idsOf = ({ posts }: Page) => posts.edges.map(({ node }) => node.id)

  test('pages forward and backward; both end with the whole list in order', async () => {
    const ids: string[] = []
    for (let count = 0; count < 7; count++) ids.push(await service().fixtures().idOf('post'))
    assert.deepEqual(await collect('forward'), { pages: [3, 6, 7], ids })
    assert.deepEqual(await collect('backward'), { pages: [3, 6, 7], ids })
  })

  /** How long the list in the cache is after each page, and what is in it at the end. */
  async function collect(direction: 'forward' | 'backward') {
    const { client } = clientOf(service())
    const size = direction === 'forward' ? { first: 3 } : { last: 3 }
    await client.query({ query, variables: size })
    const posts = client.watchQuery<Page>({ query, variables: size })
    const watching = posts.subscribe(() => {})
    const pages: number[] = []
    for (;;) {
      const page = client.cache.readQuery<Page>({ query, variables: size })!
      pages.push(idsOf(page).length)
      const { hasNextPage, hasPreviousPage, endCursor, startCursor } = page.posts.pageInfo
      const isOver = direction === 'forward' ? !hasNextPage : !hasPreviousPage
      if (isOver) {
        watching.unsubscribe()
        return { pages, ids: idsOf(page) }
      }
      const from = direction === 'forward' ? { after: endCursor } : { before: startCursor }
      await posts.fetchMore({ variables: { ...size, ...from } })
    }
  }
})
