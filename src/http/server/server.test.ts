import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertFailure, assertHeaders, RawConnection, sendRaw } from '../../../test/support/client/raw-http.ts'
import { startServer } from '../../../test/support/server/http-server.ts'
import { Failure } from '../../failure/failure.ts'
import { defaultLimits } from '../../limits.ts'
import { parseTrustProxy } from './address.ts'
import type { ServerExchange } from './http-exchange.ts'

const host = 'Host: localhost\r\n'
const get = `GET / HTTP/1.1\r\n${host}`
const post = `POST / HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`
// A good body: what is refused is refused for its head.
const chunk = '2\r\n{}\r\n0\r\n\r\n'

describe('7.2.7 malformed HTTP is refused in the envelope, and the connection ends', () => {
  const rows: [name: string, bytes: string][] = [
    ['two Content-Length, equal', `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`],
    ['two Content-Length, conflicting', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a list as Content-Length', `${post}Content-Length: 2, 2\r\n\r\n{}`],
    ['a signed Content-Length', `${post}Content-Length: +2\r\n\r\n{}`],
    ['a negative Content-Length', `${post}Content-Length: -2\r\n\r\n{}`],
    ['a hexadecimal Content-Length', `${post}Content-Length: 0x2\r\n\r\n{}`],
    ['an empty Content-Length', `${post}Content-Length: \r\n\r\n{}`],
    ['a Content-Length beyond all numbers', `${post}Content-Length: ${'9'.repeat(30)}\r\n\r\n{}`],
    [
      'Content-Length, then Transfer-Encoding',
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    ],
    [
      'Transfer-Encoding, then Content-Length',
      `${post}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n${chunk}`,
    ],
    ['two Transfer-Encoding', `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`],
    ['chunked, but not last', `${post}Transfer-Encoding: chunked, gzip\r\n\r\n${chunk}`],
    ['chunked, but not alone', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n${chunk}`],
    ['Transfer-Encoding: identity', `${post}Transfer-Encoding: identity\r\n\r\n{}`],
    ['Transfer-Encoding: xchunked', `${post}Transfer-Encoding: xchunked\r\n\r\n${chunk}`],
    ['Transfer-Encoding with a space before the colon', `${post}Transfer-Encoding : chunked\r\n\r\n${chunk}`],
    ['Transfer-Encoding in HTTP/1.0', `${chunked.replace('HTTP/1.1', 'HTTP/1.0')}${chunk}`],
    ['a chunk size that is no number', `${chunked}zz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size beyond all numbers', `${chunked}ffffffffffffffffff\r\n{}\r\n`],
    ['a chunk longer than it says', `${chunked}1\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size that ends in LF', `${chunked}2\n{}\r\n0\r\n\r\n`],
    ['bare LF everywhere', 'GET / HTTP/1.1\nHost: localhost\n\n'],
    ['bare LF after one header', `GET / HTTP/1.1\r\nHost: localhost\nA: b\r\n\r\n`],
    ['bare CR after one header', `GET / HTTP/1.1\r\nHost: localhost\rA: b\r\n\r\n`],
    ['a folded header', `${get}A: b\r\n c\r\n\r\n`],
    ['NUL in a header', `${get}A: b\0c\r\n\r\n`],
    ['a control character in a header', `${get}A: \x01\r\n\r\n`],
    ['NUL in the name of a header', `${get}A\0: b\r\n\r\n`],
    ['a header without a name', `${get}: b\r\n\r\n`],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two Host', `${get}${host}\r\n`],
    ['two Host, differently spelled', `${get}hOST: evil\r\n\r\n`],
    ['a Host with a path', 'GET / HTTP/1.1\r\nHost: localhost/evil\r\n\r\n'],
    ['a Host with a user', 'GET / HTTP/1.1\r\nHost: evil@localhost\r\n\r\n'],
    ['two Authorization', `${get}Authorization: Bearer a\r\nAuthorization: Bearer a\r\n\r\n`],
    ['two X-API-Key', `${get}X-API-Key: a\r\nx-api-key: b\r\n\r\n`],
    ['two X-Idempotency-Key', `${get}X-Idempotency-Key: a\r\nX-Idempotency-Key: a\r\n\r\n`],
    ['two Idempotency-Key', `${get}Idempotency-Key: a\r\nIdempotency-Key: b\r\n\r\n`],
    ['two Content-Type', `${post}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`],
    ['two Origin', `${get}Origin: http://a\r\nOrigin: http://b\r\n\r\n`],
    [
      'two Authorization behind a thousand others',
      `${get}Authorization: a\r\n${'a:\r\n'.repeat(2_500)}Authorization: b\r\n\r\n`,
    ],
    ['a percent sign that escapes nothing', `GET /%ZZ HTTP/1.1\r\n${host}\r\n`],
    ['a cut-off escape', `GET /a% HTTP/1.1\r\n${host}\r\n`],
    ['escapes that are not UTF-8', `GET /%C0%AF HTTP/1.1\r\n${host}\r\n`],
    ['NUL in the path', `GET /a\0b HTTP/1.1\r\n${host}\r\n`],
    ['an escaped NUL in the path', `GET /a%00b HTTP/1.1\r\n${host}\r\n`],
    ['an escaped line break in the path', `GET /a%0d%0Ab HTTP/1.1\r\n${host}\r\n`],
    ['an escaped DEL in the path', `GET /a%7Fb HTTP/1.1\r\n${host}\r\n`],
    ['bytes beyond ASCII in the path', `GET /\xc3\xa9 HTTP/1.1\r\n${host}\r\n`],
    ['a space in the path', `GET /a b HTTP/1.1\r\n${host}\r\n`],
    ['a fragment', `GET /a#b HTTP/1.1\r\n${host}\r\n`],
    ['escapes that are half of a surrogate pair', `GET /%ED%A0%80 HTTP/1.1\r\n${host}\r\n`],
    ['an absolute target of another scheme', `GET ftp://localhost/ HTTP/1.1\r\n${host}\r\n`],
    ['an absolute target without a host', `GET http:///a HTTP/1.1\r\n${host}\r\n`],
    ['an absolute target with a user', `GET http://evil@localhost/ HTTP/1.1\r\n${host}\r\n`],
    ['an absolute target with a malformed path', `GET http://localhost/%ZZ HTTP/1.1\r\n${host}\r\n`],
    ['an absolute target, but no Host', 'GET http://localhost/ HTTP/1.1\r\n\r\n'],
    ['an absolute target, but a malformed Host', 'GET http://localhost/ HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a relative target', `GET a HTTP/1.1\r\n${host}\r\n`],
    ['GET *', `GET * HTTP/1.1\r\n${host}\r\n`],
    ['HTTP/0.9', 'GET /\r\n\r\n'],
    ['HTTP/1.2', `GET / HTTP/1.2\r\n${host}\r\n`],
    ['HTTP/2.0', `GET / HTTP/2.0\r\n${host}\r\n`],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['nothing like HTTP', 'hello\r\n\r\n'],
  ]
  for (const [name, bytes] of rows) {
    test(name, async (t) => {
      const { port, log } = await startServer(t)
      const [answer, connection] = await sendRaw(port, bytes)
      assertFailure(answer, 400, 'VALIDATION_ERROR')
      assert.equal(answer.headers['connection'], 'close')
      await connection.closed()
      assert.deepEqual(log, [])
    })
  }
})

describe('8.4.2 sizes: just under, exactly, just over', () => {
  const target = (bytes: number): string => `GET /${'a'.repeat(bytes - 1)} HTTP/1.1\r\n${host}\r\n`
  const headers = (bytes: number): string => `${get}A: ${'a'.repeat(bytes - host.length - 'A: \r\n'.length)}\r\n\r\n`
  const rows: [name: string, bytes: string, status: number, code?: string][] = [
    ['a URL just under', target(defaultLimits.urlBytes - 1), 200],
    ['a URL of exactly the limit', target(defaultLimits.urlBytes), 200],
    ['a URL just over', target(defaultLimits.urlBytes + 1), 414, 'URI_TOO_LONG'],
    ['a URL far over', target(60_000), 414, 'URI_TOO_LONG'],
    ['headers just under', headers(defaultLimits.headerBytes - 1), 200],
    ['headers of exactly the limit', headers(defaultLimits.headerBytes), 200],
    ['headers just over', headers(defaultLimits.headerBytes + 1), 431, 'HEADERS_TOO_LARGE'],
    ['headers far over', headers(60_000), 431, 'HEADERS_TOO_LARGE'],
    ['many small headers', `${get}${'a: b\r\n'.repeat(3_000)}\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['chunk extensions without end', `${chunked}2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`, 413, 'PAYLOAD_TOO_LARGE'],
  ]
  for (const [name, bytes, status, code] of rows) {
    test(`${name}: ${status}`, async (t) => {
      const { port } = await startServer(t)
      const [answer, connection] = await sendRaw(port, bytes)
      if (code === undefined) {
        assert.equal(answer.status, status)
        assertHeaders(answer)
        connection.destroy()
      } else {
        assertFailure(answer, status, code)
        await connection.closed()
      }
    })
  }
})

describe('what is unusual and allowed', () => {
  const rows: [name: string, bytes: string, path: string, query?: string][] = [
    ['HTTP/1.0 without Host', 'GET /a HTTP/1.0\r\n\r\n', '/a'],
    ['an escape, as it was sent', `GET /%c3%A9?q=%20%2F HTTP/1.1\r\n${host}\r\n`, '/%c3%A9', 'q=%20%2F'],
    ['an escaped line break in the query', `GET /?q=a%0Ab HTTP/1.1\r\n${host}\r\n`, '/', 'q=a%0Ab'],
    ['braces and quotes in the query', `GET /?q={"a":[1]} HTTP/1.1\r\n${host}\r\n`, '/', 'q={"a":[1]}'],
    ['two question marks', `GET /a?b?c HTTP/1.1\r\n${host}\r\n`, '/a', 'b?c'],
    ['dots and slashes, as they were sent', `GET //a/../b HTTP/1.1\r\n${host}\r\n`, '//a/../b'],
    ['a port in Host', 'GET /a HTTP/1.1\r\nHost: localhost:3000\r\n\r\n', '/a'],
    ['an IPv6 Host', 'GET /a HTTP/1.1\r\nHost: [::1]:3000\r\n\r\n', '/a'],
    ['an absolute target', `GET http://example.com:80/a?b=c HTTP/1.1\r\n${host}\r\n`, '/a', 'b=c'],
    ['an absolute target in capitals', `GET HTTPS://EXAMPLE.com/a HTTP/1.1\r\n${host}\r\n`, '/a'],
    ['an absolute target without a path', `GET http://example.com HTTP/1.1\r\n${host}\r\n`, '/'],
    ['an absolute target with a query alone', `GET http://example.com?b=/c HTTP/1.1\r\n${host}\r\n`, '/', 'b=/c'],
    ['OPTIONS of a whole server', `OPTIONS http://example.com HTTP/1.1\r\n${host}\r\n`, '*'],
    [
      'a query whose escapes say nothing, which its readers refuse',
      `GET /?a=%FF%4&b=%00 HTTP/1.1\r\n${host}\r\n`,
      '/',
      'a=%FF%4&b=%00',
    ],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, '*'],
    ['a method without a route, which the pipeline refuses', `PROPFIND /a HTTP/1.1\r\n${host}\r\n`, '/a'],
    ['an offer of HTTP/2', `GET /a HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`, '/a'],
    [
      'a WebSocket without a listener',
      `GET /a HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      '/a',
    ],
    ['empty lines before the request', `\r\n\r\nGET /a HTTP/1.1\r\n${host}\r\n`, '/a'],
    [
      'GET with a body',
      `GET /a HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      '/a',
    ],
  ]
  for (const [name, bytes, path, query = ''] of rows) {
    test(name, async (t) => {
      const { port } = await startServer(t)
      const [answer, connection] = await sendRaw(port, bytes)
      assert.equal(answer.status, 200)
      const { data } = JSON.parse(answer.body.toString())
      assert.deepEqual([data.path, data.query, data.address], [path, query, '127.0.0.1'])
      assertHeaders(answer)
      connection.destroy()
    })
  }
})

test('4.10.12 an absolute target names the host, whatever the header Host says (RFC 9112 3.2.2)', async (t) => {
  const answer = async ({ headers }: ServerExchange) => ({
    status: 200,
    headers: {},
    body: JSON.stringify(headers.host),
  })
  const { port } = await startServer(t, { answer })
  const connection = new RawConnection(port)
  for (const [target, named] of [
    ['/a', 'localhost'],
    ['http://example.com:81/a', 'example.com:81'],
    ['https://[::1]/a', '[::1]'],
  ]) {
    const { body } = await connection.send(`GET ${target} HTTP/1.1\r\n${host}\r\n`).answer()
    assert.equal(JSON.parse(body.toString()), named)
  }
  connection.destroy()
})

describe('methods that the parser or HTTP itself singles out', () => {
  const rows: [name: string, bytes: string][] = [
    ['FOO', `FOO / HTTP/1.1\r\n${host}\r\n`],
    ['get', `get / HTTP/1.1\r\n${host}\r\n`],
    ['CONNECT', `CONNECT localhost:443 HTTP/1.1\r\n${host}\r\n`],
  ]
  for (const [name, bytes] of rows) {
    test(`${name} is 405, and the connection ends`, async (t) => {
      const { port } = await startServer(t)
      const [answer, connection] = await sendRaw(port, bytes)
      assertFailure(answer, 405, 'METHOD_NOT_ALLOWED')
      assert.equal(answer.headers['allow'], 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
      await connection.closed()
    })
  }
})

describe('an unknown method is counted like any other (contract 4.10.5)', () => {
  const heads: [name: string, bytes: string][] = [
    ['unknown to the parser', 'FOO /a?b=c HTTP/1.1\r\n'],
    ['CONNECT', 'CONNECT localhost:443 HTTP/1.1\r\n'],
  ]
  const sent = `${host}x-forwarded-for: 203.0.113.1\r\nX-Forwarded-For:192.0.2.7 \r\nX-Request-ID: abc\r\n\r\n`
  for (const [name, line] of heads) {
    for (const before of ['', `${get}\r\n`]) {
      test(`${name}, ${before === '' ? 'alone' : 'behind another request'}`, async (t) => {
        const { promise: watched, resolve } = Promise.withResolvers<number>()
        const { port } = await startServer(t, {
          trustProxy: parseTrustProxy('127.0.0.1'),
          watch: ({ requestId }, { status }) => (requestId === 'abc' ? resolve(status) : undefined),
          answerRefused: async (exchange, { code }) => {
            exchange.addHeader('X-RateLimit-Remaining', '99')
            return { status: 405, headers: {}, body: JSON.stringify([code, exchange.address]) }
          },
        })
        const connection = new RawConnection(port)
        if (before !== '') assert.equal((await connection.send(before).answer()).status, 200)
        const { status, headers, body } = await connection.send(line + sent).answer()
        assert.deepEqual([status, JSON.parse(body.toString())], [405, ['METHOD_NOT_ALLOWED', '192.0.2.7']])
        assert.deepEqual([headers['x-ratelimit-remaining'], headers['x-request-id']], ['99', 'abc'])
        assert.deepEqual([headers['connection'], await watched], ['close', 405])
        await connection.closed()
      })
    }
  }

  test('unless it cannot be counted', async (t) => {
    const answerRefused = () => Promise.reject(new Failure('SERVICE_UNAVAILABLE'))
    const { port } = await startServer(t, { answerRefused })
    const [answer, connection] = await sendRaw(port, `FOO / HTTP/1.1\r\n${host}\r\n`)
    assertFailure(answer, 503, 'SERVICE_UNAVAILABLE')
    await connection.closed()
  })
})

describe('X-Request-ID (contract 4.10.3)', () => {
  const rows: [name: string, sent: string, isEchoed: boolean][] = [
    ['letters, digits and marks', 'aZ09._-', true],
    ['128 characters', 'a'.repeat(128), true],
    ['129 characters', 'a'.repeat(129), false],
    ['a space within', 'a b', false],
    ['a quote', 'a"b', false],
    ['nothing', '', false],
    ['two of them', 'a\r\nX-Request-ID: b', false],
  ]
  for (const [name, sent, isEchoed] of rows) {
    test(`${name}: ${isEchoed ? 'echoed' : 'made anew'}`, async (t) => {
      const { port } = await startServer(t)
      const connection = new RawConnection(port)
      const ids: string[] = []
      for (const bytes of [
        `${get}X-Request-ID: ${sent}\r\n\r\n`,
        `${get}X-Request-ID: ${sent}\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n`,
      ]) {
        const answer = await connection.send(bytes).answer()
        assertHeaders(answer)
        ids.push(answer.headers['x-request-id']!)
      }
      if (isEchoed) assert.deepEqual(ids, [sent, sent])
      else assert.equal(new Set([sent, ...ids]).size, 3)
      await connection.closed()
    })
  }
})

test('request ids that are made tell nothing of each other', async (t) => {
  const { port } = await startServer(t)
  const connection = new RawConnection(port)
  const ids: string[] = []
  for (let count = 0; count < 2_000; count++) {
    ids.push((await connection.send(`${get}\r\n`).answer()).headers['x-request-id']!)
  }
  connection.destroy()
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[\w-]{16,32}$/)
  for (let at = 0; at < ids[0]!.length; at++) {
    // Of 64 signs each is drawn about 31 times; a counter leaves its first places nearly alone, and neighbours alike.
    const signs = ids.map((id) => id[at]!)
    assert(new Set(signs).size > 40, `place ${at} has ${new Set(signs).size} signs`)
    const alike = signs.filter((sign, index) => sign === signs[index + 1]).length
    assert(alike < 100, `place ${at} stays as it was ${alike} times`)
  }
})

describe('a path that has errors of its own form has them here as well', () => {
  const refuse = (_failure: unknown, path: string | null) => ({
    status: 400,
    headers: {},
    body: JSON.stringify({ errors: [path] }),
  })
  const rows: [name: string, bytes: string, path: string | null][] = [
    ['a repeated header', `GET /graphql HTTP/1.1\r\n${host}${host}\r\n`, '/graphql'],
    [
      'a repeated length',
      `POST /graphql?a=b HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 1\r\n\r\n1`,
      '/graphql',
    ],
    ['an absolute target', `GET http://localhost/graphql HTTP/1.1\r\n${host}${host}\r\n`, '/graphql'],
    ['an absolute target that cannot be parsed', `GET http://localhost/graphql HTTP/1.1\r\nA\r\n\r\n`, '/graphql'],
    ['an unknown method', `FOO /graphql HTTP/1.1\r\n${host}\r\n`, '/graphql'],
    ['a URL far too long', `GET /graphql?${'a'.repeat(60_000)} HTTP/1.1\r\n${host}\r\n`, '/graphql'],
    ['noise', 'noise', null],
  ]
  for (const [name, bytes, path] of rows) {
    test(name, async (t) => {
      const { port } = await startServer(t, { refuse })
      const [answer, connection] = await sendRaw(port, bytes)
      assert.deepEqual(JSON.parse(answer.body.toString()), { errors: [path] })
      await connection.closed()
    })
  }
})
