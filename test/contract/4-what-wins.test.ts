// Which failure is told where several apply, before a record is looked for: each row would fail in two ways or more, and the
// earlier one wins.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { actionTwin } from '../support/rows/graphql-question.ts'

const bad = { headers: { Authorization: 'Bearer not.a.token' } } as const
const refused = {
  status: 401,
  code: 'INVALID_TOKEN',
  headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
} as const
const missing = 'post_00000000000000000000000000'

clauses('4.1 Order of checks', [
  {
    clause: '4.1.2',
    it: '401 for a refused credential, before 404 for the route',
    send: 'GET /api/v2/nothing',
    ...bad,
    answer: refused,
  },
  {
    clause: '4.1.2',
    it: '401 for a refused credential, before 405',
    send: 'DELETE /api/v2/posts',
    ...bad,
    answer: refused,
  },
  {
    clause: '4.1.2',
    it: '401 for a refused credential, before 400 for the body',
    send: 'POST /api/v2/posts',
    ...bad,
    body: '{',
    answer: refused,
  },
  {
    clause: '4.1.2',
    it: '401 for a refused credential, on a public list',
    send: 'GET /api/v2/posts',
    ...bad,
    answer: refused,
  },
  {
    clause: '4.1.2',
    it: '401 for a refused credential, at sign-up',
    send: 'POST /api/v2/users',
    ...bad,
    body: { name: 'New', email: '{unique}@example.com', password: 'long enough' },
    answer: refused,
  },
  ...(['Bearer', 'Bearer ', 'Bearer a b', 'Basic dTpw', 'Token x', 'x', 'Bearer a,b'] as const).map(
    (Authorization): Row => ({
      clause: '4.1.2',
      it: `401 for Authorization: ${Authorization}`,
      send: 'GET /api/v2/posts',
      headers: { Authorization },
      answer: refused,
    }),
  ),
  ...(
    [
      ['GET /health', undefined, 200],
      ['GET /.well-known/jwks.json', undefined, 200],
      ['POST /auth/login', { email: 'editor@example.com', password: 'correct horse battery staple' }, 200],
      ['POST /api/auth/login', { email: 'editor@example.com', password: 'correct horse battery staple' }, 200],
      ['POST /auth/logout', { refresh_token: 'rt_unknown' }, 200],
    ] as const
  ).map(
    ([send, body, status]): Row => ({
      clause: '4.1.3',
      it: `${send} ignores a credential that would be refused`,
      send,
      ...bad,
      ...(body === undefined ? {} : { body }),
      answer: { status },
    }),
  ),
  {
    clause: '4.1.4',
    it: '404 for the route, before 400 for the body',
    send: 'POST /api/v2/nothing',
    body: '{',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '4.1.4',
    it: '405 before 415 for the body',
    send: 'POST /api/v2/posts/{post}',
    headers: { 'Content-Type': 'text/plain' },
    body: 'x',
    answer: { status: 405, code: 'METHOD_NOT_ALLOWED' },
  },
  {
    clause: '4.1.5',
    it: '415 for the body, before 401 for who must sign in',
    send: 'POST /api/v2/posts',
    headers: { 'Content-Type': 'text/plain' },
    body: 'x',
    answer: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  },
  {
    clause: '4.1.5',
    it: '400 for a body that is no JSON, before 401',
    send: 'POST /api/v2/posts',
    body: '{',
    answer: { status: 400, code: 'VALIDATION_ERROR' },
  },
  {
    clause: '4.1.5',
    it: '400 for a body that is no JSON, before 403',
    as: 'viewer',
    send: 'POST /api/v2/posts',
    body: '{"a":1,"a":1}',
    answer: { status: 400, code: 'VALIDATION_ERROR' },
  },
  {
    clause: '4.1.5',
    it: '413 before 403',
    as: 'viewer',
    send: 'POST /api/v2/posts',
    body: { title: 'x'.repeat(1_048_576) },
    answer: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  },
  {
    clause: '4.1.6',
    it: '401 for who must sign in, before 400 for the form',
    send: 'POST /api/v2/posts',
    body: { colour: 'red' },
    answer: { status: 401, code: 'UNAUTHENTICATED', headers: { 'WWW-Authenticate': 'Bearer' } },
  },
  {
    clause: '4.1.6',
    it: '403 for a role that may not, before 400 for the form',
    as: 'viewer',
    send: 'POST /api/v2/posts',
    body: { colour: 'red' },
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '4.1.6',
    it: '403 for a role that may not, before 400 for the query',
    as: 'viewer',
    send: 'POST /api/v2/posts?x=1',
    body: {},
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '4.1.6',
    it: '403 for a field that may not be written, before 400 for another',
    as: 'viewer',
    send: 'PATCH /api/v2/users/{viewer}',
    body: { role: 'ADMIN', colour: 'red' },
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '4.1.6',
    it: '403 for a role that may not, before 404 for the record',
    as: 'viewer',
    send: `DELETE /api/v2/posts/${missing}`,
    also: actionTwin('delete', 'Post', missing),
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '4.1.6',
    it: '403 for a filter that may not be used, before 400 for another',
    as: 'viewer',
    send: 'GET /api/v2/users?role=ADMIN&sort=email',
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  ...(
    [
      ['a list', undefined, '{ orders(first: 0) { nodes { id } } }', 'UNAUTHENTICATED', ['orders']],
      ['a list of an admin', 'viewer', '{ securityEventList(limit: 101) { id } }', 'FORBIDDEN', ['securityEventList']],
      ['a filter', 'viewer', '{ users(filter: { role: ADMIN }, first: 0) { nodes { id } } }', 'FORBIDDEN', ['users']],
      [
        'a filter, beside a wrong list below',
        'viewer',
        '{ users(filter: { role: ADMIN }) { nodes { posts(limit: 0) { id } } } }',
        'FORBIDDEN',
        ['users'],
      ],
      [
        'a filter of a list below',
        'viewer',
        '{ user(id: "{viewer}") { followers(filter: { role: ADMIN }, limit: 0) { id } } }',
        'FORBIDDEN',
        ['user'],
      ],
      ['whoever is signed in', undefined, '{ me { posts(limit: 0) { id } } }', 'UNAUTHENTICATED', ['me']],
      [
        'a write',
        undefined,
        'mutation { publishPost(id: "{draft}") { comments(limit: 0) { id } } }',
        'UNAUTHENTICATED',
        ['publishPost'],
      ],
    ] as const
  ).map(
    ([what, as, query, code, path]): Row => ({
      clause: '4.1.6',
      it: `${code} for ${what}, before VALIDATION_ERROR for the arguments of a list`,
      ...(as === undefined ? {} : { as }),
      also: query,
      answer: { status: 200, code, path },
    }),
  ),
])

clauses(
  '4.1 Order of checks: limits',
  [
    {
      clause: '4.1.1',
      it: '429 for the address, before 401 for the credential',
      first: [{ send: 'GET /health' }, { send: 'GET /api/v2/products', headers: {} }],
      send: 'GET /api/v2/nothing',
      ...bad,
      answer: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'Retry-After': /^\d+$/ } },
    },
  ],
  { environment: { LIMIT_IP_PER_MINUTE: '1' } },
)
