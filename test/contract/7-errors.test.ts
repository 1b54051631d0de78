// What is wrong with a request, or with the service: which status, and what is never shown.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { catalogue } from '../../src/failure/failure.ts'
import { library } from '../support/domain/library.ts'
import { clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import { createTwin } from '../support/rows/graphql-question.ts'

const malformed: Expected = { status: 400, code: 'VALIDATION_ERROR' }
const sends = (it: string, body: unknown, answer: Expected = malformed): Row => ({
  clause: '7.2.5',
  it,
  as: 'editor',
  send: 'POST /api/v2/posts',
  body,
  answer,
})
const bytes = (...parts: readonly (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

const bySentence = (it: string, input: object, message: string | RegExp, fields: readonly string[]): Row => ({
  clause: '7.2.8',
  it,
  as: 'editor',
  send: 'POST /api/v2/posts',
  body: input,
  also: {
    query: 'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }',
    variables: { input },
  },
  answer: { ...malformed, message, fields },
})

clauses('7.2 Errors: the sentence of a refusal', [
  bySentence('the only problem', { title: 'x'.repeat(201), content: 'C' }, 'title: At most 200 characters.', ['title']),
  bySentence('a field too many', { title: 'T', content: 'C', colour: 1 }, 'colour: There is no such field.', [
    'colour',
  ]),
  bySentence('two problems', { title: 'x'.repeat(201), content: '' }, 'The request is not valid.', [
    'title',
    'content',
  ]),
])

const problem = (it: string, accept: string, row: Pick<Row, 'send'> & Partial<Row>, body: object): Row => ({
  ...row,
  clause: '7.2.10',
  it,
  headers: { Accept: accept },
  answer: {
    status: (body as { status: number }).status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    body: { type: 'about:blank', error: undefined, ...body },
  },
})
const problemType = 'application/problem+json'
clauses('7.2 Errors: problem details', [
  problem(
    'of a missing record',
    problemType,
    { send: 'GET /api/v2/posts/x' },
    {
      title: 'Not Found',
      status: 404,
      detail: 'There is no such resource.',
      code: 'NOT_FOUND',
      details: undefined,
    },
  ),
  problem(
    'with details',
    `${problemType}, application/json;q=0.9`,
    {
      send: 'POST /api/v2/posts',
      as: 'editor',
      body: { title: 7, content: 'C' },
    },
    { title: 'Bad Request', status: 400, code: 'VALIDATION_ERROR', details: [{ field: 'title' }] },
  ),
  problem(
    'of a sign-in',
    `${problemType}, */*;q=0.1`,
    {
      send: 'POST /auth/login',
      body: { email: 'nobody@example.com', password: 'wrong password' },
    },
    { title: 'Unauthorized', status: 401, code: 'INVALID_CREDENTIALS' },
  ),
  problem(
    'of a request refused for its head',
    problemType,
    {
      send: 'GET /api/v2/no-such-resources',
    },
    { title: 'Not Found', status: 404, code: 'NOT_FOUND' },
  ),
  ...[
    '*/*',
    'application/json',
    `${problemType}, application/json`,
    `${problemType}, */*`,
    `*/*, ${problemType};q=0.9`,
  ].map(
    (accept): Row => ({
      clause: '7.2.10',
      it: `not for ${accept}`,
      send: 'GET /api/v2/posts/x',
      headers: { Accept: accept },
      answer: {
        status: 404,
        code: 'NOT_FOUND',
        headers: { 'content-type': 'application/json; charset=utf-8' },
      },
    }),
  ),
  {
    clause: '7.2.10',
    it: 'never for what succeeds',
    send: 'GET /api/v2/posts',
    headers: { Accept: problemType },
    answer: { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
  },
  {
    clause: '7.2.10',
    it: 'never for GraphQL',
    send: 'POST /graphql',
    body: { query: '{' },
    headers: { Accept: problemType },
    answer: { status: 200, headers: { 'content-type': /^application\/json/ } },
  },
])

const rounded = (number: string): Row => ({
  clause: '7.2.9',
  it: `refuses ${number} anywhere`,
  as: 'editor',
  send: 'PATCH /api/v2/users/{editor}',
  body: `{"preferences":{"n":[${number}]}}`,
  answer: { ...malformed, field: 'preferences.n[0]', message: /more digits than 64 bits hold/ },
  then: [
    {
      as: 'editor',
      send: 'POST /graphql',
      body: `{"query":"query ($j: JSON) { __typename }","variables":{"j":${number}}}`,
      answer: { status: 400 },
    },
    {
      as: 'editor',
      also: `mutation { updateUser(id: "{editor}", input: { preferences: { n: ${number} } }) { id } }`,
      answer: { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' },
    },
  ],
})
clauses('7.2 Errors: numbers', [
  rounded('9007199254740993'),
  rounded('-123456789012345678901'),
  rounded('0.1234567890123456789'),
  rounded('1.00000000000000000001e5'),
  rounded('1e-400'),
  {
    clause: '7.2.9',
    it: 'keeps what 64 bits hold',
    as: 'editor',
    send: 'PATCH /api/v2/users/{editor}',
    body: '{"preferences":{"n":[9007199254740992,0.30000000000000004,1E3,-1e-7]}}',
    answer: { status: 200, data: { preferences: { n: [2 ** 53, 0.30000000000000004, 1_000, -1e-7] } } },
  },
])

clauses('7.2 Errors: the form of a body', [
  sends('nothing but a beginning', '{"title":'),
  sends('a comma too many', '{"title":"T","content":"C",}'),
  sends('a name without quotes', '{title:"T"}'),
  sends('single quotes', "{'title':'T'}"),
  sends('a comment', '{"title":"T","content":"C"/* */}'),
  sends('two values', '{"title":"T","content":"C"}{}'),
  sends('a number that is none', '{"title":NaN}'),
  sends('a number too large', '{"title":1e400}'),
  sends('a number with a zero before it', '{"title":01}'),
  sends('a name twice', '{"title":"T","title":"T","content":"C"}'),
  sends('a name twice, once with an escape', '{"title":"T","\\u0074itle":"T","content":"C"}'),
  sends('NUL, escaped', '{"title":"a\\u0000b","content":"C"}'),
  sends('NUL itself', bytes('{"title":"a', 0, 'b","content":"C"}')),
  sends('a line break in a text', '{"title":"a\nb","content":"C"}'),
  sends('half of a surrogate pair', '{"title":"\\ud83d","content":"C"}'),
  sends('the other half', '{"title":"\\ude00","content":"C"}'),
  sends('both halves are a character', '{"title":"\\ud83d\\ude00","content":"C"}', {
    status: 201,
    data: { title: '😀' },
  }),
  sends('bytes that are not UTF-8', bytes('{"title":"', 0xff, '","content":"C"}')),
  sends('UTF-8 that is too long', bytes('{"title":"', 0xc0, 0xaf, '","content":"C"}')),
  sends('a surrogate in UTF-8', bytes('{"title":"', 0xed, 0xa0, 0x80, '","content":"C"}')),
  sends('a byte order mark', bytes(0xef, 0xbb, 0xbf, '{"title":"T","content":"C"}')),
  sends('UTF-16', Buffer.from('{"title":"T","content":"C"}', 'utf16le')),
  ...([31, 32, 33, 100_000] as const).map(
    (depth): Row => ({
      clause: '7.2.5',
      it: `${depth} levels`,
      as: 'viewer',
      send: 'PATCH /api/v2/users/{viewer}',
      body: `{"preferences":${nested(depth - 1)}}`,
      answer: depth <= 32 ? { status: 200 } : malformed,
    }),
  ),
  ...(
    [
      ['text/plain', 415],
      ['application/x-www-form-urlencoded', 415],
      ['multipart/form-data; boundary=x', 415],
      ['application/json; charset=utf-16', 415],
      ['application/jsonx', 415],
      ['', 415],
      ['application/json; charset=UTF-8', 201],
      ['application/json; version=1', 201],
      ['application/json; profile="a;b"; charset="utf-8"', 201],
      ['APPLICATION/JSON', 201],
    ] as const
  ).map(
    ([type, status]): Row => ({
      clause: '7.2.5',
      it: `Content-Type ${JSON.stringify(type)} is ${status}`,
      as: 'editor',
      send: 'POST /api/v2/posts',
      headers: { 'Content-Type': type },
      body: { title: 'T', content: 'C' },
      answer: status === 201 ? { status } : { status, code: 'UNSUPPORTED_MEDIA_TYPE' },
    }),
  ),
  {
    clause: '7.2.5',
    it: 'a Content-Encoding is 415',
    as: 'editor',
    send: 'POST /api/v2/posts',
    headers: { 'Content-Encoding': 'gzip' },
    body: { title: 'T', content: 'C' },
    answer: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  },
  {
    clause: '7.2.6',
    it: 'well-formed, but against a rule of the business, is 422',
    as: 'viewer',
    send: 'POST /api/v2/orders',
    body: { items: [{ product_id: '{last product}', quantity: 2 }] },
    also: createTwin('Order', { items: [{ product_id: '{last product}', quantity: 2 }] }),
    answer: { status: 422, code: 'BUSINESS_RULE_VIOLATION', message: /in stock\.$/ },
  },
])

const graphql = (it: string, body: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Row => ({
  clause: '7.3.4',
  it,
  send: 'POST /graphql',
  headers,
  body,
  answer: { status, body: { errors: [{ message: /./ }], data: undefined } },
})

clauses('7.3 Errors: GraphQL over HTTP', [
  graphql('unreadable JSON', '{', 400),
  graphql('no query', {}, 400),
  graphql('a query that is no text', { query: 5 }, 400),
  graphql('variables that are no object', { query: '{ __typename }', variables: [] }, 400),
  graphql('a name twice', '{"query":"{ __typename }","query":"{ __typename }"}', 400),
  graphql('another media type', '{ __typename }', 415, { 'Content-Type': 'application/graphql' }),
  graphql('a form', 'query={__typename}', 415, { 'Content-Type': 'application/x-www-form-urlencoded' }),
  graphql('more than 256 KiB', { query: `# ${'x'.repeat(262_144)}\n{ __typename }` }, 413),
  { ...graphql('a list of requests', [{ query: '{ __typename }' }], 400), clause: '7.3.5' },
  { ...graphql('an empty list', [], 400), clause: '7.3.5' },
  {
    clause: '7.3.9',
    it: 'application/graphql-response+json: a document that is not valid is 422',
    send: 'POST /graphql',
    headers: { Accept: 'application/graphql-response+json' },
    body: { query: '{ nothing }' },
    answer: {
      status: 422,
      headers: { 'Content-Type': 'application/graphql-response+json; charset=utf-8' },
      body: { errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }], data: undefined },
    },
  },
  ...(
    [
      ['null where nothing may be', 'query ($it: ID = "x") { user(id: $it) { id } }', { it: null }],
      ['null in a list', 'query ($it: PostSort = TITLE_ASC) { postList(sort: [$it]) { id } }', { it: null }],
    ] as const
  ).map(
    ([it, query, variables]): Row => ({
      clause: '7.3.8',
      it: `a variable that does not fit at its place: ${it}`,
      send: 'POST /graphql',
      body: { query, variables },
      answer: {
        status: 200,
        body: {
          data: undefined,
          errors: [
            { extensions: { code: 'VALIDATION_ERROR', details: [{ field: 'it', message: 'Must not be null.' }] } },
          ],
        },
      },
    }),
  ),
  {
    clause: '7.3.10',
    it: 'application/graphql-response+json: data with errors is 294',
    send: 'POST /graphql',
    headers: { Accept: 'application/graphql-response+json' },
    body: { query: '{ me { id } }' },
    answer: { status: 294, body: { errors: [{ path: ['me'] }], data: { me: null } } },
  },
])

const missingBook = 'book_00000000000000000000000000'
const ownCode: Expected = { status: 404, code: 'BOOK_NOT_FOUND', message: 'There is no such book.' }
const asLibrarian = { as: '{lena}', given: { lena: { User: { name: 'Lena', role: 'LIBRARIAN' } } } } as const
clauses(
  "7.1 Errors: a code of the service's own",
  [
    {
      clause: '7.1.2',
      it: 'reading what is not there',
      send: `GET /api/v1/books/${missingBook}`,
      also: `{ book(id: "${missingBook}") { id } }`,
      answer: ownCode,
    },
    {
      clause: '7.1.2',
      it: 'by its id alone',
      send: 'GET /api/v1/books/x',
      also: `{ node(id: "${missingBook}") { id } }`,
      answer: ownCode,
    },
    {
      clause: '7.1.2',
      it: 'a list of what is not there',
      send: `GET /api/v1/books/${missingBook}/copies`,
      also: `{ book(id: "${missingBook}") { copies { id } } }`,
      answer: ownCode,
    },
    {
      ...asLibrarian,
      clause: '7.1.2',
      it: 'writing to what is not there',
      send: `DELETE /api/v1/books/${missingBook}`,
      also: `mutation { deleteBook(id: "${missingBook}") }`,
      answer: ownCode,
    },
    {
      clause: '7.1.2',
      it: 'another resource of the same service has none',
      send: 'GET /api/v1/copies/copy_00000000000000000000000000',
      also: '{ copy(id: "copy_00000000000000000000000000") { id } }',
      answer: { status: 404, code: 'NOT_FOUND', message: 'There is no such resource.' },
    },
  ],
  { definition: library },
)

test('7.1.1 the table of codes is the catalogue, each code with its status', () => {
  const page = readFileSync(`${import.meta.dirname}/../../docs/contract.md`, 'utf8')
  const table = page.slice(page.indexOf('<a id="7.1">'), page.indexOf('<a id="7.2">'))
  const rows = [...table.matchAll(/^\| (`[^|]+) \| ([\d, ]+) \|/gm)].flatMap(([, names, statuses]) => {
    const codes = [...names!.matchAll(/`(\w+)`/g)].map(([, code]) => code!)
    const numbers = statuses!.split(', ').map(Number)
    return codes.map((code, index) => [code, numbers[numbers.length === 1 ? 0 : index]] as const)
  })
  const statuses = Object.entries(catalogue).map(([code, { status }]) => [code, status] as const)
  assert.deepEqual(rows.toSorted(), statuses.toSorted())
})
