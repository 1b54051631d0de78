// QUERY: lists and summaries whose parameters are a JSON body. (RFC 10008)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clauses, type Expected, type Row } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const query = (clause: Row['clause'], it: string, body: unknown, answer: Expected, more: Partial<Row> = {}): Row => ({
  clause,
  it,
  send: 'QUERY /api/v2/posts',
  body,
  answer,
  ...more,
})
const invalid: Expected = { status: 400, code: 'VALIDATION_ERROR' }
const accepts = { 'accept-query': 'application/json' }

clauses('4.3 QUERY', [
  query('4.3.10', 'no parameters', {}, { status: 200, headers: { 'cache-control': 'private, no-cache' } }),
  query('4.3.10', 'an unknown parameter', { colour: 'red' }, { ...invalid, field: 'colour' }),
  query('4.3.10', 'a parameter of another version', { perPage: 5 }, { ...invalid, field: 'perPage' }),
  query('4.3.10', 'an empty list', { sort: [] }, { ...invalid, field: 'sort' }),
  query('4.3.10', 'null', { author_id: null }, { ...invalid, field: 'author_id' }),
  query('4.3.10', 'an object', { author_id: {} }, { ...invalid, field: 'author_id' }),
  query('4.3.10', 'a list of lists', { sort: [['title']] }, { ...invalid, field: 'sort' }),
  query('4.3.10', 'NUL', { author_id: '\0' }, { ...invalid, field: 'author_id' }),
  query('4.3.10', 'half of a surrogate pair', '{"q":"\\ud800"}', { ...invalid, field: 'q' }),
  query('4.3.10', 'a member twice', '{"limit":1,"limit":2}', invalid),
  query('4.3.10', 'text that would be two parameters', { author_id: 'a&limit=1' }, { status: 200, data: [] }),
  query('4.3.10', 'a list in place of the object', [], invalid),
  query('4.3.11', 'parameters in the URL, too', {}, invalid, { send: 'QUERY /api/v2/posts?limit=1' }),
  query('4.3.11', 'no body', undefined, invalid),
  query('4.3.11', 'no Content-Type', {}, invalid, { headers: { 'content-type': [] } }),
  query(
    '4.3.11',
    'another Content-Type',
    'limit=1',
    { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', headers: accepts },
    { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ),
  query(
    '4.3.11',
    'OPTIONS of a list',
    undefined,
    { status: 204, headers: { ...accepts, allow: /, QUERY, / } },
    { send: 'OPTIONS /api/v2/posts' },
  ),
  query('4.3.11', 'GET of a list', undefined, { status: 200, headers: accepts }, { send: 'GET /api/v2/posts' }),
  query(
    '4.3.11',
    'OPTIONS of a record',
    undefined,
    { status: 204, headers: { 'accept-query': undefined } },
    { send: 'OPTIONS /api/v2/posts/{post}' },
  ),
  query('4.3.11', 'a record', {}, { status: 405, code: 'METHOD_NOT_ALLOWED' }, { send: 'QUERY /api/v2/posts/{post}' }),
])

withService('4.3 QUERY and GET', (service) => {
  for (const [path, text, body] of [
    ['posts', 'limit=2&sort=-created_at,title', { limit: 2, sort: ['-created_at', 'title'] }],
    ['posts', 'limit=2&sort=-created_at,title', { limit: '2', sort: '-created_at,title' }],
    ['posts', 'page=1&fields=id,title', { page: 1, fields: ['id', 'title'] }],
    ['posts', `where=${encodeURIComponent("title ~ 'a&b=c+d%'")}`, { where: "title ~ 'a&b=c+d%'" }],
    ['users/me/posts', 'limit=1', { limit: 1 }],
    ['posts/summary', 'group_by=author_name,created_at:hour', { group_by: ['author_name', 'created_at:hour'] }],
  ] as const)
    test(`4.3.10 ${path} with ${JSON.stringify(body)} has the body and the ETag of GET`, async () => {
      const fixtures = service().fixtures({ one: { Post: { title: 'A', content: 'C', author: '{editor}' } } })
      await fixtures.idOf('one')
      const sender = { as: 'editor', fixtures } as const
      const got = await service().send(`GET /api/v2/${path}?${text}`, sender)
      const queried = await service().send(`QUERY /api/v2/${path}`, { ...sender, body })
      assert.deepEqual([queried.status, queried.text], [got.status, got.text])
      assert.equal(queried.headers.etag, got.headers.etag)
      if (queried.status !== 200) return
      const headers = { 'If-None-Match': String(queried.headers.etag) }
      assert.equal((await service().send(`QUERY /api/v2/${path}`, { ...sender, body, headers })).status, 304)
    })
})
