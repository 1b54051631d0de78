// The refresh token in a cookie: its attributes, its rotation, and who may not use it. (contract 4.14)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileRoutes } from '../../src/rest/route/routes.ts'
import { readConfiguration } from '../../src/service/configuration/configuration.ts'
import { describeEndpoints } from '../../src/service/pipeline/endpoints.ts'
import type { Answer } from '../support/client/http-client.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { clauses } from '../support/rows/clauses.ts'
import { dataKey } from '../support/server/data-key.ts'
import { password, type TestService, withService } from '../support/server/service.ts'

const environment = { REFRESH_TOKEN_IN: 'cookie' }
const login = { email: 'viewer@example.com', password }
const tokenForm = /^refresh_token=(rt_[\w-]{43}); HttpOnly; Secure; SameSite=Strict; Path=\/auth; Max-Age=604800$/
const forgotten = 'refresh_token=; HttpOnly; Secure; SameSite=Strict; Path=/auth; Max-Age=0'
const sameOrigin = { 'Sec-Fetch-Site': 'same-origin' }
const unknown = `rt_${'A'.repeat(43)}`

clauses(
  '4.14 Cookies',
  [
    {
      clause: '4.14.1',
      it: 'login sets it with the attributes of the source, and the JSON omits it',
      send: 'POST /auth/login',
      body: login,
      answer: {
        status: 200,
        body: (body: object) => Object.keys(body).join() === 'access_token,token_type,expires_in',
      },
    },
    {
      clause: '4.14.4',
      it: '/api/auth answers it in the body, and sets none',
      send: 'POST /api/auth/login',
      body: login,
      answer: { status: 200, headers: { 'Set-Cookie': undefined }, body: { refresh_token: /^rt_/ } },
    },
    {
      clause: '4.14.4',
      it: '/api/auth reads no cookie',
      send: 'POST /api/auth/refresh',
      headers: { Cookie: `refresh_token=${unknown}` },
      body: {},
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'refresh_token' },
    },
    {
      clause: '4.14.2',
      it: 'a token in the body is none',
      send: 'POST /auth/refresh',
      body: { refresh_token: unknown },
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'refresh_token' },
    },
    {
      clause: '4.14.2',
      it: 'a refresh without a cookie is UNAUTHENTICATED',
      send: 'POST /auth/refresh',
      headers: sameOrigin,
      body: {},
      answer: { status: 401, code: 'UNAUTHENTICATED', headers: { 'WWW-Authenticate': 'Bearer' } },
    },
    ...[{}, { body: {} }].map((more) => ({
      clause: '4.14.2' as const,
      it: `a logout without a cookie ends nothing, ${'body' in more ? 'with' : 'without'} a body`,
      send: 'POST /auth/logout',
      headers: sameOrigin,
      ...more,
      answer: { status: 400, code: 'VALIDATION_ERROR' as const, field: 'refresh_token' },
    })),
    {
      clause: '4.14.2',
      it: 'two cookies of that name are one too many',
      send: 'POST /auth/refresh',
      headers: { ...sameOrigin, Cookie: `refresh_token=${unknown}; a=b; refresh_token=x` },
      body: {},
      answer: { status: 400, code: 'VALIDATION_ERROR', field: 'refresh_token' },
    },
    {
      clause: '4.14.2',
      it: 'a cookie that is no token of ours is INVALID_TOKEN, and stays',
      send: 'POST /auth/refresh',
      headers: { ...sameOrigin, Cookie: `refresh_token=${unknown}` },
      body: {},
      answer: { status: 401, code: 'INVALID_TOKEN', headers: { 'Set-Cookie': undefined } },
    },
    ...['GET /api/v2/users/me', 'GET /api/v2/sessions'].map((send) => ({
      clause: '4.14.4' as const,
      it: `no cookie signs in at ${send}`,
      send,
      headers: { Cookie: `refresh_token=${unknown}; access_token=x` },
      answer: { status: 401, code: 'UNAUTHENTICATED' as const },
    })),
  ],
  { environment },
)

