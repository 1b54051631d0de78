// GraphQL: its errors, schema, persisted queries, limits. (7.3, 4.8, 4.9, 8.2)

import { createHash } from 'node:crypto'
import type { Define, Scene } from '../../kit/clause.ts'
import { camelCased } from '../../kit/kit.ts'
import { missingId } from '../../kit/values.ts'

export function defineGraphql(define: Define): void {
  defineProtocol(define)
  defineSchema(define)
  defineDocuments(define)
  defineLimits(define)
}

function defineProtocol(define: Define): void {
  define('7.3.1', ['graphql'], async ({ kit, subject }) => {
    ;(await kit.graphql('{ noSuchField }')).is(200).hasError('GRAPHQL_VALIDATION_FAILED')
    ;(await kit.graphql('{')).is(200).hasError('GRAPHQL_PARSE_FAILED')
    const refused = await kit.graphql(`{ ${subject.list} { id } }`, undefined, {
      headers: { Authorization: 'Bearer x' },
    })
    refused.is(200).hasError('INVALID_TOKEN').has('data', refused.json.data, undefined)
  })

  define('7.3.3', ['graphql'], async ({ kit, subject }) => {
    const id = missingId(subject)
    const answer = await kit.graphql(`{ a: ${subject.one}(id: "${id}") { id } b: __typename }`)
    answer.is(200).hasError().has('data', answer.data, { a: null, b: 'Query' })
    answer.has('path', answer.json.errors[0].path, ['a'])
  })

  define('7.3.4', ['graphql'], async ({ kit }) => {
    const send = (text: string, headers = {}) => kit.send('POST /graphql', { text, headers })
    ;(await send('{')).is(400)
    ;(await send('{}')).is(400)
    ;(await send('{"query":7}')).is(400)
    ;(await send('{}', { 'Content-Type': 'text/plain' })).is(415)
    ;(await send(JSON.stringify({ query: `{ a(b: "${'x'.repeat(256 * 1024)}") }` }))).is(413)
    const mutation = encodeURIComponent('mutation { __typename }')
    const answer = (await kit.send(`GET /graphql?query=${mutation}`)).is(405)
    answer.matches('Allow', answer.headers.allow, /POST/)
  })

  define('7.3.5', ['graphql'], async ({ kit }) => {
    ;(await kit.send('POST /graphql', { body: [{ query: '{ __typename }' }] })).is(400)
  })

  define('7.3.6', ['graphql'], async ({ kit }) => {
    const type = async (accept: string | null) => {
      const headers: Record<string, string> = accept === null ? {} : { Accept: accept }
      const answer = (await kit.send('POST /graphql', { body: { query: '{ __typename }' }, headers })).is(200)
      return [answer, answer.headers['content-type']!.split(';')[0]] as const
    }
    const modern = 'application/graphql-response+json'
    for (const [accept, expected] of [
      [null, 'application/json'],
      ['*/*', 'application/json'],
      ['text/html', 'application/json'],
      [modern, modern],
      [`${modern}, application/json`, modern],
      [`application/json, ${modern}`, 'application/json'],
      [`application/json;q=0.5, ${modern};q=0.9`, modern],
    ] as const) {
      const [answer, received] = await type(accept)
      answer.has(`Content-Type for ${accept}`, received, expected)
    }
  })

  define('7.3.9', ['graphql'], async ({ kit }) => {
    const headers = { Accept: 'application/graphql-response+json' }
    const send = (body: object, more = {}) => kit.send('POST /graphql', { body, headers: { ...headers, ...more } })
    ;(await send({ query: '{' })).is(400).hasError()
    for (const body of [
      {},
      { query: '{ noSuchField }' },
      { query: 'query ($x: Int!) { __typename @include(if: $x) }' },
      { extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    ])
      (await send(body)).is(422).hasError()
    ;(await send({ query: '{ __typename }' }, { Authorization: 'Bearer x' })).is(401)
  })

  define('7.3.10', ['graphql'], async ({ kit, subject }) => {
    const headers = { Accept: 'application/graphql-response+json' }
    const send = (query: string) => kit.send('POST /graphql', { body: { query }, headers })
    ;(await send('{ __typename }')).is(200)
    const begun = (await send(`{ ${subject.one}(id: "${missingId(subject)}") { id } }`)).is(294)
    begun.hasError().has('Content-Type', begun.headers['content-type']?.split(';')[0], headers.Accept)
  })

  define('7.3.8', ['graphql'], async ({ kit, subject }) => {
    const { one } = subject
    const variable = await kit.graphql(`query ($id: ID!) { ${one}(id: $id) { id } }`, { id: {} })
    variable.hasError('VALIDATION_ERROR').require(variable.detailFields().length > 0, 'details', 'none')
    ;(await kit.graphql(`{ ${one}(id: {}) { id } }`)).hasError('GRAPHQL_VALIDATION_FAILED')
  })

  define('5.4.4', ['graphql', 'production'], async ({ kit }) => {
    ;(await kit.graphql('{ __schema { types { name } } }')).hasError()
    const answer = (await kit.graphql('{ __typenam }')).hasError('GRAPHQL_VALIDATION_FAILED')
    answer.require(!/did you mean/i.test(answer.text), 'no suggestion', answer.json.errors[0].message)
  })
}

/** Creates records, and returns the argument of lists that leaves them: other tests create and delete at the same time. */
async function ownRecords({ kit, subject }: Scene, count: number): Promise<string> {
  const { field } = subject.profile.text!
  const mark = kit.unique()
  await subject.makeMany(count, () => ({ [field]: `${mark} ${kit.unique()}` }))
  return `where: { ${subject.field(field)}: { startsWith: "${mark}" } }`
}

function defineSchema(define: Define): void {
  define('4.8.1', ['graphql', 'where', 'text'], async (scene) => {
    const { kit, subject } = scene
    const own = await ownRecords(scene, 1)
    const query = `{ c: ${subject.connection}(first: 1, ${own}) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }
      l: ${subject.list}(limit: 1, offset: 0, ${own}) { id } }`
    const answer = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    answer.has('nodes', answer.data.c.edges[0].node, answer.data.l[0])
    answer.has('endCursor', answer.data.c.pageInfo.endCursor, answer.data.c.edges[0].cursor)
  })

  define('4.8.2', ['graphql'], async ({ kit, subject }) => {
    await subject.make()
    const query = `{ c: ${subject.connection}(first: 1) { nodes { id } totalCount } }`
    const answer = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    answer.has('nodes', answer.data.c.nodes.length, 1).require(answer.data.c.totalCount >= 1, 'a totalCount', 'none')
  })

  define('4.8.4', ['graphql', 'where', 'text'], async (scene) => {
    const { kit, subject } = scene
    const own = await ownRecords(scene, 3)
    const page = async (argument: string) => {
      const selection = '{ nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }'
      return kit.graphql(`{ c: ${subject.connection}(${argument}, ${own}) ${selection} }`, undefined, {
        as: subject.creator,
      })
    }
    for (const wrong of ['first: 0', 'first: 1, last: 1', 'first: 101', 'last: -1'])
      (await page(wrong)).hasError('VALIDATION_ERROR')
    const first = (await page('first: 1')).succeeds()
    first.has('pageInfo', first.data.c.pageInfo.hasNextPage, true)
    const after = (await page(`first: 1, after: "${first.data.c.pageInfo.endCursor}"`)).succeeds()
    after.has('hasPreviousPage', after.data.c.pageInfo.hasPreviousPage, true)
    const back = (await page(`last: 1, before: "${after.data.c.pageInfo.startCursor}"`)).succeeds()
    back
      .has('the page before', back.data.c.nodes, first.data.c.nodes)
      .has('hasNextPage', back.data.c.pageInfo.hasNextPage, true)
  })

  define('4.8.5', ['graphql', 'sort'], async ({ kit, subject }) => {
    const name = (subject.profile.sort!.find((each) => !each.includes('.')) ?? 'created_at').toUpperCase()
    for (const sort of ['CREATED_AT_DESC', `${name}_ASC`, `[${name}_DESC]`])
      (
        await kit.graphql(`{ ${subject.list}(limit: 2, sort: ${sort}) { id } }`, undefined, { as: subject.creator })
      ).succeeds()
    ;(await kit.graphql(`{ ${subject.list}(sort: NO_SUCH_ASC) { id } }`)).hasError('GRAPHQL_VALIDATION_FAILED')
  })

  define('4.8.6', ['graphql', 'change', 'delete', 'text'], async ({ kit, subject }) => {
    const { type } = subject.profile
    const as = subject.creator
    const made = (await subject.mutate(await subject.input())).succeeds()
    const { id } = made.data.made
    const input = camelCased(await kit.fill(subject.profile.change!))
    const update = `mutation ($id: ID!, $input: Update${type}Input!) { x: update${type}(id: $id, input: $input) { id } }`
    ;(await kit.graphql(update, { id, input }, { as })).succeeds()
    const removed = await kit.graphql(`mutation { x: delete${type}(id: "${id}") }`, undefined, { as })
    removed.succeeds().has('the answer of delete', removed.data.x, true)
    ;(await kit.send(`GET ${subject.path}/${id}`, { as })).fails(404)
  })

  define('4.8.7', ['graphql', 'text'], async ({ subject }) => {
    const { field, max } = subject.profile.text!
    const answer = await subject.mutate({ ...(await subject.input()), [field]: 'x'.repeat(max + 1) })
    answer.hasError('VALIDATION_ERROR').names(subject.field(field))
  })

  define('4.8.8', ['graphql'], async ({ kit, subject }) => {
    const mine = (await kit.graphql('{ me { id } }', undefined, { as: subject.creator })).succeeds()
    mine.matches('me.id', mine.data.me.id, /./)
    const none = (await kit.graphql('{ me { id } }')).hasError('UNAUTHENTICATED')
    none.has('me', none.data.me, null)
  })

  define('4.8.9', ['graphql'], async ({ kit, subject }) => {
    const answer = await kit.graphql(`{ x: ${subject.one}(id: "${missingId(subject)}") { id } }`, undefined, {
      as: subject.creator,
    })
    answer.is(200).has('data', answer.data, { x: null }).has('path', answer.json.errors[0].path, ['x'])
    answer.matches('code', answer.json.errors[0].extensions.code, /^(?:[A-Z]+_)*NOT_FOUND$/)
  })

  define('4.8.11', ['graphql'], async ({ kit, subject }) => {
    const { id } = await subject.make()
    const answer = await kit.graphql(`{ node(id: "${id}") { id __typename } }`, undefined, { as: subject.creator })
    answer.succeeds().has('node', answer.data.node, { id, __typename: subject.profile.type })
  })

  define('4.8.12', ['graphql'], async ({ kit, subject }) => {
    const { id } = await subject.make()
    const answer = await kit.graphql(`{ x: ${subject.one}(id: "${id}") { id } }`, undefined, { as: subject.creator })
    answer.succeeds().has('data', answer.data, { x: { id } })
  })

  define('4.8.13', ['graphql'], async ({ kit, subject }) => {
    const query = `query ($id: ID!) { x: ${subject.one}(id: $id) { id } }`
    const { id } = await subject.make()
    ;(await kit.graphql(query, { id }, { as: subject.creator })).succeeds()
    ;(await kit.graphql(query, {}, { as: subject.creator })).hasError('VALIDATION_ERROR')
    ;(await kit.graphql(`{ x: ${subject.one}(id: $id) { id } }`, { id })).hasError('GRAPHQL_VALIDATION_FAILED')
  })

  define('4.8.14', ['graphql', 'lists'], async ({ kit, subject }) => {
    const { id } = await subject.make()
    const [list] = Object.keys(subject.profile.lists!)
    const query = `{ a: ${subject.one}(id: "${id}") { ${subject.field(list!)}(limit: 101) { id } } b: ${subject.list}(limit: 1) { id } }`
    const answer = (await kit.graphql(query, undefined, { as: subject.creator })).hasError('VALIDATION_ERROR')
    answer.require(Array.isArray(answer.data?.b), 'an answer of the other field', answer.text)
  })

  define('1.1.2', ['graphql', 'hidden'], async ({ kit, subject }) => {
    const made = await subject.make()
    for (const as of [null, subject.profile.other!]) {
      ;(await kit.send(`GET ${made.target}`, { as })).isHidden()
      const answer = await kit.graphql(`{ x: ${subject.one}(id: "${made.id}") { id } }`, undefined, { as })
      answer.hasError().has('data', answer.data, { x: null })
    }
  })

  define('2.9.3', ['graphql', 'text'], async ({ kit, subject }) => {
    const { type } = subject.profile
    const answer = await kit.graphql(`mutation { create${type} { id } }`, undefined, { as: subject.creator })
    answer.hasError('GRAPHQL_VALIDATION_FAILED')
  })
}

function defineDocuments(define: Define): void {
  const persisted = (query: string) => ({
    persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
  })
  const unknown = (kit: Scene['kit']) => `{ ${kit.unique()}: __typename }`

  define('4.9.1', ['graphql'], async ({ kit, subject }) => {
    const { id } = await subject.make()
    const query = encodeURIComponent(`query Q($id: ID!) { x: ${subject.one}(id: $id) { id } } query R { __typename }`)
    const variables = encodeURIComponent(JSON.stringify({ id }))
    const target = `/graphql?query=${query}&variables=${variables}&operationName=Q`
    const answer = (await kit.send(`GET ${target}`, { as: subject.creator })).succeeds()
    answer.has('data', answer.data, { x: { id } })
  })

  define('4.9.2', ['graphql'], async ({ kit }) => {
    const query = unknown(kit)
    const extensions = persisted(query)
    const first = await kit.send('POST /graphql', { body: { extensions } })
    first.hasError('PERSISTED_QUERY_NOT_FOUND').has('message', first.json.errors[0].message, 'PersistedQueryNotFound')
    ;(await kit.send('POST /graphql', { body: { query, extensions } })).succeeds()
    ;(await kit.send('POST /graphql', { body: { extensions } })).succeeds()
    const wrong = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } }
    ;(await kit.send('POST /graphql', { body: { query, extensions: wrong } })).hasError()
    ;(await kit.send('POST /graphql', { body: { extensions: wrong } })).hasError('PERSISTED_QUERY_NOT_FOUND')
  })

  define('4.9.3', ['graphql'], async ({ kit }) => {
    const body = { query: '{ __typename }', extensions: { unknown: 1 }, unknown: [] }
    ;(await kit.send('POST /graphql', { body })).succeeds()
  })
}

