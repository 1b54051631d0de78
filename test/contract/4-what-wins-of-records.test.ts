// Which failure is told where several apply, from the form of an input to the state of a record: each row would fail in two ways
// or more, and the earlier one wins.

import { clauses, type Row } from '../support/rows/clauses.ts'
import { actionTwin, updateTwin } from '../support/rows/graphql-question.ts'

const missing = 'post_00000000000000000000000000'
const stale = { 'If-Match': '"99.0"' }

clauses('4.1 Order of checks', [
  ...[
    [`post(id: "${missing}") { comments(limit: 0) { id } }`, 'post'],
    ['node(id: "x") { ... on User { posts(limit: 0) { id } } }', 'node'],
    [`userResult(id: "x") { ... on User { posts(limit: 0) { id } } }`, 'userResult'],
  ].map(
    ([field, path]): Row => ({
      clause: '4.1.7',
      it: `VALIDATION_ERROR for a list below ${path}, before NOT_FOUND for the record`,
      also: `{ ${field} }`,
      answer: {
        status: 200,
        code: 'VALIDATION_ERROR',
        field: 'limit',
        path: [path!],
      },
    }),
  ),
  {
    clause: '4.1.7',
    it: '400 for the form, before a replay',
    as: 'editor',
    first: [
      {
        as: 'editor',
        send: 'POST /api/v2/posts',
        headers: { 'X-Idempotency-Key': 'what-wins-7' },
        body: { title: 'T', content: 'C' },
      },
    ],
    send: 'POST /api/v2/posts',
    headers: { 'X-Idempotency-Key': 'what-wins-7' },
    body: { title: 'T', colour: 'red' },
    answer: { status: 400, code: 'VALIDATION_ERROR', fields: ['content', 'colour'] },
  },
  {
    clause: '4.1.7',
    it: '400 for the form, before 404 for the record',
    as: 'editor',
    send: `PATCH /api/v2/posts/${missing}`,
    body: { colour: 'red' },
    also: updateTwin('Post', missing, { colour: 'red' }),
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'colour' },
  },
  {
    clause: '4.1.7',
    it: '400 for the form, before 404 for a hidden record',
    as: 'viewer',
    send: 'PATCH /api/v2/comments/{hidden comment}',
    body: { content: '' },
    also: updateTwin('Comment', '{hidden comment}', { content: '' }),
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'content' },
  },
  {
    clause: '4.1.7',
    it: '400 for the form, before 403 for the record',
    as: 'editor',
    send: 'PATCH /api/v2/posts/{other post}',
    body: { title: '' },
    also: updateTwin('Post', '{other post}', { title: '' }),
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'title' },
  },
  {
    clause: '4.1.7',
    it: '400 for the form, before 409 for the state',
    as: 'admin',
    send: 'POST /api/v2/articles/{draft article}/archive',
    body: { colour: 'red' },
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'colour' },
  },
  {
    clause: '4.1.7',
    it: '400 for the query of a list, before 404 for the record that it is within',
    send: `GET /api/v2/posts/${missing}/comments?page=0`,
    answer: { status: 400, code: 'VALIDATION_ERROR', field: 'page' },
  },
  {
    clause: '4.1.8',
    it: 'a replay, before 409 for the state that the first request left',
    as: 'editor',
    first: [
      { as: 'editor', send: 'POST /api/v2/posts/{draft}/publish', headers: { 'X-Idempotency-Key': 'what-wins-8' } },
    ],
    send: 'POST /api/v2/posts/{draft}/publish',
    headers: { 'X-Idempotency-Key': 'what-wins-8' },
    answer: { status: 200, data: { id: '{draft}' }, headers: { 'Idempotent-Replayed': 'true' } },
  },
  {
    clause: '4.1.9',
    it: '404 for a missing record, before 409 for If-Match',
    as: 'editor',
    send: `PATCH /api/v2/posts/${missing}`,
    headers: stale,
    body: { title: 'T' },
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '4.1.9',
    it: '404 for a hidden record, before 403 for what may not be done',
    as: 'viewer',
    send: 'DELETE /api/v2/comments/{hidden comment}',
    also: actionTwin('delete', 'Comment', '{hidden comment}'),
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '4.1.9',
    it: '404 for a hidden order, before 409 for its state',
    as: 'other viewer',
    send: 'POST /api/v2/orders/{cancelled order}/pay',
    also: actionTwin('pay', 'Order', '{cancelled order}', 'id'),
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '4.1.9',
    it: '404 for a hidden record, before 304',
    as: 'viewer',
    send: 'GET /api/v2/posts/{draft}',
    headers: { 'If-None-Match': '*' },
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  {
    clause: '4.1.10',
    it: '403 for a record of another user, before 409 for If-Match',
    as: 'editor',
    send: 'PATCH /api/v2/posts/{other post}',
    headers: stale,
    body: { title: 'T' },
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '4.1.10',
    it: '403 for a role that may not, before 409 for the state',
    as: 'editor',
    send: 'POST /api/v2/articles/{draft article}/archive',
    also: actionTwin('archive', 'Article', '{draft article}', 'id'),
    answer: { status: 403, code: 'FORBIDDEN' },
  },
  {
    clause: '4.1.11',
    it: '409 for If-Match, before 422 for what is not there',
    as: 'admin',
    send: 'DELETE /api/v2/users/{admin}',
    headers: stale,
    answer: { status: 409, code: 'CONFLICT', message: /changed since/ },
  },
  {
    clause: '4.1.12',
    it: '409 for the state, before 422 for the last admin',
    as: 'admin',
    send: 'POST /api/v2/users/{admin}/reactivate',
    also: actionTwin('reactivate', 'User', '{admin}', 'id'),
    answer: { status: 409, code: 'CONFLICT' },
  },
  {
    clause: '4.1.13',
    it: 'an anonymous reader of a draft gets 404',
    send: 'GET /api/v2/posts/{draft}',
    also: '{ post(id: "{draft}") { id } }',
    answer: { status: 404, code: 'NOT_FOUND' },
  },
  ...['{post}', '{draft}', missing, 'x'].map(
    (id): Row => ({
      clause: '4.1.13',
      it: `an anonymous DELETE of ${id} is 401`,
      send: `DELETE /api/v2/posts/${id}`,
      also: actionTwin('delete', 'Post', id),
      answer: { status: 401, code: 'UNAUTHENTICATED' },
    }),
  ),
  ...['{post}', '{draft}', missing, 'x'].map(
    (id): Row => ({
      clause: '4.1.13',
      it: `a VIEWER's DELETE of ${id} is 403`,
      as: 'viewer',
      send: `DELETE /api/v2/posts/${id}`,
      also: actionTwin('delete', 'Post', id),
      answer: { status: 403, code: 'FORBIDDEN' },
    }),
  ),
  ...[
    'x',
    'post_',
    'post_1',
    'usr_00000000000000000000000000',
    `${missing}x`,
    missing.toLowerCase(),
    '%2e%2e',
    "1'--",
  ].map(
    (id): Row => ({
      clause: '4.3.8',
      it: `an id like ${id} is as missing as any`,
      as: 'admin',
      send: `GET /api/v2/posts/${id}`,
      answer: { status: 404, code: 'NOT_FOUND', message: 'There is no such resource.' },
    }),
  ),
])
