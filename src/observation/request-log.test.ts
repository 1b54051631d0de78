import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRequestLog, type RequestLogOptions } from './request-log.ts'
import type { WatchedReply, WatchedRequest } from './watch.ts'

const request: WatchedRequest = {
  method: 'GET',
  path: '/api/v2/posts/post_1',
  route: '/api/v2/posts/{id}',
  requestId: 'abc-1',
  address: '192.0.2.7',
  principal: null,
  now: new Date('2026-11-20T09:30:00.998Z'),
}

type Answered = readonly [WatchedReply, number, (WatchedRequest | undefined)?]

function lines(options: Partial<RequestLogOptions>, ...answers: readonly Answered[]) {
  const written: [line: string, isUrgent: boolean][] = []
  const write = (line: string, isUrgent: boolean) => void written.push([line, isUrgent])
  const watch = createRequestLog({ json: true, level: 'info', of: 'all', slowMs: 1000, write, ...options })
  for (const [reply, durationMs, lineRequest = request] of answers) watch?.(lineRequest, reply, durationMs)
  return written
}

describe('a line in JSON', () => {
  const line = (reply: WatchedReply, durationMs: number, lineRequest?: WatchedRequest) =>
    JSON.parse(lines({}, [reply, durationMs, lineRequest])[0]![0])

  test('reports the caller, the request, when it was answered, and how', () => {
    assert.deepEqual(line({ status: 200 }, 2.34567), {
      level: 'info',
      time: '2026-11-20T09:30:01.000Z',
      msg: 'request',
      requestId: 'abc-1',
      method: 'GET',
      route: '/api/v2/posts/{id}',
      status: 200,
      ms: 2.35,
      address: '192.0.2.7',
    })
  })

  test('names a user, and the key that a program shows for one, whatever an outside issuer calls them', () => {
    const person = { id: 'auth0|"x"\n', credential: { kind: 'bearer' } } as const
    assert.equal(line({ status: 200 }, 1, { ...request, principal: person }).userId, 'auth0|"x"\n')
    const program = { id: 'usr_1', credential: { kind: 'apiKey', keyId: 'key_1' } } as const
    const { userId, keyId } = line({ status: 200 }, 1, { ...request, principal: program })
    assert.deepEqual([userId, keyId], ['usr_1', 'key_1'])
  })

  test('reports a failure by its code, and an operation by its name and hash', () => {
    const operation = { type: 'query', name: 'Posts', hash: 'ab12' } as const
    const { code, operation: name, document } = line({ status: 200, failure: 'NOT_FOUND', operation }, 1)
    assert.deepEqual([code, name, document], ['NOT_FOUND', 'Posts', 'ab12'])
    assert.equal(line({ status: 200, operation: { ...operation, name: null } }, 1).operation, null)
  })

  test('has no route where the path has none', () => {
    assert.equal(line({ status: 404 }, 1, { ...request, route: null }).route, null)
  })
})

describe('what is logged', () => {
  const answers = [
    [{ status: 200 }, 1],
    [{ status: 404, failure: 'NOT_FOUND' }, 999],
    [{ status: 200 }, 1000],
    [{ status: 503, failure: 'SERVICE_UNAVAILABLE' }, 1],
    [{ status: 500, failure: 'INTERNAL_ERROR' }, 1],
    [{ status: 200, failure: 'INTERNAL_ERROR' }, 1],
  ] as const
  const levels = (options: Partial<RequestLogOptions>) =>
    lines(options, ...answers).map(([line]) => JSON.parse(line).level)

  test('bugs are errors, what cannot be served or is late is a warning, a client’s mistake is neither', () => {
    assert.deepEqual(levels({}), ['info', 'info', 'warn', 'warn', 'error', 'error'])
  })
  test('bugs and late requests are logged even without a line for every request', () => {
    assert.deepEqual(levels({ of: 'failing' }), ['warn', 'warn', 'error', 'error'])
  })
  test('the level leaves out what is less important', () => {
    assert.deepEqual(levels({ level: 'error' }), ['error', 'error'])
    assert.deepEqual(levels({ level: 'off' }), [])
  })
  test('bugs are urgent', () => {
    assert.deepEqual(
      lines({}, ...answers).map(([, isUrgent]) => isUrgent),
      [false, false, false, false, true, true],
    )
  })
})

test('in development a line is short', () => {
  const operation = { type: 'query', name: 'Posts', hash: 'ab12' } as const
  const written = lines(
    { json: false },
    [{ status: 200 }, 1.239],
    [{ status: 200, operation, failure: 'FORBIDDEN' }, 2, { ...request, method: 'POST', route: '/graphql' }],
    [{ status: 500, failure: 'INTERNAL_ERROR' }, 3, { ...request, route: null }],
  )
  assert.deepEqual(
    written.map(([line]) => line),
    [
      '09:30:00 GET /api/v2/posts/{id} 200 1.24 ms\n',
      '09:30:01 POST /graphql Posts 200 FORBIDDEN 2 ms\n',
      '09:30:01 error: GET (no route) 500 INTERNAL_ERROR 3 ms\n',
    ],
  )
})