function defineLimits(define: Define): void {
  define('8.2.1', ['graphql', 'resource'], async ({ kit, subject }) => {
    const complex = Array.from({ length: 120 }, (_, at) => `a${at}: ${subject.list}(limit: 1) { id }`).join(' ')
    const answer = (await kit.graphql(`{ ${complex} }`)).hasError('QUERY_TOO_COMPLEX')
    answer.matches('message', answer.json.errors[0].message, /^Query complexity \d+ exceeds the maximum of 1000\.$/)
    const tokens = Array.from({ length: 2_100 }, () => '__typename').join(' ')
    ;(await kit.graphql(`{ ${tokens} }`)).hasError('GRAPHQL_PARSE_FAILED')
  })

  define('8.2.3', ['graphql'], async ({ kit, subject }) => {
    // 11 for each: a list and its scalar; 90 of them are 990, and 91 are 1,001.
    const aliases = (count: number) =>
      Array.from({ length: count }, (_, at) => `a${at}: ${subject.list}(limit: 1) { id }`).join(' ')
    ;(await kit.graphql(`{ ${aliases(90)} }`, undefined, { as: subject.creator })).succeeds()
    ;(await kit.graphql(`{ ${aliases(91)} }`)).hasError('QUERY_TOO_COMPLEX')
  })

  define('8.2.5', ['graphql', 'delete'], async ({ kit, subject }) => {
    const { type } = subject.profile
    const deletes = (count: number) =>
      Array.from({ length: count }, (_, at) => `d${at}: delete${type}(id: "${missingId(subject)}")`).join(' ')
    ;(await kit.graphql(`mutation { ${deletes(11)} }`)).hasError('QUERY_TOO_COMPLEX')
    const ten = await kit.graphql(`mutation { ${deletes(10)} }`, undefined, { as: subject.creator })
    ten.require(ten.json.errors[0].extensions.code !== 'QUERY_TOO_COMPLEX', 'ten mutations', ten.text)
  })
}
