// Where the addresses of REST lead, with a version and without, and what an older version calls otherwise.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { get, row } from '../support/rows/rest-row.ts'

const moved = (from: string, to: string, method = 'GET'): Row =>
  row('4.2.3', `${method} ${from.slice(0, 60)} is 301 to v2`, {
    send: `${method} ${from}`,
    answer: { status: 301, headers: { Location: to, 'Cache-Control': 'no-store' } },
  })

clauses('4.2 REST prefix and versions', [
  moved('/api/posts', '/api/v2/posts'),
  moved('/api/posts', '/api/v2/posts', 'HEAD'),
  moved('/api/posts/post_1', '/api/v2/posts/post_1'),
  moved('/api/posts/post_1/comments?page=2', '/api/v2/posts/post_1/comments?page=2'),
  moved('/api/users?x=%41&y=a+b&&z', '/api/v2/users?x=%41&y=a+b&&z'),
  moved('/api/users?', '/api/v2/users'),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) =>
    row('4.2.4', `${method} without a version is 404, and names the versions`, {
      as: 'admin',
      send: `${method} /api/posts`,
      answer: { status: 404, code: 'NOT_FOUND', message: /\/api\/v1\/posts.*\/api\/v2\/posts/ },
    }),
  ),
  ...[
    '/api',
    '/api/',
    '/api/v3/posts',
    '/api/v2',
    '/api/v2/',
    '/api/v2/post',
    '/api/v2/posts/',
    '/api/v2//posts',
    '/API/v2/posts',
    '/api/V2/posts',
    '/api/v2/posts/{post}/',
    '/api/v2/posts/{post}/author',
    '/api/nothing',
    '/',
    '/api/v2/Posts',
    '/api/v2/posts;x=1',
    '/api/v2/%70osts',
    '//api/v2/posts',
    '/api/v2/users/../posts',
    '/api/v2/./posts',
    '/api/v2/posts%2F{post}',
    '/api/v2/posts/%2e%2e/users',
    '/api/v2/posts/{post}%2Fcomments',
    '/api/v2/posts/{post};x=1',
    `/api/v2/posts/${'x'.repeat(1_000)}`,
    '/api/v2/posts/%7B2F1C%7D',
    '/api/v2/users/{post}',
    '/api/v2/posts/{member}',
  ].map((path) =>
    row('4.2.2', `${path} leads nowhere`, {
      send: `GET ${path}`,
      answer: { status: 404, code: path.startsWith('/api/v2/users/') ? 'USER_NOT_FOUND' : 'NOT_FOUND' },
    }),
  ),
  ...(
    [
      ['anonymous', 'GET /api/v1/posts/{draft}', 404, 'NOT_FOUND'],
      ['editor', 'GET /api/v1/orders/{pending order}', 404, 'NOT_FOUND'],
      ['anonymous', 'DELETE /api/v1/posts/{post}', 401, 'UNAUTHENTICATED'],
      ['viewer', 'DELETE /api/v1/posts/{post}', 403, 'FORBIDDEN'],
      ['editor', 'DELETE /api/v1/posts/{other post}', 403, 'FORBIDDEN'],
      ['viewer', 'DELETE /api/v1/comments/{hidden comment}', 404, 'NOT_FOUND'],
      ['viewer', 'POST /api/v1/users/{member}/suspend', 403, 'FORBIDDEN'],
    ] as const
  ).map(([as, send, status, code]) =>
    row('9.1.2', `the former version refuses as the current one: ${send} of ${as}`, {
      as,
      send,
      answer: { status, code },
      then: [{ as, send: send.replace('/v1/', '/v2/'), answer: { status, code } }],
    }),
  ),
  row('9.1.2', 'the former version takes no role from a user', {
    as: 'viewer',
    send: 'PATCH /api/v1/users/me',
    body: { role: 'ADMIN' },
    answer: { status: 403, code: 'FORBIDDEN' },
  }),
  row('9.1.2', 'the former version shows no email of another user', {
    as: 'viewer',
    send: 'GET /api/v1/users/{member}',
    answer: { status: 200, data: { id: '{member}', email: undefined, preferences: undefined } },
  }),
  get('9.1.1', 'v2 is not deprecated', 'posts', {
    status: 200,
    headers: { Deprecation: undefined, Sunset: undefined, Link: undefined },
  }),
  row('9.1.1', 'v1 says since when, until when, and what comes after it', {
    send: 'GET /api/v1/comments?post_id={post}',
    answer: {
      status: 200,
      headers: {
        Deprecation: '@1795132800',
        Sunset: 'Sat, 20 Nov 2027 00:00:00 GMT',
        Link: '</api/v2/comments>; rel="successor-version"',
      },
    },
  }),
  row('9.1.1', 'so do its errors', {
    send: 'GET /api/v1/nothing',
    answer: { status: 404, code: 'NOT_FOUND', headers: { Deprecation: '@1795132800' } },
  }),
  row('9.1.2', "comments' content is text in v1", {
    send: 'GET /api/v1/comments/{comment}',
    answer: { status: 200, data: { text: 'Well said.', content: undefined } },
  }),
  row('9.1.2', 'in fields', {
    send: 'GET /api/v1/comments/{comment}?fields=text',
    answer: { status: 200, data: { text: 'Well said.' } },
  }),
  row('9.1.2', 'v1 does not know content in fields', {
    send: 'GET /api/v1/comments/{comment}?fields=content',
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'fields' },
  }),
  row('9.1.2', 'in bodies', {
    as: 'viewer',
    send: 'POST /api/v1/comments',
    body: { post_id: '{post}', text: 'Hi.' },
    answer: { status: 201, data: { text: 'Hi.' } },
  }),
  row('9.1.2', 'in errors', {
    as: 'viewer',
    send: 'POST /api/v1/comments',
    body: { post_id: '{post}', content: 'Hi.' },
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['text', 'content'] },
  }),
  row('9.1.2', 'v2 does not know text', {
    as: 'viewer',
    send: 'PATCH /api/v2/comments/{comment}',
    body: { text: 'Hi.' },
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'text' },
  }),
  row('9.1.2', 'GraphQL has Comment.text still, deprecated', {
    also: '{ comment(id: "{comment}") { text content } }',
    answer: { status: 200, data: { text: 'Well said.', content: 'Well said.' } },
    then: [
      {
        also: '{ __type(name: "Comment") { fields(includeDeprecated: true) { name isDeprecated deprecationReason } } }',
        answer: {
          status: 200,
          data: {
            fields: (fields: { name: string; is_deprecated: boolean; deprecation_reason: string | null }[]) =>
              fields.every((each) => each.is_deprecated === (each.name === 'text')) &&
              fields.find((each) => each.name === 'text')!.deprecation_reason === 'Use content.',
          },
        },
      },
    ],
  }),
  row('9.1.2', 'inputs take text as well', {
    as: 'viewer',
    also: {
      query: 'mutation ($input: CreateCommentInput!) { createComment(input: $input) { content } }',
      variables: { input: { postId: '{post}', text: 'Hi.' } },
    },
    answer: { status: 200, data: { content: 'Hi.' } },
  }),
])