withService(
  '4.14 Cookies, used',
  (service) => {
    test('4.14.1 a refresh sets the next one; the one before is a reuse, and leaves the cookie alone', async () => {
      const first = cookieOf(await signIn(service()))
      const next = await refresh(first, service())
      assert.deepEqual([next.status, Object.keys(next.body)], [200, ['access_token', 'token_type', 'expires_in']])
      assert.notEqual(cookieOf(next), first)
      const again = await refresh(first, service())
      assert.deepEqual([again.status, again.body.error.code], [401, 'TOKEN_REUSED'])
      assert.equal(again.headers['set-cookie'], undefined)
      assert.equal((await refresh(cookieOf(next), service())).status, 401)
    })

    test('4.14.1 of refreshes with one cookie at once, only the granted one sets a cookie, and none ends it', async () => {
      const token = cookieOf(await signIn(service()))
      const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(token, service())))
      const granted = answers.filter(({ status }) => status === 200)
      assert.equal(granted.length, 1)
      for (const answer of answers) {
        if (answer === granted[0]) continue
        assert.equal(answer.status, 401)
        assert.equal(answer.headers['set-cookie'], undefined)
      }
      assert.equal((await refresh(cookieOf(granted[0]!), service())).status, 401)
    })

    test('4.14.1 a login beside a cookie sets another, and never the one that was sent', async () => {
      const first = cookieOf(await signIn(service()))
      for (const sent of [first, unknown]) {
        const again = await service().send('POST /auth/login', { headers: cookie(sent), body: login })
        assert.notEqual(cookieOf(again), sent)
      }
      assert.equal((await refresh(first, service())).status, 200)
    })

    test('4.14.1 a logout ends the session and the cookie', async () => {
      const token = cookieOf(await signIn(service()))
      const out = await service().send('POST /auth/logout', { headers: { ...sameOrigin, ...cookie(token) }, body: {} })
      assert.deepEqual([out.status, out.text, out.headers['set-cookie']], [200, '{}', [forgotten]])
      assert.equal((await refresh(token, service())).status, 401)
    })

    const form = 'application/x-www-form-urlencoded'
    const elsewhere: readonly (readonly [
      it: string,
      headers: Record<string, string>,
      status: number,
      body?: unknown,
    ])[] = [
      ['a form of another site', { 'Content-Type': form }, 415, 'a=b'],
      ['text of another site', { 'Content-Type': 'text/plain' }, 415, '{}'],
      ['a multipart form', { 'Content-Type': 'multipart/form-data; boundary=x' }, 415, '--x--'],
      ['JSON by another name', { 'Content-Type': 'text/json' }, 415, '{}'],
      ['no body and no type', {}, 415],
      ['neither an origin nor a site', {}, 403, {}],
      ['another origin', { Origin: 'https://evil.example' }, 403, {}],
      ['no origin that has a name', { Origin: 'null' }, 403, {}],
      ['another site', { 'Sec-Fetch-Site': 'cross-site' }, 403, {}],
      ['a neighbouring site', { 'Sec-Fetch-Site': 'same-site' }, 403, {}],
      ['the address bar', { 'Sec-Fetch-Site': 'none' }, 403, {}],
      ['this origin from another site', { Origin: '{here}', 'Sec-Fetch-Site': 'cross-site' }, 403, {}],
      ['another origin from this site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' }, 403, {}],
      ['a host that begins like ours', { Origin: '{here}.evil.example' }, 403, {}],
      ['a host that ends like ours', { Origin: 'http://evil.{host}' }, 403, {}],
      ['another port', { Origin: 'http://127.0.0.1:1' }, 403, {}],
      ['an origin that is let in elsewhere', { Origin: 'https://app.example.com' }, 403, {}],
    ]
    for (const name of ['refresh', 'logout']) {
      for (const [it, headers, status, body] of elsewhere) {
        test(`4.14.3 ${name}: ${it} is ${status}, and nothing has happened`, async () => {
          const token = cookieOf(await signIn(service()))
          const answer = await service().send(`POST /auth/${name}`, {
            headers: { ...cookie(token), ...here(headers, service()) },
            ...(body === undefined ? {} : { body }),
          })
          assert.equal(answer.status, status, answer.text)
          assert.equal(answer.headers['set-cookie'], undefined)
          assert.equal((await refresh(token, service())).status, 200, 'the token is as good as before')
        })
      }
    }

    for (const [it, headers, body] of [
      ['this origin alone', { Origin: '{here}' }, {}],
      ['this site alone', { 'Sec-Fetch-Site': 'same-origin' }, {}],
      ['this origin', { Origin: '{here}', 'Sec-Fetch-Site': 'same-origin' }, {}],
      ['this origin under https', { Origin: 'https://{host}' }, {}],
      ['no body, but its type', { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }, undefined],
      ['a type with its characters', { Origin: '{here}', 'Content-Type': 'application/json; charset=utf-8' }, {}],
    ] as const) {
      test(`4.14.3 ${it} may use it`, async () => {
        const token = cookieOf(await signIn(service()))
        const sent = { headers: { ...cookie(token), ...here(headers, service()) } }
        const answer = await service().send('POST /auth/refresh', body === undefined ? sent : { ...sent, body })
        assert.equal(answer.status, 200, answer.text)
      })
    }

    for (const name of ['refresh', 'logout'])
      test(`4.14.2 ${name}: a token in the body next to the cookie, and a second cookie, are 400, and use neither`, async () => {
        const tokens = [cookieOf(await signIn(service())), cookieOf(await signIn(service()))] as const
        const [token, other] = tokens
        for (const { body, ...headers } of [
          { ...cookie(token), body: { refresh_token: other } },
          { ...cookie(token), body: { refresh_token: token } },
          { Cookie: `refresh_token=${token}; refresh_token=${other}`, body: {} },
        ]) {
          const answer = await service().send(`POST /auth/${name}`, { headers: { ...sameOrigin, ...headers }, body })
          assert.deepEqual([answer.status, answer.body.error.details[0].field], [400, 'refresh_token'])
          assert.equal(answer.headers['set-cookie'], undefined)
        }
        for (const each of tokens) assert.equal((await refresh(each, service())).status, 200)
      })

    test('4.14.4 a cookie that refreshes signs in at neither face, nor at a WebSocket', async () => {
      const headers = { ...sameOrigin, ...cookie(cookieOf(await signIn(service()))) }
      assert.equal((await service().send('GET /api/v2/users/me', { headers })).status, 401)
      const { body } = await service().send('POST /graphql', { headers, body: { query: '{ me { id } }' } })
      assert.equal(body.errors[0].extensions.code, 'UNAUTHENTICATED')
      const socket = await TestSocket.open(service().url, { headers: { ...headers, Origin: service().url } })
      socket.send({ type: 'connection_init', payload: {} })
      assert.equal((await socket.next()).type, 'connection_ack')
      socket.subscribe('1', 'query { me { id } }')
      assert.match(JSON.stringify((await socket.next()).payload), /"UNAUTHENTICATED"/)
      await socket.close()
    })

    test('4.14.5 no other origin may send cookies, to whichever address', async () => {
      const { addresses } = compileRoutes(service().model)
      const endpoints = describeEndpoints(service().model, readConfiguration({ ...environment, DATA_KEY: dataKey }))
      const own = ['/graphql', '/health', '/docs', ...endpoints.map(({ path }) => path)]
      const paths = [...addresses.map(({ pattern }) => pattern.replaceAll(/\{[^}]+\}/g, 'x')), ...own]
      assert.ok(paths.length > 100)
      for (const path of paths) {
        const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' }
        const answer = await service().send(`OPTIONS ${path}`, { headers })
        assert.equal(answer.headers['access-control-allow-origin'], undefined, path)
        assert.equal(answer.headers['access-control-allow-credentials'], undefined, path)
      }
      const allowed = await service().send('POST /auth/refresh', {
        headers: { Origin: 'https://app.example.com' },
        body: {},
      })
      assert.equal(allowed.headers['access-control-allow-credentials'], undefined)
    })
  },
  { environment: { ...environment, ALLOWED_ORIGINS: 'https://app.example.com' } },
)

