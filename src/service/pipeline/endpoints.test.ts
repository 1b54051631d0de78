import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../../reference/service.ts'
import { createOpenApiChecker, type Exchanged } from '../../../test/support/oracle/openapi.ts'
import { startTestService } from '../../../test/support/server/service.ts'
import { defaultLimits } from '../../limits.ts'
import { makeDocument } from '../../openapi/document.ts'
import { compileRoutes } from '../../rest/route/routes.ts'
import { compileService } from '../start/compile-service.ts'
import { describeEndpoints } from './endpoints.ts'

const model = compileService(api)
const routes = compileRoutes(model)
const checkerOf = (refreshTokenIn: 'body' | 'cookie') =>
  createOpenApiChecker(
    makeDocument(routes.current, routes, model, {
      limits: defaultLimits,
      cursorForm: 'envelope',
      info: { title: 'Test' },
      endpoints: describeEndpoints(model, { refreshTokenIn }),
    }),
  )

test('every example fits its schema', () => {
  for (const carrier of ['body', 'cookie'] as const) assert.deepEqual(checkerOf(carrier).exampleProblems(), [])
})

test('every endpoint is served by its method, and by no undocumented one', async (context) => {
  const service = await startTestService('sqlite')
  context.after(() => service.stop())
  for (const { method, path } of describeEndpoints(model, { refreshTokenIn: 'body' })) {
    const { status, headers } = await service.send(`OPTIONS ${path}`)
    assert.deepEqual([status, headers.allow], [204, method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'], path)
  }
})

test('the documents of a running service have them, under the title that it was given', async (context) => {
  const service = await startTestService('sqlite', { info: { title: 'Letters' } })
  context.after(() => service.stop())
  for (const version of ['v1', 'v2']) {
    const { body } = await service.client.send(`GET /api/${version}/openapi.json`)
    assert.equal(body.info.title, 'Letters')
    for (const path of ['/auth/login', '/api/auth/refresh', '/.well-known/jwks.json', '/health/ready']) {
      assert.ok(path in body.paths, path)
    }
  }
})

describe('an answer that differs from its description', () => {
  const [inBody, inCookie] = [checkerOf('body'), checkerOf('cookie')]
  const tokens = { access_token: 'a.b.c', refresh_token: 'rt_A', token_type: 'Bearer', expires_in: 900 }
  const login = { method: 'POST', path: '/auth/login', status: 200, headers: [], body: tokens } satisfies Exchanged
  test('the one that is', () => inBody.check(login))
  const others: Readonly<Record<string, () => void>> = {
    'another member': () => inBody.check({ ...login, body: { ...tokens, scope: 'all' } }),
    'an envelope': () => inBody.check({ ...login, body: { data: tokens } }),
    'a token in the body beside the cookie': () => inCookie.check(login),
    'a cookie where none is set': () => inBody.check({ ...login, headers: [['set-cookie', 'a=b']] }),
    'another status': () => inBody.check({ ...login, status: 201 }),
    'health without its envelope': () =>
      inBody.check({ method: 'GET', path: '/health', status: 200, headers: [], body: { status: 'ok' } }),
  }
  for (const [what, check] of Object.entries(others)) test(what, () => assert.throws(check, assert.AssertionError))
})
