// What a document may ask for: one too many is refused before any database call, however the document comes. (contract 8.2)

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, test } from 'node:test'
import { cost, nothing, withQuietService } from '../support/check/statement-counter.ts'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import type { TestService } from '../support/server/service.ts'

const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ')
/** Of so many tokens: brackets and names. */
const ofTokens = (count: number): string => `{ ${times(count - 2, () => 'a')} }`
const mutations = (count: number): string => `mutation { ${times(count, (at) => `a${at}: deletePost(id: "x")`)} }`
/** 1 for the record, 1 for each of its scalars. */
const costing = (points: number): string => `{ node(id: "x") { ${times(points - 1, (at) => `i${at}: id`)} } }`

interface Limit {
  readonly name: string
  readonly code: string
  readonly message: RegExp
  /** As much as is allowed, and one more. */
  readonly allowed: string
  readonly refused: string
  readonly variables?: readonly [allowed: object, refused: object]
}
const nodesOf = 'query ($size: Int!) { userList(limit: 100) { posts(limit: $size) { id } } }'
const included = `query ($more: Boolean!) { me { id } ${times(100, (at) => `a${at}: userList @include(if: $more) { id }`)} }`
const limits: readonly Limit[] = [
  {
    name: 'depth',
    code: 'QUERY_TOO_DEEP',
    message: /^Query depth 6 exceeds the maximum of 5\.$/,
    allowed: '{ users { edges { node { posts { author { id } } } } } }',
    refused: '{ users { edges { node { posts { author { posts { id } } } } } } }',
  },
  {
    name: 'depth, of a subscription',
    code: 'QUERY_TOO_DEEP',
    message: /^Query depth 6 exceeds/,
    allowed: 'subscription { postCreated { author { posts { comments { author { id } } } } } }',
    refused: 'subscription { postCreated { author { posts { comments { author { posts { id } } } } } } }',
  },
  {
    name: 'complexity',
    code: 'QUERY_TOO_COMPLEX',
    message: /^Query complexity 101 exceeds the maximum of 100\.$/,
    allowed: costing(100),
    refused: costing(101),
  },
  {
    name: 'complexity, by a variable',
    code: 'QUERY_TOO_COMPLEX',
    message: /^Query complexity 1102 exceeds/,
    allowed: included,
    refused: included,
    variables: [{ more: false }, { more: true }],
  },
  {
    name: 'nodes, by a variable',
    code: 'QUERY_TOO_COMPLEX',
    message: /^Query nodes 10100 exceed the maximum of 10000\.$/,
    allowed: nodesOf,
    refused: nodesOf,
    variables: [{ size: 99 }, { size: 100 }],
  },
  {
    name: 'tokens',
    code: 'GRAPHQL_PARSE_FAILED',
    message: /more than 2000 tokens/,
    // How many are allowed is told in document.test.ts: a document of 2,000 that is valid, too, is a large one.
    allowed: '{ __typename }',
    refused: ofTokens(2_001),
  },
  {
    name: 'root mutations',
    code: 'QUERY_TOO_COMPLEX',
    message: /^Query root mutations 11 exceed the maximum of 10\.$/,
    allowed: mutations(10),
    refused: mutations(11),
  },
]

interface Refused {
  readonly message: string
  readonly extensions: { readonly code: string }
}
/** Sends a document and answers the errors of a request that was refused as a whole; null where it was run. */
type Way = (service: TestService, query: string, variables?: object) => Promise<readonly Refused[] | null>

const wholeErrors = (body: { errors?: readonly Refused[]; data?: unknown }) => ('data' in body ? null : body.errors!)
const persisted = (query: string) => ({ persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } })

async function overSocket(service: TestService, query: string, payload: object): Promise<readonly Refused[] | null> {
  const socket = await TestSocket.ready(service.url)
  socket.subscribe('1', query, payload)
  let first: Frame | null = null
  // A subscription that was taken says nothing; what is asked behind it is answered after it.
  if (query.startsWith('subscription')) socket.subscribe('2', '{ __typename }')
  first = await socket.next()
  await socket.close()
  return first.type === 'error' ? (first.payload as readonly Refused[]) : null
}

const ways: Readonly<Record<string, Way>> = {
  POST: async (service, query, variables) => wholeErrors((await service.graphql(query, { variables })).body),
  GET: async (service, query, variables = {}) => {
    const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) })
    return wholeErrors((await service.send(`GET /graphql?${parameters}`)).body)
  },
  'a persisted query': async (service, query, variables) => {
    const body = { query, variables, extensions: persisted(query) }
    return wholeErrors((await service.send('POST /graphql', { body })).body)
  },
  WebSocket: (service, query, variables) => overSocket(service, query, { variables }),
  'a persisted query over WebSocket': (service, query, variables) =>
    overSocket(service, query, { variables, extensions: persisted(query) }),
}
/** Subscriptions go over WebSocket alone, and mutations by no GET. */
const isTaken = (way: string, query: string): boolean =>
  query.startsWith('subscription') ? way.includes('WebSocket') : way !== 'GET' || !query.startsWith('mutation')

withQuietService(
  '8.2 Query limits',
  (service) => {
    for (const [way, ask] of Object.entries(ways)) {
      describe(`over ${way}`, () => {
        for (const { name, code, message, allowed, refused, variables = [] } of limits) {
          if (!isTaken(way, allowed)) continue
          test(`8.2.1 ${name}`, async () => {
            assert.equal(await ask(service(), allowed, variables[0]), null, 'as much as is allowed')
            await ask(service(), refused, variables[1])
            let errors: readonly Refused[] = []
            const spent = await cost(service(), async () => {
              errors = (await ask(service(), refused, variables[1]))!
            })
            assert.deepEqual(
              errors.map((each) => each.extensions.code),
              [code],
            )
            assert.match(errors[0]!.message, message)
            assert.deepEqual(spent, nothing)
          })
        }
      })
    }
  },
  { environment: { LIMIT_QUERY_COMPLEXITY: '100' } },
)
