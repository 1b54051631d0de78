import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../reference/service.ts'
import { forEachEngineAtOnce } from '../../test/support/server/databases.ts'
import { type Answer, type RestService, type Sent, startRest } from '../../test/support/server/rest-face.ts'
import { Failure, type FailureCode } from '../failure/failure.ts'
import type { Actor } from '../resource/actor.ts'

interface Row {
  readonly it: string
  readonly send: string
  readonly as?: 'viewer' | 'editor' | 'admin' | 'reader'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  readonly code?: string
  /** The fields of the details. */
  readonly fields?: readonly string[]
  /** Headers of the answer; null for one that must not be there. */
  readonly has?: Readonly<Record<string, string | RegExp | null>>
}

/** People, and one of each record, for the rows below. */
async function people({ send, signUp, actor }: RestService) {
  const [viewer, editor, admin] = [await signUp('VIEWER'), await signUp('EDITOR'), await signUp('ADMIN')]
  const post = async (title: string, publish: boolean) =>
    (await send('POST /api/v2/posts', { as: editor, body: { title, content: 'Text', publish } })).body.data.id
  const who: Record<string, Actor> = { viewer, editor, admin, reader: actor('VIEWER', ['read:posts']) }
  return { who, names: { POST: await post('Out', true), DRAFT: await post('In', false), EDITOR: editor.id } }
}

function assertAnswer(answer: Answer, { status, code, fields, has = {} }: Row): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  if (code !== undefined) assert.equal(answer.body.error.code, code)
  if (fields !== undefined) {
    assert.deepEqual(
      answer.body.error.details.map(({ field }: { field: string }) => field),
      fields,
    )
  }
  for (const [name, value] of Object.entries(has)) {
    const header = answer.headers.get(name)
    if (value instanceof RegExp) assert.match(header ?? '', value)
    else assert.equal(header, value, name)
  }
}

function rows(title: string, table: readonly Row[]): void {
  forEachEngineAtOnce((engine) => {
    test(title, async (t) => {
      const rest = await startRest(t, engine, api)
      const { who, names } = await people(rest)
      for (const row of table) {
        const { it, send, as, body, headers } = row
        const line = send.replace(/POST$|POST(?=[/?])|DRAFT|EDITOR/g, (name, at) =>
          at === 0 ? name : names[name as keyof typeof names],
        )
        await t.test(`${it}: ${as ?? 'nobody'} ${send}`, async () => {
          const sent: Sent = {
            ...(as === undefined ? {} : { as: who[as]! }),
            ...(body === undefined ? {} : { body }),
            ...(headers === undefined ? {} : { headers }),
          }
          assertAnswer(await rest.send(line, sent), row)
        })
      }
    })
  })
}

