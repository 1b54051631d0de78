// Writes that name the version that they were made for.

import { clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import { updateTwin } from '../support/rows/graphql-question.ts'

const invalid = (field: string): Expected => ({ status: 400, code: 'VALIDATION_ERROR', field })
const post = { title: 'Title', content: 'Content', tags: ['a', 'b'] }

const conditional = (it: string, method: string, ifMatch: string, answer: Expected, more: Partial<Row> = {}): Row => ({
  clause: '4.5.8',
  it: `${method} with If-Match ${it}`,
  as: 'editor',
  first: [{ as: 'editor', send: 'GET /api/v2/posts/{draft}', keep: { tag: 'headers.etag' } }],
  send: `${method} /api/v2/posts/{draft}`,
  headers: { 'If-Match': ifMatch },
  ...(method === 'DELETE' ? {} : { body: post }),
  answer,
  ...more,
})
const stale: Expected = { status: 409, code: 'CONFLICT' }
const fresh: Expected = { status: 200, data: post, headers: { ETag: /^"2\./ } }

clauses('4.5 Writes: If-Match', [
  ...['PUT', 'PATCH'].flatMap((method) => [
    conditional('that is the ETag', method, '{tag}', fresh),
    conditional('that is weak', method, 'W/{tag}', fresh),
    conditional('that lists the ETag', method, '"7.0", {tag}', fresh),
    conditional('that is *', method, '*', fresh),
    conditional('of an earlier version', method, '"0.0"', stale),
    conditional('of a later version', method, '"2.0"', stale),
    conditional('that is no ETag of ours', method, '"abc"', stale),
    conditional('that is no ETag', method, 'abc', stale),
    conditional('of the same version seen by somebody else', method, '"1.7"', fresh),
  ]),
  conditional('that is the ETag', 'DELETE', '{tag}', { status: 204 }),
  conditional('of an earlier version', 'DELETE', '"0.0"', stale, {
    then: [{ as: 'editor', send: 'GET /api/v2/posts/{draft}', answer: { status: 200 } }],
  }),
  conditional('that was right before the last change', 'PATCH', '{tag}', stale, {
    first: [
      { as: 'editor', send: 'GET /api/v2/posts/{draft}', keep: { tag: 'headers.etag' } },
      { as: 'editor', send: 'PATCH /api/v2/posts/{draft}', body: { title: 'Quicker' } },
    ],
    then: [{ as: 'editor', send: 'GET /api/v2/posts/{draft}', answer: { status: 200, data: { title: 'Quicker' } } }],
  }),
  {
    clause: '4.5.8',
    it: 'the version of one face is that of the other: a mutation makes an ETag stale',
    as: 'editor',
    first: [{ as: 'editor', send: 'GET /api/v2/posts/{draft}', keep: { tag: 'headers.etag' } }],
    also: updateTwin('Post', '{draft}', { title: 'Quicker' }),
    answer: { status: 200 },
    then: [
      {
        as: 'editor',
        send: 'PATCH /api/v2/posts/{draft}',
        headers: { 'If-Match': '{tag}' },
        body: { title: 'T' },
        answer: stale,
      },
    ],
  },
  ...[
    { it: 'the ETag', ifMatch: '{tag}', answer: { status: 200, headers: { ETag: /^"2\./ } } },
    { it: 'an earlier version', ifMatch: '"0.0"', answer: stale },
  ].map(
    ({ it, ifMatch, answer }): Row => ({
      clause: '4.5.8',
      it: `a move with If-Match of ${it}`,
      as: 'editor',
      first: [{ as: 'editor', send: 'GET /api/v2/posts/{draft}', keep: { tag: 'headers.etag' } }],
      send: 'POST /api/v2/posts/{draft}/publish',
      headers: { 'If-Match': ifMatch },
      answer,
    }),
  ),
  {
    clause: '4.5.8',
    it: 'a move that was done is answered again to its key, though If-Match is of the version before it',
    as: 'editor',
    first: [
      { as: 'editor', send: 'GET /api/v2/posts/{draft}', keep: { tag: 'headers.etag' } },
      {
        as: 'editor',
        send: 'POST /api/v2/posts/{draft}/publish',
        headers: { 'If-Match': '{tag}', 'X-Idempotency-Key': 'published-once' },
      },
    ],
    send: 'POST /api/v2/posts/{draft}/publish',
    headers: { 'If-Match': '{tag}', 'X-Idempotency-Key': 'published-once' },
    answer: { status: 200, headers: { 'Idempotent-Replayed': 'true', ETag: /^"2\./ } },
  },
  ...(['If-Match', 'If-None-Match'] as const).flatMap((header) =>
    (
      [
        ['PATCH /api/v2/posts', { ids: ['{draft}'], title: 'T' }],
        ['POST /api/v2/posts', post],
        ['POST /api/v2/posts/batch', { posts: [post] }],
        ['DELETE /api/v2/posts?ids={draft}', undefined],
      ] as const
    ).map(
      ([send, body]): Row => ({
        clause: '4.5.13',
        it: `${header} is for a single record: ${send}`,
        as: 'editor',
        send,
        headers: { [header]: '*' },
        ...(body === undefined ? {} : { body }),
        answer: invalid(header),
      }),
    ),
  ),
  ...['PUT', 'PATCH', 'DELETE'].flatMap((method) =>
    (
      [
        ['of another version', '"0.0"', true],
        ['that is no ETag of ours', '"abc"', true],
        ['that is the ETag', '{tag}', false],
        ['that lists it', '"7.0", W/{tag}', false],
        ['that is *', '*', false],
      ] as const
    ).map(([it, ifNoneMatch, isWritten]): Row => {
      const written: Expected = method === 'DELETE' ? { status: 204 } : fresh
      return {
        ...conditional(it, method, '', isWritten ? written : stale),
        clause: '4.5.13',
        it: `${method} with If-None-Match ${it}`,
        headers: { 'If-None-Match': ifNoneMatch },
      }
    }),
  ),
  {
    clause: '4.5.13',
    it: 'a move with If-None-Match of the ETag',
    as: 'editor',
    first: [{ as: 'editor', send: 'GET /api/v2/posts/{draft}', keep: { tag: 'headers.etag' } }],
    send: 'POST /api/v2/posts/{draft}/publish',
    headers: { 'If-None-Match': '{tag}' },
    answer: stale,
  },
  {
    clause: '4.5.13',
    it: 'a missing record is 404 whatever the headers demand',
    as: 'editor',
    send: 'PATCH /api/v2/posts/post_01J00000000000000000000000',
    headers: { 'If-None-Match': '*' },
    body: { title: 'T' },
    answer: { status: 404, code: 'NOT_FOUND' },
  },
])
