import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { describe, test } from 'node:test'
import { isAllowedOrigin, parseAllowedOrigins, withCors } from './cors.ts'
import type { Reply } from './message/exchange.ts'

const app = 'https://app.example.com'
const limits = { preflightMaxAgeSeconds: 600 }

describe('0.1.4 which origins are let in', () => {
  const secure = parseAllowedOrigins(`${app}, http://localhost:5173`, 'https://api.example.com')
  const rows: [origin: string | undefined, isAllowed: boolean][] = [
    [undefined, true],
    ['https://api.example.com', true],
    [app, true],
    ['http://localhost:5173', true],
    ['http://api.example.com', false],
    ['https://api.example.com:8443', false],
    ['http://app.example.com', false],
    ['https://app.example.com:8443', false],
    ['https://app.example.com.evil.com', false],
    ['https://evil.com/https://app.example.com', false],
    ['https://sub.app.example.com', false],
    ['https://APP.example.com', false],
    ['http://localhost:5174', false],
    ['null', false],
    ['*', false],
    ['', false],
  ]
  for (const [origin, isAllowed] of rows) {
    test(`${origin}: ${isAllowed}`, () => assert.equal(isAllowedOrigin(origin, 'api.example.com', secure), isAllowed))
  }

  test('the same origin may be http where the service is', () => {
    const plain = parseAllowedOrigins(undefined, 'http://127.0.0.1:3000')
    assert(isAllowedOrigin('http://localhost:3000', 'LOCALHOST:3000', plain))
    assert(!isAllowedOrigin('http://localhost:3001', 'localhost:3000', plain))
    assert(!isAllowedOrigin('http://localhost:3000', undefined, plain))
  })

  for (const wrong of [
    '*',
    'null',
    'app.example.com',
    'https://a.b/',
    'https://a.b/c',
    'https://A.b',
    'ftp://a',
    'https://a:443',
  ]) {
    test(`ALLOWED_ORIGINS=${wrong} is refused with a sentence`, () =>
      assert.throws(() => parseAllowedOrigins(`${app},${wrong}`, 'https://a.b'), {
        message: `ALLOWED_ORIGINS: "${wrong}" is not an origin such as https://app.example.com.`,
      }))
  }
})

describe('4.10.10 headers for a browser', () => {
  const allowed = parseAllowedOrigins(app, 'https://api.example.com')
  const reply: Reply = { status: 200, headers: { Vary: 'Authorization, X-API-Key', ETag: '"1.0"' }, body: '{}' }
  const options: Reply = { status: 204, headers: { Allow: 'GET, HEAD, POST, OPTIONS' }, body: null }
  const tell = (method: string, headers: IncomingHttpHeaders, to: Reply) =>
    withCors(to, { method, headers }, allowed, limits).headers

  test('an allowed origin may read the answer and our headers', () => {
    const headers = tell('GET', { origin: app }, reply)
    assert.equal(headers['Access-Control-Allow-Origin'], app)
    assert.match(String(headers['Access-Control-Expose-Headers']), /ETag.*X-RateLimit-Remaining.*X-Request-ID/)
    assert.equal(headers['Vary'], 'Authorization, X-API-Key, Origin')
    assert.equal(headers['ETag'], '"1.0"')
    assert.equal(headers['Access-Control-Allow-Credentials'], undefined)
  })

  test('a preflight is the answer to OPTIONS, whose methods are those of the route', () => {
    const headers = tell('OPTIONS', { origin: app, 'access-control-request-method': 'POST' }, options)
    assert.equal(headers['Access-Control-Allow-Methods'], 'GET, HEAD, POST, OPTIONS')
    assert.match(String(headers['Access-Control-Allow-Headers']), /Authorization.*X-API-Key.*X-Idempotency-Key/)
    assert.equal(headers['Access-Control-Max-Age'], '600')
    assert.equal(headers['Vary'], 'Origin')
  })

  test('an origin that is not allowed gets no such headers, on a preflight either', () => {
    for (const origin of ['https://evil.com', 'null', 'https://api.example.com']) {
      const headers = tell('OPTIONS', { origin, 'access-control-request-method': 'POST' }, options)
      assert.deepEqual(headers, { Allow: 'GET, HEAD, POST, OPTIONS', Vary: 'Origin' })
    }
  })

  test('without an Origin there is only Vary, and without allowed origins nothing', () => {
    assert.deepEqual(tell('GET', {}, reply), { ...reply.headers, Vary: 'Authorization, X-API-Key, Origin' })
    const none = parseAllowedOrigins('', 'https://api.example.com')
    assert.equal(withCors(reply, { method: 'GET', headers: { origin: app } }, none, limits), reply)
  })
})