withService(
  '4.14 Cookies, behind https',
  (service) => {
    test('4.14.3 our own name under http is another origin', async () => {
      const token = cookieOf(await signIn(service()))
      const ask = (origin: string) => {
        const headers = { ...cookie(token), Host: 'api.example.com', Origin: origin }
        return service().send('POST /auth/refresh', { headers, body: {} })
      }
      assert.equal((await ask('http://api.example.com')).status, 403)
      assert.equal((await ask('https://api.example.com')).status, 200)
    })
  },
  { environment: { ...environment, BASE_URL: 'https://api.example.com' } },
)

const cookie = (token: string) => ({ Cookie: `theme=dark; refresh_token=${token}` })
const signIn = (service: TestService) => service.send('POST /auth/login', { body: login })
const refresh = (token: string, service: TestService) =>
  service.send('POST /auth/refresh', { headers: { ...sameOrigin, ...cookie(token) }, body: {} })

function cookieOf(answer: Answer): string {
  assert.equal(answer.status, 200, answer.text)
  const [line, ...more] = answer.headers['set-cookie'] ?? []
  assert.equal(more.length, 0)
  return tokenForm.exec(line ?? '')?.[1] ?? assert.fail(`${line} is the cookie`)
}

/** Puts the service's own origin and host into headers. */
function here(headers: Readonly<Record<string, string>>, { url }: TestService): Record<string, string> {
  const filled = (value: string) => value.replace('{here}', url).replace('{host}', new URL(url).host)
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]))
}
