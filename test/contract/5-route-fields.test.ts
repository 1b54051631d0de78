// Addresses of the author's own as fields of GraphQL, next to REST: one question, one answer. (contract 5.5.12 to 5.5.14)

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { anyone, integer, route, text } from 'duet-api'
import { buildClientSchema, type GraphQLObjectType, getIntrospectionQuery } from 'graphql'
import { Order } from '../../reference/order.ts'
import { makeKey } from '../support/client/api-key.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { reportRoutes } from '../support/domain/custom-routes.ts'
import { rawRoutes } from '../support/domain/raw-routes.ts'
import { clauses, type Row } from '../support/rows/clauses.ts'
import { beginning, withService } from '../support/server/service.ts'

const order = (user: string, total: number) => ({
  Order: { user, status: 'paid', items: [{ product: '{product}', quantity: 1, unitPrice: 5 }], total, currency: 'EUR' },
})
const product = { Product: { name: 'Pan', category: 'kitchen', price: 5, currency: 'EUR', stock: 9 } }
const post = { Post: { title: 'Open', content: 'C', author: '{editor}', publishedAt: beginning } }
const draft = { Post: { title: 'Mine', content: 'C', author: '{editor}' } }
const sold = {
  buyer: { User: { name: 'Buyer' } },
  product,
  large: order('{buyer}', 700),
  small: order('{buyer}', 30),
  foreign: order('{editor}', 9),
}
const shelf = '/api/v2/shelves/new/posts/{post}'
const sales = '{ salesReport { currency sum orders { orderId total orderedAt } } }'
const pitch = 'mutation ($input: PitchArticleInput!) { pitchArticle(input: $input) { articleId state } }'
const rename = (name: string) =>
  `mutation { renameOnShelf(shelfName: ${name}, postId: "{post}", input: { title: "T" }) }`

const rows: readonly Row[] = [
  {
    clause: '5.5.12',
    it: 'reads as its caller, with objects in lists',
    given: sold,
    as: '{buyer}',
    send: 'GET /api/v2/reports/sales',
    also: sales,
    answer: {
      status: 200,
      data: {
        currency: 'EUR',
        sum: 730,
        orders: [
          { order_id: '{large}', total: 700, ordered_at: /Z$/ },
          { order_id: '{small}', total: 30 },
        ],
      },
    },
  },
  {
    clause: '5.5.12',
    it: 'takes its query as arguments, with the same defaults',
    given: sold,
    as: '{buyer}',
    send: 'GET /api/v2/reports/sales?min_total=31&since=2026-01-01T00%3A00%3A00Z',
    also: {
      query: 'query ($since: String) { salesReport(minTotal: 31, since: $since) { sum } }',
      variables: { since: '2026-01-01T00:00:00Z' },
    },
    answer: { status: 200, data: { sum: 700 } },
  },
  {
    clause: '5.5.12',
    it: 'takes its path as arguments, and ids of what a guest may read',
    given: { post },
    send: `GET ${shelf}`,
    also: 'query Look { shelvedPost(shelfName: new, postId: "{post}") { title callerId } }',
    answer: { status: 200, data: { title: 'Open', caller_id: null } },
  },
  {
    clause: '5.5.12',
    it: 'takes its body as input, and writes by the rules of resources',
    as: 'editor',
    send: 'POST /api/v2/pitches',
    body: { working_title: 'T', lines: ['a', 'b'] },
    also: { query: pitch, variables: { input: { workingTitle: 'T', lines: ['a', 'b'] } } },
    answer: { status: 200, data: { article_id: /^art_/, state: 'in_review' } },
  },
  {
    clause: '5.5.12',
    it: 'is true where it has nothing to say',
    given: { post },
    as: 'editor',
    also: 'mutation { burnOnShelf(shelfName: old, postId: "{post}") }',
    answer: { status: 200, data: true },
    then: [{ send: 'GET /api/v2/posts/{post}', answer: { status: 404, code: 'NOT_FOUND' } }],
  },
  {
    clause: '5.5.12',
    it: 'is a field whatever its version',
    also: '{ namedReport(name: "year") { reportName } }',
    answer: { status: 200, data: { report_name: 'year' } },
  },
  {
    clause: '5.5.13',
    it: 'requires a user who is signed in',
    send: 'GET /api/v2/reports/sales',
    also: sales,
    answer: { status: 401, code: 'UNAUTHENTICATED', path: ['salesReport'] },
  },
  {
    clause: '5.5.13',
    it: 'may do no more than its caller',
    given: { post },
    as: 'other editor',
    send: `PUT ${shelf}`,
    body: { title: 'T' },
    also: rename('new'),
    answer: { status: 403, code: 'FORBIDDEN' },
    then: [{ send: 'GET /api/v2/posts/{post}', answer: { status: 200, data: { title: 'Open' } } }],
  },
  {
    clause: '5.5.13',
    it: 'sees what its caller sees',
    given: { post: draft },
    as: 'viewer',
    send: `GET ${shelf}`,
    also: '{ shelvedPost(shelfName: new, postId: "{post}") { title } }',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '5.5.13',
    it: 'reports no by throwing a failure',
    given: { post },
    as: 'editor',
    send: 'PUT /api/v2/shelves/old/posts/{post}',
    body: { title: 'T' },
    also: rename('old'),
    answer: { status: 409, code: 'CONFLICT', message: 'What is on the old shelf keeps its name.' },
  },
  {
    clause: '5.5.13',
    it: 'reports who may before what is wrong with the input',
    as: 'viewer',
    send: 'POST /api/v2/pitches',
    body: { working_title: '', lines: [] },
    also: { query: pitch, variables: { input: { workingTitle: '', lines: [] } } },
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '5.5.13',
    it: 'reports all problems at once, in the sentences of fields',
    as: 'editor',
    send: 'POST /api/v2/pitches',
    body: { working_title: '', lines: ['a', ''], submit: null },
    also: { query: pitch, variables: { input: { workingTitle: '', lines: ['a', ''], submit: null } } },
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['working_title', 'lines[1]', 'submit'] },
  },
  {
    clause: '5.5.13',
    it: 'names arguments that cannot be',
    as: 'viewer',
    send: 'GET /api/v2/reports/sales?min_total=-1&since=yesterday',
    also: '{ salesReport(minTotal: -1, since: "yesterday") { sum } }',
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['min_total', 'since'] },
  },
  {
    clause: '5.5.13',
    it: 'leads nowhere where a part of the path cannot be what it must be',
    send: 'GET /api/v1/reports/more-than-nine',
    also: '{ namedReport(name: "more-than-nine") { reportName } }',
    answer: { status: 404, code: 'NOT_FOUND', path: ['namedReport'] },
  },
]
clauses("5.5 Fields of the author's own", rows, { routes: reportRoutes })

