// What the log tells of requests, whatever they came by: asked of the whole service.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { RawConnection } from '../support/client/raw-http.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { type TestService, withService } from '../support/server/service.ts'

withService(
  'a line for every request',
  (service) => {
    const lines = () =>
      service()
        .logged()
        .filter(({ msg }) => msg === 'request')
    const valuesOf = (...names: readonly string[]) => {
      const found = lines().map((line) => names.map((name) => line[name]))
      service().forgetLog()
      return found
    }
    const begin = async () => {
      const fixtures = service().fixtures({ post: { Post: { title: 'Draft', content: 'c', author: '{editor}' } } })
      const post = await fixtures.idOf('post')
      const editor = await fixtures.idOf('editor')
      await service().token(editor)
      service().forgetLog()
      return { fixtures, post, editor }
    }

    test('names the route by its pattern, the status and what failed', async () => {
      const { post } = await begin()
      for (const line of [
        `GET /api/v2/posts/${post}`,
        `DELETE /api/v1/posts/${post}`,
        'GET /api/v2/users/usr_0000000000000000000000000A/posts?limit=1',
        'GET /api/v2/nothing/here',
        'GET /nowhere',
        'GET /api/posts',
        'PUT /auth/login',
        'GET /health/ready',
        'GET /.well-known/jwks.json',
      ]) {
        await service().send(line)
      }
      assert.deepEqual(valuesOf('method', 'route', 'status', 'code'), [
        ['GET', '/api/v2/posts/{id}', 404, 'NOT_FOUND'],
        ['DELETE', '/api/v1/posts/{id}', 401, 'UNAUTHENTICATED'],
        ['GET', '/api/v2/users/{id}/posts', 404, 'USER_NOT_FOUND'],
        ['GET', null, 404, 'NOT_FOUND'],
        ['GET', null, 404, 'NOT_FOUND'],
        ['GET', null, 301, undefined],
        ['PUT', '/auth/login', 405, 'METHOD_NOT_ALLOWED'],
        ['GET', '/health/ready', 200, undefined],
        ['GET', '/.well-known/jwks.json', 200, undefined],
      ])
    })

    test('names the caller, by id', async () => {
      const { editor, fixtures, post } = await begin()
      await service().send(`GET /api/v2/posts/${post}`, { as: 'editor', fixtures, headers: { 'X-Request-ID': 'mine' } })
      await service().send('GET /api/v2/posts', { headers: { Authorization: 'Bearer rubbish' } })
      const { body } = await service().send('POST /api/v2/api-keys', {
        as: 'editor',
        fixtures,
        body: { name: 'k', scopes: ['read:posts'] },
      })
      service().forgetLog()
      await service().send(`GET /api/v2/posts/${post}`, { headers: { 'X-API-Key': body.data.key } })
      assert.deepEqual(valuesOf('userId', 'keyId', 'route', 'status'), [
        [editor, body.data.id, '/api/v2/posts/{id}', 200],
      ])
    })

    test('reports how long it took and where it came from', async () => {
      await begin()
      await service().send('GET /api/v2/posts')
      const [[ms, address, requestId]] = valuesOf('ms', 'address', 'requestId') as [[number, string, string]]
      assert(ms > 0 && ms < 60_000)
      assert.equal(address, '127.0.0.1')
      assert.match(requestId, /^[\w-]+$/)
    })

    test('names a GraphQL operation and the hash of its document, and the first thing that failed', async () => {
      const { post, fixtures } = await begin()
      const query = `query One { post(id: "${post}") { title } }`
      await service().graphql(query)
      await service().graphql(query, { as: 'editor', fixtures })
      await service().graphql('{ nothing }')
      await service().graphql('query Deep { a: posts { nodes { author { posts { author { posts { id } } } } } } }')
      await service().send('POST /graphql', { headers: { Authorization: 'Bearer rubbish' }, body: { query } })
      const hash = createHash('sha256').update(query).digest('hex')
      const deep = lines()[3]!['document']
      assert.deepEqual(valuesOf('route', 'operation', 'document', 'status', 'code'), [
        ['/graphql', 'One', hash, 200, 'NOT_FOUND'],
        ['/graphql', 'One', hash, 200, undefined],
        ['/graphql', undefined, undefined, 200, 'GRAPHQL_VALIDATION_FAILED'],
        ['/graphql', 'Deep', deep, 200, 'QUERY_TOO_DEEP'],
        ['/graphql', undefined, undefined, 200, 'INVALID_TOKEN'],
      ])
    })

    test('is there for what was no request', async () => {
      await begin()
      const connection = new RawConnection(Number(new URL(service().url).port))
      await connection.send('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n').answer()
      await connection.closed()
      const broken = new RawConnection(Number(new URL(service().url).port))
      await broken.send('rubbish\r\n\r\n').answer()
      await broken.closed()
      assert.deepEqual(valuesOf('method', 'route', 'status', 'code'), [
        ['GET', null, 400, 'VALIDATION_ERROR'],
        ['', null, 400, 'VALIDATION_ERROR'],
      ])
    })

    test('is there for every operation on a WebSocket, and for its upgrade', async () => {
      const { post, editor } = await begin()
      const socket = await TestSocket.ready(service().url, await service().token(editor))
      const ask = async (id: string, query: string) => {
        socket.send({ type: 'subscribe', id, payload: { query } })
        return socket.next()
      }
      await ask('1', `query Mine { post(id: "${post}") { id } }`)
      await socket.next()
      await ask('2', '{ nothing }')
      socket.send({ type: 'subscribe', id: '3', payload: { query: 'subscription News { postCreated { id } }' } })
      await ask('4', 'query Last { posts { nodes { id } } }')
      await linesOf(service(), 5)
      assert.deepEqual(valuesOf('method', 'userId', 'operation', 'status', 'code').sort(), [
        ['GET', undefined, undefined, 101, undefined],
        ['WEBSOCKET', editor, undefined, 200, 'GRAPHQL_VALIDATION_FAILED'],
        ['WEBSOCKET', editor, 'Last', 200, undefined],
        ['WEBSOCKET', editor, 'Mine', 200, undefined],
        ['WEBSOCKET', editor, 'News', 200, undefined],
      ])
      await socket.close()
    })
  },
  { logsRequests: true },
)

/** The line of an operation follows its last frame, in a turn of its own. */
async function linesOf(service: TestService, count: number): Promise<void> {
  while (service.log().length < count) await new Promise((resolve) => setImmediate(resolve))
}