rows('what wins (contract 4.1)', [
  { it: 'route before body', send: 'POST /api/v2/nope', body: '{', status: 404, code: 'NOT_FOUND' },
  { it: 'route before body', send: 'PUT /api/v2/posts', body: '{', status: 405, code: 'METHOD_NOT_ALLOWED' },
  { it: 'reading before actor', send: 'POST /api/v2/posts', body: '{', status: 400, code: 'VALIDATION_ERROR' },
  {
    it: 'reading before actor',
    send: 'POST /api/v2/posts',
    body: '{}',
    headers: { 'Content-Type': 'text/plain' },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    it: 'reading before actor',
    send: 'POST /api/v2/posts',
    body: { title: 'x'.repeat(1_048_576) },
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
  { it: 'actor before form', send: 'POST /api/v2/posts', body: {}, status: 401, code: 'UNAUTHENTICATED' },
  { it: 'actor before form', send: 'POST /api/v2/posts', status: 401, code: 'UNAUTHENTICATED' },
  { it: 'actor before form', send: 'POST /api/v2/posts', body: [], status: 401, code: 'UNAUTHENTICATED' },
  { it: 'actor before form', send: 'POST /api/v2/posts?x=1', as: 'viewer', body: [], status: 403, code: 'FORBIDDEN' },
  {
    it: 'actor before form',
    send: 'PATCH /api/v2/posts',
    as: 'viewer',
    body: { ids: 1 },
    status: 403,
    code: 'FORBIDDEN',
  },
  { it: 'actor before form', send: 'GET /api/v2/orders?x=1', status: 401, code: 'UNAUTHENTICATED' },
  { it: 'actor before record', send: 'DELETE /api/v2/posts/post_x', status: 401, code: 'UNAUTHENTICATED' },
  { it: 'actor before record', send: 'DELETE /api/v2/posts/POST', as: 'viewer', status: 403, code: 'FORBIDDEN' },
  { it: 'form before record', send: 'PATCH /api/v2/posts/post_x', as: 'editor', body: {}, status: 400 },
  { it: 'form before record', send: 'PATCH /api/v2/posts/post_x?x=1', as: 'editor', body: { title: 'x' }, status: 400 },
  { it: 'form before record', send: 'GET /api/v2/posts/post_x?x=1', status: 400, fields: ['x'] },
  { it: 'a malformed id is a missing one', send: 'GET /api/v2/posts/1', status: 404, code: 'NOT_FOUND' },
  { it: 'a malformed id is a missing one', send: 'GET /api/v2/users/1', status: 404, code: 'USER_NOT_FOUND' },
  { it: 'a hidden record is missing', send: 'GET /api/v2/posts/DRAFT', status: 404, code: 'NOT_FOUND' },
  { it: 'a hidden record is missing', send: 'GET /api/v2/posts/DRAFT', as: 'viewer', status: 404, code: 'NOT_FOUND' },
  { it: 'so are the lists below it', send: 'GET /api/v2/posts/DRAFT/comments', status: 404, code: 'NOT_FOUND' },
  { it: 'nor does an ETag show it', send: 'GET /api/v2/posts/DRAFT', headers: { 'If-None-Match': '*' }, status: 404 },
  { it: 'state before rules', send: 'POST /api/v2/posts/POST/publish', as: 'editor', status: 409, code: 'CONFLICT' },
  {
    it: 'If-Match before state',
    send: 'POST /api/v2/posts/POST/publish',
    as: 'editor',
    headers: { 'If-Match': '"9.0"' },
    status: 409,
    code: 'CONFLICT',
  },
  { it: 'an anonymous caller has no me', send: 'GET /api/v2/users/me', status: 401, code: 'UNAUTHENTICATED' },
  {
    it: 'an anonymous caller has no me',
    send: 'PATCH /api/v2/users/me',
    body: { bio: 'x' },
    status: 401,
    code: 'UNAUTHENTICATED',
  },
  { it: 'me is not every resource', send: 'GET /api/v2/posts/me', as: 'editor', status: 404, code: 'NOT_FOUND' },
  { it: 'me is not every resource', send: 'GET /api/v2/posts/me', status: 404, code: 'NOT_FOUND' },
])

rows('headers (contract 4.10, 4.11, 9.1.1)', [
  {
    it: 'a record that anybody may read',
    send: 'GET /api/v2/posts/POST',
    status: 200,
    has: {
      ETag: /^"1\.[\w-]{43}"$/,
      'Cache-Control': 'public, no-cache',
      Vary: 'Authorization, X-API-Key',
      'Content-Type': 'application/json; charset=utf-8',
      Deprecation: null,
      Link: null,
    },
  },
  {
    it: 'the same for a user',
    send: 'GET /api/v2/posts/POST',
    as: 'viewer',
    status: 200,
    has: { ETag: /^"1\.[\w-]{43}"$/, 'Cache-Control': 'private, no-cache', Vary: 'Authorization, X-API-Key' },
  },
  {
    it: 'products, for anybody',
    send: 'GET /api/v2/products',
    as: 'viewer',
    status: 200,
    has: { 'Cache-Control': 'public, max-age=60', Vary: 'Authorization, X-API-Key', ETag: /^"[\w-]{43}"$/ },
  },
  {
    it: 'records of an owner',
    send: 'GET /api/v2/orders',
    as: 'viewer',
    status: 200,
    has: { 'Cache-Control': 'private, no-cache' },
  },
  {
    it: 'a failure',
    send: 'GET /api/v2/orders',
    status: 401,
    has: { 'Cache-Control': 'no-store', ETag: null, 'WWW-Authenticate': 'Bearer' },
  },
  {
    it: 'a key without the scope',
    send: 'GET /api/v2/orders',
    as: 'reader',
    status: 403,
    code: 'INSUFFICIENT_SCOPE',
    has: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
  },
  {
    it: '304 keeps its headers',
    send: 'GET /api/v1/posts/POST',
    headers: { 'If-None-Match': '*' },
    status: 304,
    has: {
      ETag: /^"1\.[\w-]{43}"$/,
      'Cache-Control': 'public, no-cache',
      Vary: 'Authorization, X-API-Key',
      Deprecation: /^@\d+$/,
    },
  },
  {
    it: 'HEAD',
    send: 'HEAD /api/v2/posts/POST',
    status: 200,
    has: { ETag: /^"1\.[\w-]{43}"$/, 'Content-Length': /^\d{3}$/ },
  },
  { it: 'OPTIONS', send: 'OPTIONS /api/v2/posts/x/publish', status: 204, has: { Allow: 'POST, OPTIONS' } },
  {
    it: '405',
    send: 'PROPFIND /api/v2/posts/x/comments',
    status: 405,
    code: 'METHOD_NOT_ALLOWED',
    has: { Allow: 'GET, HEAD, QUERY, OPTIONS' },
  },
  ...['GET /api/v1/posts', 'GET /api/v1/posts/x', 'OPTIONS /api/v1/posts', 'PUT /api/v1/posts', 'GET /api/v1/x'].map(
    (send): Row => ({
      it: 'a deprecated version says so',
      send,
      status: { GET: send.endsWith('/posts') ? 200 : 404, OPTIONS: 204, PUT: 405 }[send.split(' ')[0]!]!,
      has: {
        Deprecation: '@1795132800',
        Sunset: 'Sat, 20 Nov 2027 00:00:00 GMT',
        Link: `<${send.split(' ')[1]!.replace('v1', 'v2')}>; rel="successor-version"`,
      },
    }),
  ),
  {
    it: 'whatever the path is',
    send: "GET /api/v1/a>;b/'c%20",
    status: 404,
    has: { Link: '</api/v2/a%3E;b/\'c%20>; rel="successor-version"' },
  },
])

rows('the prefix (contract 4.2)', [
  {
    it: 'reading without a version',
    send: 'GET /api/posts?sort=-title&x=%20+/?',
    status: 301,
    has: { Location: '/api/v2/posts?sort=-title&x=%20+/?', 'Cache-Control': 'no-store' },
  },
  { it: 'below', send: 'HEAD /api/posts/x/comments', status: 301, has: { Location: '/api/v2/posts/x/comments' } },
  { it: 'writing without a version', send: 'POST /api/posts', body: {}, status: 404, code: 'NOT_FOUND' },
  { it: 'OPTIONS without a version', send: 'OPTIONS /api/posts', status: 404 },
  { it: 'no resource', send: 'GET /api/nope', status: 404, has: { Location: null } },
  { it: 'no version', send: 'GET /api/v3/posts', status: 404 },
])

forEachEngineAtOnce((engine) => {
  test('a version that is not named is named in the message', async (t) => {
    const { send } = await startRest(t, engine, api)
    const { body } = await send('DELETE /api/users/x')
    assert.deepEqual(body.error, { code: 'NOT_FOUND', message: 'Name a version: /api/v1/users or /api/v2/users.' })
  })

  test('4.4.16 the flat form of cursors', async (t) => {
    const rest = await startRest(t, engine, api, { cursorForm: 'flat' })
    for (const _ of '12') await rest.signUp('VIEWER')
    const first = (await rest.send('GET /api/v2/users?limit=1&fields=id')).body
    assert.deepEqual(Object.keys(first), ['data', 'next_cursor', 'has_more'])
    assert.equal(first.has_more, true)
    const second = (await rest.send(`GET /api/v2/users?cursor=${first.next_cursor}&fields=id`)).body
    assert.deepEqual(Object.keys(second), ['data', 'has_more'])
    assert.deepEqual([second.data.length, second.has_more], [1, false])
  })

  test('a cursor is bound to its list (contract 4.4.10)', async (t) => {
    const rest = await startRest(t, engine, api)
    const { who, names } = await people(rest)
    const list = `/api/v2/users/${names.EDITOR}/posts`
    const { body } = await rest.send(`GET ${list}?limit=1&sort=title&author_id=${names.EDITOR}`, { as: who['editor']! })
    const answer = async (path: string, query: string) =>
      (await rest.send(`GET ${path}?${query}&cursor=${body.meta.next_cursor}`, { as: who['editor']! })).status
    const same = `sort=title&author_id=${names.EDITOR}`
    assert.equal(await answer(list, same), 200)
    assert.equal(await answer(list, `${same}&limit=7&fields=id`), 200)
    assert.equal(await answer('/api/v2/users/me/posts', same), 200)
    assert.equal(await answer(list.replace('v2', 'v1'), same), 400)
    assert.equal(await answer('/api/v2/posts', same), 400)
    assert.equal(await answer(`/api/v2/users/${who['viewer']!.id}/posts`, same), 400)
    assert.equal(await answer(list, `sort=-title&author_id=${names.EDITOR}`), 400)
    assert.equal(await answer(list, 'sort=title'), 400)
    assert.equal(await answer(list, `sort=title&author_id=${who['viewer']!.id}`), 400)
    assert.equal(await answer(list, `${same}&tag=x`), 400)
  })

  test('totals stop where offsets do (contract 4.4.15)', async (t) => {
    const rest = await startRest(t, engine, api, { limits: { offset: 3 } })
    for (const _ of '123') await rest.signUp('VIEWER')
    const meta = async (query: string) => (await rest.send(`GET /api/v2/users?${query}`)).body.meta
    assert.deepEqual(await meta('per_page=2'), {
      page: 1,
      per_page: 2,
      total: 3,
      total_pages: 2,
      has_next: true,
      has_prev: false,
    })
    await rest.signUp('VIEWER')
    assert.deepEqual(await meta('per_page=3&page=2'), { page: 2, per_page: 3, has_next: false, has_prev: true })
  })
})

test('4.10.8 a 401 says what is wrong with the credential only where one was looked at', async (t) => {
  const { face } = await startRest(t, 'sqlite', api)
  const request = (code: FailureCode, path: string | null) => {
    const { headers } = face.refuse(new Failure(code), path)
    return [headers['WWW-Authenticate'], headers['Deprecation'] !== undefined]
  }
  assert.deepEqual(request('INVALID_TOKEN', '/api/v1/posts'), ['Bearer error="invalid_token"', true])
  assert.deepEqual(request('INVALID_CREDENTIALS', '/api/v2/posts'), ['Bearer error="invalid_token"', false])
  assert.deepEqual(request('TOKEN_EXPIRED', '/nowhere'), ['Bearer error="invalid_token"', false])
  assert.deepEqual(request('RATE_LIMIT_EXCEEDED', '/api/v1/posts'), [undefined, true])
  assert.deepEqual(request('HEADERS_TOO_LARGE', null), [undefined, false])
})
