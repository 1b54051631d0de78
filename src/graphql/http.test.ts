import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { assertAnswer, declareRows, get, post, type Row, strict } from '../../test/support/rows/graphql.ts'
import { startTestService, type TestService } from '../../test/support/server/service.ts'

const me = { query: '{ me { name } }' }
const sha = (text: string) => hash('sha256', text, 'hex')
const persisted = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } })

let service: TestService
before(async () => {
  service = await startTestService('sqlite')
})
after(() => service.stop())
const rows = (section: string, all: readonly Row[]) => declareRows(() => service, section, all)

const type = (value: string) => ({ 'Content-Type': value })
const accept = (value: string) => ({ headers: { Accept: value } })
const forged = (value?: string) => ({
  headers: { Authorization: 'Bearer x', ...(value === undefined ? {} : { Accept: value }) },
  body: me,
})

rows('7.3.6 a media type is chosen', [
  [
    'json without Accept',
    post,
    { body: { query: '{ __typename }' } },
    { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
  ],
  [
    'json for */*',
    post,
    { ...accept('*/*'), body: { query: '{ __typename }' } },
    { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
  ],
  [
    'json for something else',
    post,
    { ...accept('text/html'), body: { query: '{ __typename }' } },
    { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
  ],
  [
    'what Accept prefers',
    post,
    { ...accept(strict), body: { query: '{ __typename }' } },
    { status: 200, headers: { 'content-type': `${strict}; charset=utf-8` } },
  ],
  [
    'the highest q',
    post,
    { ...accept(`application/json;q=0.5, ${strict};q=0.9`), body: { query: '{ __typename }' } },
    { status: 200, headers: { 'content-type': `${strict}; charset=utf-8` } },
  ],
  [
    'the first at equal q',
    post,
    { ...accept(`application/json, ${strict}`), body: { query: '{ __typename }' } },
    { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
  ],
])

rows('7.3.9 a status follows from what happened and the media type', [
  ['parsing', post, { body: { query: '{' } }, { status: 200, code: 'GRAPHQL_PARSE_FAILED', data: undefined }],
  [
    'parsing, strict',
    post,
    { ...accept(strict), body: { query: '{' } },
    { status: 400, code: 'GRAPHQL_PARSE_FAILED', data: undefined },
  ],
  [
    'validation',
    post,
    { body: { query: '{ x }' } },
    { status: 200, code: 'GRAPHQL_VALIDATION_FAILED', data: undefined },
  ],
  [
    'validation, strict',
    post,
    { ...accept(strict), body: { query: '{ x }' } },
    { status: 422, code: 'GRAPHQL_VALIDATION_FAILED', data: undefined },
  ],
  [
    'variables',
    post,
    { body: { query: 'query($a: ID!) { user(id: $a) { id } }' } },
    { status: 200, code: 'VALIDATION_ERROR', data: undefined },
  ],
  [
    'variables, strict',
    post,
    { ...accept(strict), body: { query: 'query($a: ID!) { user(id: $a) { id } }' } },
    { status: 422, code: 'VALIDATION_ERROR', data: undefined },
  ],
  [
    'limits',
    post,
    { body: { query: '{ users(first: 100) { nodes { posts(limit: 100) { id } } } }' } },
    { status: 200, code: 'QUERY_TOO_COMPLEX', data: undefined },
  ],
  [
    'limits, strict',
    post,
    { ...accept(strict), body: { query: '{ users(first: 100) { nodes { posts(limit: 100) { id } } } }' } },
    { status: 422, code: 'QUERY_TOO_COMPLEX', data: undefined },
  ],
  [
    'an unknown hash',
    get({ extensions: JSON.stringify(persisted(sha('?'))) }),
    {},
    { status: 200, code: 'PERSISTED_QUERY_NOT_FOUND', message: 'PersistedQueryNotFound', data: undefined },
  ],
  [
    'an unknown hash, strict',
    get({ extensions: JSON.stringify(persisted(sha('?'))) }),
    accept(strict),
    { status: 422, code: 'PERSISTED_QUERY_NOT_FOUND' },
  ],
  ['no query, strict', post, { ...accept(strict), body: {} }, { status: 422, code: 'VALIDATION_ERROR' }],
  ['a list, strict', post, { ...accept(strict), body: [] }, { status: 422, code: 'VALIDATION_ERROR' }],
  ['no JSON, strict', post, { ...accept(strict), body: '{' }, { status: 400, code: 'VALIDATION_ERROR' }],
  ['a field that failed', post, { body: me }, { status: 200, code: 'UNAUTHENTICATED', data: { me: null } }],
  [
    'a field that failed, strict',
    post,
    { ...accept(strict), body: me },
    { status: 294, code: 'UNAUTHENTICATED', data: { me: null } },
  ],
  [
    'data that failed, strict',
    post,
    { ...accept(strict), body: { query: '{ orders { nodes { id } } }' } },
    { status: 294, code: 'UNAUTHENTICATED', data: null },
  ],
  [
    'a refused credential',
    post,
    forged(),
    { status: 200, code: 'INVALID_TOKEN', data: undefined, headers: { 'www-authenticate': undefined } },
  ],
  [
    'a refused credential, strict',
    post,
    forged(strict),
    {
      status: 401,
      code: 'INVALID_TOKEN',
      data: undefined,
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    },
  ],
])

rows('6.2.7 a subscription needs a WebSocket', [
  [
    'by POST',
    post,
    { body: { query: 'subscription { postCreated { id } }' } },
    { status: 200, code: 'VALIDATION_ERROR', data: undefined },
  ],
  [
    'by POST, strict',
    post,
    { ...accept(strict), body: { query: 'subscription { postCreated { id } }' } },
    { status: 422, code: 'VALIDATION_ERROR', data: undefined },
  ],
  [
    'by GET',
    get({ query: 'subscription { postCreated { id } }' }),
    {},
    { status: 200, code: 'VALIDATION_ERROR', data: undefined },
  ],
])

rows('what is no GraphQL request is never 200 (contract 7.3.4)', [
  ['unreadable JSON', post, { body: '{' }, { status: 400, code: 'VALIDATION_ERROR' }],
  [
    'a name given twice',
    post,
    { body: '{"query":"{ me { id } }","query":"{ me { id } }"}' },
    { status: 400, code: 'VALIDATION_ERROR' },
  ],
  ['no body', post, {}, { status: 400, code: 'VALIDATION_ERROR' }],
  ['no query', post, { body: {} }, { status: 400, code: 'VALIDATION_ERROR' }],
  ['no query by GET', 'GET /graphql', {}, { status: 400, code: 'VALIDATION_ERROR' }],
  ['a batch', post, { body: [me, me] }, { status: 400, code: 'VALIDATION_ERROR' }],
  ['text', post, { body: '"{ me { id } }"' }, { status: 400, code: 'VALIDATION_ERROR' }],
  ['a query that is no text', post, { body: { query: 5 } }, { status: 400, code: 'VALIDATION_ERROR' }],
  ['variables that are no object', post, { body: { ...me, variables: [] } }, { status: 400, code: 'VALIDATION_ERROR' }],
  [
    'extensions that are no object',
    post,
    { body: { ...me, extensions: 'x' } },
    { status: 400, code: 'VALIDATION_ERROR' },
  ],
  [
    'an operationName that is no text',
    post,
    { body: { ...me, operationName: {} } },
    { status: 400, code: 'VALIDATION_ERROR' },
  ],
  ['variables by GET that are no JSON', get({ ...me, variables: '{' }), {}, { status: 400, code: 'VALIDATION_ERROR' }],
  ['a parameter given twice', `${get(me)}&query=x`, {}, { status: 400, code: 'VALIDATION_ERROR' }],
  ['a parameter that is no UTF-8', 'GET /graphql?query=%ff', {}, { status: 400, code: 'VALIDATION_ERROR' }],
  [
    'another media type',
    post,
    { headers: type('text/plain'), body: me },
    { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  ],
  [
    'a form',
    post,
    { headers: type('application/x-www-form-urlencoded'), body: 'query=x' },
    { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  ],
  [
    'application/graphql',
    post,
    { headers: type('application/graphql'), body: '{ me { id } }' },
    { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  ],
  [
    'too large a body',
    post,
    { body: { query: `#${'x'.repeat(262_144)}` } },
    { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  ],
  [
    'another method',
    'PUT /graphql',
    { body: me },
    { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'GET, HEAD, OPTIONS, POST' } },
  ],
  [
    'a mutation by GET',
    get({ query: 'mutation { deletePost(id: 1) }' }),
    {},
    { status: 405, code: 'METHOD_NOT_ALLOWED', headers: { allow: 'POST' } },
  ],
  [
    'a mutation by GET, strict',
    get({ query: 'mutation { deletePost(id: 1) }' }),
    accept(strict),
    { status: 405, code: 'METHOD_NOT_ALLOWED' },
  ],
  [
    'the strict media type',
    post,
    { ...accept(strict), body: {} },
    { status: 422, code: 'VALIDATION_ERROR', headers: { 'content-type': `${strict}; charset=utf-8` } },
  ],
])

rows('4.9.1, 4.9.3 a request', [
  [
    'of a body as large as allowed',
    post,
    { body: `{"query":"{ __typename }${' '.repeat(262_144 - 26)}"}` },
    { status: 200, data: { __typename: 'Query' } },
  ],
  [
    'with a charset',
    post,
    { headers: type('application/json; charset=utf-8'), body: { query: '{ __typename }' } },
    { status: 200, data: { __typename: 'Query' } },
  ],
  [
    'with unknown members',
    post,
    { body: { query: '{ __typename }', id: 5, extensions: { trace: true } } },
    { status: 200, data: { __typename: 'Query' } },
  ],
  [
    'with nulls',
    post,
    { body: { query: '{ __typename }', variables: null, operationName: null, extensions: null } },
    { status: 200, data: { __typename: 'Query' } },
  ],
  [
    'by GET, with variables',
    get({ query: 'query($a: ID!) { userResult(id: $a) { __typename } }', variables: '{"a":"usr_x"}' }),
    {},
    { status: 200, data: { userResult: { __typename: 'UserNotFoundError' } } },
  ],
  [
    'by GET, with an operation to choose',
    get({ query: 'query A { a: __typename } query B { b: __typename }', operationName: 'B' }),
    {},
    { status: 200, data: { b: 'Query' } },
  ],
  [
    'with an operation that is not there',
    post,
    { body: { query: 'query A { a: __typename }', operationName: 'B' } },
    { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' },
  ],
  ['by OPTIONS', 'OPTIONS /graphql', {}, { status: 204, headers: { allow: 'GET, HEAD, OPTIONS, POST' } }],
  [
    'by HEAD',
    get({ query: '{ __typename }' }).replace('GET', 'HEAD'),
    {},
    { status: 200, headers: { 'content-length': '31', etag: /^"/ } },
  ],
  [
    'with an idempotency key, which is ignored',
    post,
    { headers: { 'X-Idempotency-Key': 'a', 'Idempotency-Key': 'b' }, body: { query: '{ __typename }' } },
    { status: 200, data: { __typename: 'Query' } },
  ],
])

describe('8.2.5 rate limits', () => {
  test('each root mutation counts, and none runs where they are too many', async (t) => {
    const limited = await startTestService('sqlite', { environment: { LIMIT_IP_PER_MINUTE: '10' } })
    t.after(() => limited.stop())
    const mutations = (count: number) =>
      `mutation { ${Array.from({ length: count }, (_, at) => `a${at}: deletePost(id: 1)`).join(' ')} }`
    const remaining = async (query: string) => (await limited.graphql(query)).headers['x-ratelimit-remaining']
    assert.equal(await remaining('{ a: __typename b: __typename }'), '9')
    assert.equal(await remaining(mutations(1)), '8')
    assert.equal(await remaining(mutations(3)), '5')
    assertAnswer(await limited.graphql(mutations(7)), {
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      data: undefined,
      headers: { 'retry-after': /^\d+$/ },
    })
  })
})