/** Counts what nobody but the service may count. */
const total = route('GET', '/api/v2/totals', {
  summary: 'Count all orders',
  field: 'orderTotal',
  access: anyone,
  answer: { orders: integer() },
  handle: async ({ asService }) => ({ orders: await asService.records.count(Order) }),
})
const box = route('PUT', '/api/v2/boxes/{boxName}', {
  summary: 'Fill a box',
  field: 'fillBox',
  access: anyone,
  params: { boxName: text({ max: 3 }) },
  body: { count: integer({ max: 9 }) },
  answer: { count: integer() },
  handle: async ({ input }) => input,
})
/** Never ends by itself. */
const waiting: string[] = []
const wait = route('POST', '/api/v2/waits', {
  summary: 'Wait',
  field: 'wait',
  access: anyone,
  body: { password: text({ max: 9 }) },
  answer: { reason: text({ max: 99 }) },
  async handle({ signal, log, input }) {
    log.info('It waits.', input)
    waiting.push('began')
    await once(signal, 'abort')
    waiting.push(String(signal.reason.message))
    return { reason: 'over' }
  },
})

withService(
  "5.5 Fields of the author's own, in one answer with others",
  (service) => {
    const errorsOf = (body: { errors?: readonly { path: unknown; extensions: { code: string } }[] }) =>
      (body.errors ?? []).map(({ path, extensions }) => [path, extensions.code])

    test('5.5.13 a failure leaves the rest of the answer, of queries and of mutations', async () => {
      service().forgetLog()
      const query = await service().graphql('{ brokenReport { count } salesReport { sum } me { id } }', {
        as: 'viewer',
      })
      assert.deepEqual(errorsOf(query.body), [[['brokenReport'], 'INTERNAL_ERROR']])
      assert.deepEqual([query.body.data.brokenReport, query.body.data.salesReport], [null, { sum: 0 }])
      assert.match(
        service().log().join(''),
        /GET \/api\/v2\/reports\/broken answers what its count can be: At most 9\./,
      )
      const mutation = 'mutation { a: burnOnShelf(shelfName: new, postId: "x") auditAll { startedAt } }'
      const { body } = await service().graphql(mutation, { as: 'viewer' })
      assert.deepEqual(errorsOf(body), [[['a'], 'FORBIDDEN']])
      assert.deepEqual(body.data, { a: null, auditAll: { startedAt: service().now().toISOString() } })
    })

    test('5.5.13 what is wrong with the input comes before what is missing', async () => {
      const fill = async (boxName: string, count: number) => {
        const { body } = await service().graphql(
          `mutation { fillBox(boxName: "${boxName}", input: { count: ${count} }) { count } }`,
        )
        const address = await service().send(`PUT /api/v2/boxes/${boxName}`, { body: { count } })
        return [body.errors?.[0].extensions.code, address.body.error?.code]
      }
      assert.deepEqual(await fill('long', 10), ['VALIDATION_ERROR', 'VALIDATION_ERROR'])
      assert.deepEqual(await fill('long', 9), ['NOT_FOUND', 'NOT_FOUND'])
      assert.deepEqual(await fill('box', 9), [undefined, undefined])
    })

    test('5.5.13 its limits count each field, those of REST with them', async () => {
      const ask = async (count: number) => {
        const fields = Array.from({ length: count }, (_, index) => `f${index}: auditAll { startedAt }`)
        return (await service().graphql(`mutation { ${fields.join(' ')} }`, { as: 'other editor' })).body
      }
      assert.equal((await service().send('POST /api/v2/audits', { as: 'other editor' })).status, 202)
      const both = await ask(2)
      assert.equal(both.errors, undefined)
      const third = await ask(1)
      assert.deepEqual(errorsOf(third), [[['f0'], 'RATE_LIMIT_EXCEEDED']])
      assert.equal((await service().send('POST /api/v2/audits', { as: 'other editor' })).status, 429)
      service().advance(60_000)
      const all = await Promise.all(Array.from({ length: 20 }, () => ask(1)))
      assert.equal(all.filter(({ errors }) => errors === undefined).length, 3)
    })

    test('5.5.13 an API key needs the scope of the address', async () => {
      const report = async (...scopes: string[]) => {
        const { headers } = await makeKey(service(), { as: 'viewer' }, scopes)
        return (await service().graphql('{ salesReport { sum } }', { headers })).body
      }
      assert.deepEqual(errorsOf(await report('read:posts')), [[['salesReport'], 'INSUFFICIENT_SCOPE']])
      assert.deepEqual((await report('read:reports', 'read:orders')).data, { salesReport: { sum: 0 } })
    })

    test('5.5.14 it costs 20 unless it names another cost, and what is selected of it counts', async () => {
      const complexity = async (document: string) => {
        const { errors, data } = (await service().graphql(document, { as: 'editor' })).body
        return errors?.[0].message ?? data
      }
      const many = (count: number) =>
        `{ ${Array.from({ length: count }, (_, index) => `a${index}: salesReport(minTotal: ${index}) { sum orders { total } }`).join(' ')} }`
      // 20, 1, 10 and 1.
      assert.equal(await complexity(many(32)), 'Query complexity 1024 exceeds the maximum of 1000.')
      assert.equal(Object.keys(await complexity(many(31))).length, 31)
      const audits = (count: number) =>
        `mutation { ${Array.from({ length: count }, (_, index) => `a${index}: auditAll { startedAt }`).join(' ')} }`
      assert.equal(await complexity(audits(3)), 'Query complexity 1203 exceeds the maximum of 1000.')
    })

    test('5.5.14 no cache keeps it, whoever asks', async () => {
      const control = async (query: string) => {
        const { status, headers } = await service().send(`GET /graphql?${new URLSearchParams({ query })}`)
        return [status, headers['cache-control']]
      }
      assert.deepEqual(await control('{ namedReport(name: "x") { reportName } }'), [200, 'private, no-store'])
      assert.deepEqual(await control('{ namedReport(name: "x") { reportName } posts { nodes { id } } }'), [
        200,
        'private, no-store',
      ])
      assert.deepEqual(await control('{ posts { nodes { id } } }'), [200, 'public, no-cache'])
      assert.equal((await control('mutation { auditAll { startedAt } }'))[0], 405)
    })

    test('5.5.12 the schema has it with types of its own name, and nothing of routes without a field', async () => {
      const { body } = await service().graphql(getIntrospectionQuery())
      const schema = buildClientSchema(body.data)
      const printed = (type: string) => {
        const fields = Object.values((schema.getType(type) as GraphQLObjectType).getFields())
        return fields.map((field) => `${field.name}: ${field.type}`)
      }
      const { salesReport, shelvedPost } = schema.getQueryType()!.getFields()
      const { renameOnShelf, pitchArticle } = schema.getMutationType()!.getFields()
      const signature = ({ args, type }: NonNullable<typeof salesReport>) =>
        `(${args.map((arg) => `${arg.name}: ${arg.type}`).join(', ')}): ${type}`
      assert.equal(signature(salesReport!), '(minTotal: Int, since: String, perPage: Int): SalesReport')
      assert.equal(signature(shelvedPost!), '(shelfName: ShelvedPostShelfName!, postId: ID!): ShelvedPost')
      assert.equal(
        signature(renameOnShelf!),
        '(shelfName: RenameOnShelfShelfName!, postId: ID!, input: RenameOnShelfInput!): Boolean',
      )
      assert.equal(signature(pitchArticle!), '(input: PitchArticleInput!): PitchArticle')
      assert.deepEqual(printed('SalesReport'), ['currency: String', 'sum: Int!', 'orders: [SalesReportOrder!]!'])
      assert.deepEqual(printed('SalesReportOrder'), ['orderId: ID!', 'total: Int!', 'orderedAt: String!'])
      assert.deepEqual(printed('PitchArticleInput'), ['workingTitle: String!', 'lines: [String!]!', 'submit: Boolean'])
      assert.equal(salesReport!.description, 'Sum up paid orders. Allowed: anyone who is signed in.')
      const fields = Object.keys({ ...schema.getQueryType()!.getFields(), ...schema.getMutationType()!.getFields() })
      assert.equal(
        fields.some((name) => /payment|picture|pixel|export/i.test(name)),
        false,
      )
    })

    test('5.5.12 its code learns that the client has left, over HTTP and a WebSocket', async () => {
      service().forgetLog()
      const query = 'mutation { wait(input: { password: "pass-1234" }) { reason } }'
      const until = async (length: number) => {
        while (waiting.length < length) await new Promise((resolve) => setImmediate(resolve))
      }
      const socket = await TestSocket.ready(service().url)
      waiting.splice(0)
      socket.subscribe('1', query)
      await until(1)
      socket.send({ type: 'complete', id: '1' })
      await until(2)
      const abort = new AbortController()
      const request = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query }),
      }
      const answer = fetch(`${service().url}/graphql`, { ...request, signal: abort.signal })
      await until(3)
      abort.abort()
      await assert.rejects(answer)
      await until(4)
      assert.deepEqual(waiting, ['began', 'The client went away.', 'began', 'The client went away.'])
      assert.equal(
        service()
          .log()
          .some((line) => line.includes('pass-1234')),
        false,
      )
      assert.equal(
        service()
          .log()
          .filter((line) => line.includes('It waits.')).length,
        2,
      )
      socket.close()
    })
  },
  {
    routes: [...reportRoutes, ...rawRoutes, box, wait],
    environment: { LIMIT_IP_PER_MINUTE: '1000' },
  },
)

withService(
  "5.5 Fields of the author's own, logged",
  (service) => {
    test('5.5.12 a WebSocket asks it as well, and what its code does is logged', async () => {
      service().forgetLog()
      const socket = await TestSocket.ready(service().url)
      socket.subscribe('1', '{ orderTotal { orders } salesReport { sum } }')
      const { payload } = (await socket.next()) as { payload: { data: object; errors: readonly object[] } }
      assert.deepEqual(payload.data, { orderTotal: { orders: 0 }, salesReport: null })
      assert.equal((await socket.next()).type, 'complete')
      await socket.settled()
      const lines = service()
        .log()
        .map((line) => JSON.parse(line))
      assert.deepEqual(lines.find(({ method }) => method === 'WEBSOCKET').asService, true)
      socket.close()
    })
  },
  { routes: [...reportRoutes, total], logsRequests: true },
)
