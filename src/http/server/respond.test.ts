import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertFailure, assertHeaders, RawConnection, sendRaw } from '../../../test/support/client/raw-http.ts'
import { startServer } from '../../../test/support/server/http-server.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reply } from '../message/exchange.ts'

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const head = get.replace('GET', 'HEAD')
const body = '{"data":"é"}'

describe('4.10.1, 4.10.2 every answer', () => {
  const rows: [name: string, reply: Reply, expected: Record<string, string | undefined>][] = [
    [
      'has a type and a length',
      { status: 200, headers: {}, body },
      { 'content-type': 'application/json; charset=utf-8', 'content-length': '13' },
    ],
    ['may be bytes', { status: 200, headers: {}, body: Buffer.from(body) }, { 'content-length': '13' }],
    [
      'without a body has a length of zero and no type',
      { status: 301, headers: { Location: '/a' }, body: null },
      { location: '/a', 'content-length': '0', 'content-type': undefined },
    ],
    [
      'of 204 has neither',
      { status: 204, headers: {}, body: null },
      { 'content-length': undefined, 'content-type': undefined },
    ],
    [
      'of 304 has neither',
      { status: 304, headers: { ETag: '"1.0"' }, body: null },
      { etag: '"1.0"', 'content-length': undefined, 'content-type': undefined },
    ],
    [
      'of 204 loses a body it cannot have',
      { status: 204, headers: {}, body },
      { 'content-length': undefined, 'content-type': undefined },
    ],
    ['is not stored unless it says so', { status: 200, headers: {}, body }, { 'cache-control': 'no-store' }],
    [
      'may be stored',
      { status: 200, headers: { 'Cache-Control': 'public, max-age=60' }, body },
      { 'cache-control': 'public, max-age=60' },
    ],
    [
      'may set one header twice',
      { status: 200, headers: { 'Set-Cookie': ['a=1', 'b=2'] }, body },
      { 'set-cookie': 'a=1, b=2' },
    ],
    [
      'goes on with the connection',
      { status: 200, headers: {}, body },
      { connection: 'keep-alive', 'keep-alive': 'timeout=72' },
    ],
  ]
  for (const [name, reply, expected] of rows) {
    test(name, async (t) => {
      const { port } = await startServer(t, { answer: async () => reply })
      const connection = new RawConnection(port)
      const answer = await connection.send(get).answer()
      assert.equal(answer.status, reply.status)
      assertHeaders(answer)
      for (const [header, value] of Object.entries(expected)) assert.equal(answer.headers[header], value, header)
      assert.equal(answer.body.toString(), reply.body === null || reply.status === 204 ? '' : body)
      const {
        date: _,
        'x-request-id': __,
        ...toHead
      } = (await connection.send(head).answer({ bodiless: true })).headers
      const { date: ___, 'x-request-id': ____, ...toGet } = answer.headers
      assert.deepEqual(toHead, toGet, 'HEAD has the headers of GET')
      assert.equal((await connection.send(get).answer()).status, reply.status)
      connection.destroy()
    })
  }

  test('may have a policy and a type of its own', async (t) => {
    const headers = { 'Content-Security-Policy': "default-src 'self'", 'Content-Type': 'text/html; charset=utf-8' }
    const { port } = await startServer(t, { answer: async () => ({ status: 200, headers, body: '<p>' }) })
    const [answer, connection] = await sendRaw(port, get)
    assert.equal(answer.headers['content-security-policy'], "default-src 'self'")
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    connection.destroy()
  })

  test('to HTTP/1.0 ends the connection', async (t) => {
    const { port } = await startServer(t)
    const [answer, connection] = await sendRaw(port, 'GET / HTTP/1.0\r\n\r\n')
    assertHeaders(answer)
    await connection.closed()
  })
})

describe('what the pipeline throws', () => {
  const secret = 'SELECT password FROM user'

  test('7.2.3 a bug is 500, reveals nothing, and is logged with its request', async (t) => {
    const bug = new Error(secret)
    const { port, log } = await startServer(t, {
      answer: async (exchange) => {
        exchange.addHeader('X-RateLimit-Remaining', '99')
        throw bug
      },
    })
    const [answer, connection] = await sendRaw(port, get)
    assert.equal(assertFailure(answer, 500, 'INTERNAL_ERROR'), 'The service failed.')
    assert.equal(answer.headers['x-ratelimit-remaining'], '99')
    const requestId = answer.headers['x-request-id']
    assert.deepEqual(log, [
      {
        level: 'error',
        fields: { err: bug, method: 'GET', path: '/', requestId },
        message: 'A request failed unexpectedly.',
      },
    ])
    assert.equal((await connection.send(get).answer()).status, 500)
    connection.destroy()
  })

  test('a bug before the first await is one too', async (t) => {
    const { port, log } = await startServer(t, {
      answer: () => {
        throw new Error(secret)
      },
    })
    const [answer, connection] = await sendRaw(port, get)
    assertFailure(answer, 500, 'INTERNAL_ERROR')
    assert.equal(log.length, 1)
    connection.destroy()
  })

  test('7.2.1 a failure is its own answer, and not for the log', async (t) => {
    const details = [{ field: 'a', message: 'b' }]
    const { port, log } = await startServer(t, {
      answer: () =>
        Promise.reject(
          new Failure('SERVICE_UNAVAILABLE', { details, retryAfterSeconds: 3, headers: { Allow: 'GET' } }),
        ),
    })
    const [answer, connection] = await sendRaw(port, get)
    assertFailure(answer, 503, 'SERVICE_UNAVAILABLE')
    assert.deepEqual(JSON.parse(answer.body.toString()).error.details, details)
    assert.deepEqual([answer.headers['retry-after'], answer.headers['allow']], ['3', 'GET'])
    assert.deepEqual(log, [])
    connection.destroy()
  })

  for (const [name, answerHeaders, added] of [
    ['the reply', { Location: '/a\r\nSet-Cookie: evil=1' }, '99'],
    ['the pipeline', {}, '99\r\nSet-Cookie: evil=1'],
  ] as const) {
    test(`a line break in a header of ${name} is a bug, and splits nothing`, async (t) => {
      const { port, log } = await startServer(t, {
        answer: async (exchange) => {
          exchange.addHeader('X-RateLimit-Remaining', added)
          return { status: 200, headers: answerHeaders, body: null }
        },
      })
      const [answer, connection] = await sendRaw(port, get)
      assertFailure(answer, 500, 'INTERNAL_ERROR')
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.equal(log.length, 1)
      connection.destroy()
    })
  }
})
