// Connections for subscriptions: the protocol's rules and close codes, and what each connection may hold.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Detail } from '../../src/failure/failure.ts'
import { cost, nothing, withQuietService } from '../support/check/statement-counter.ts'
import { makeKey } from '../support/client/api-key.ts'
import { codesOf, creations, dataOf, signIn } from '../support/client/subscriber.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { type TestService, withService } from '../support/server/service.ts'

/** Longer than a busy machine may keep a pong waiting. */
const idleMs = 1_500
const socketTickMs = 50
const withSockets = (title: string, suite: (service: () => TestService) => void): void =>
  withQuietService(title, suite, { limits: { socketTickMs } })

withSockets('6.2 Connections', (service) => {
  const closesWith = (code: number, why: string, act: (socket: TestSocket) => void) =>
    test(`6.2.1 ${code}: ${why}`, async () => {
      const socket = await TestSocket.open(service().url)
      act(socket)
      assert.equal(await socket.closed, code)
    })
  const init = { type: 'connection_init' }
  const subscribe = { type: 'subscribe', id: '1', payload: { query: creations } }

  closesWith(4400, 'a message that is no JSON', (socket) => socket.send('{'))
  closesWith(4400, 'a member twice', (socket) => socket.send('{"type":"ping","type":"ping"}'))
  closesWith(4400, 'a binary message', (socket) => socket.sendBytes(Buffer.from(JSON.stringify(init))))
  closesWith(4400, 'a type that does not exist', (socket) => socket.send({ type: 'start' }))
  closesWith(4400, 'a subscribe without an id', (socket) =>
    socket.send({ type: 'subscribe', payload: { query: creations } }),
  )
  closesWith(4400, 'a payload that is no object', (socket) => socket.send({ type: 'connection_init', payload: 'x' }))
  for (const [name, payload] of [
    ['a query that is no text', { query: 7 }],
    ['variables that are no object', { query: creations, variables: [] }],
    ['an operation name that is no text', { query: creations, operationName: {} }],
    ['extensions that are no object', { query: creations, extensions: 'x' }],
  ] as const) {
    test(`6.2.1 4400: ${name}`, async () => {
      const socket = await TestSocket.ready(service().url)
      socket.send({ type: 'subscribe', id: '1', payload })
      assert.equal(await Promise.race([socket.closed, socket.next()]), 4400)
    })
  }
  test('6.2.11 what is wrong inside a request ends its operation alone', async () => {
    const socket = await TestSocket.ready(service().url)
    const query = 'query ($id: ID!, $filter: PostFilter) { post(id: $id) { id } postList(filter: $filter) { id } }'
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    for (const [payload, field] of [
      [`{"query":"${query}","variables":{"id":"\\u0000"}}`, 'variables.id'],
      [`{"query":"${query}","variables":{"id":"x","filter":{"author_id":"\\ud800"}}}`, 'variables.filter.author_id'],
      [`{"query":"${query}","variables":{"id":"x","id":"y"}}`, 'variables.id'],
      [`{"query":"${query}","variables":{"id":1e999}}`, 'variables.id'],
      ['{"variables":{}}', 'query'],
      // The payload, the variables and 31 more.
      [`{"query":"${query}","variables":{"id":"x","filter":${nested(31)}}}`, 'variables'],
      [`{"query":"${query}","variables":{"id":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`, 'variables'],
      [`{"query":"{ me { id } }","extensions":${nested(40)}}`, 'extensions'],
      [`{"query":"{ me { id } }","unknown":${nested(40)}}`, 'unknown'],
      ['{"query":"{ \\u0000 }"}', 'query'],
      ['{"query":"{ me { id } }","operationName":"\\ud800"}', 'operationName'],
      ['{"query":"{ me { id } }","query":"{ me { name } }"}', 'query'],
      ['{"query":"{ me { id } }","extensions":{"resumeAfter":"\\u0000"}}', 'extensions.resumeAfter'],
      ['{"query":"{ me { id } }","extensions":{"resumeAfter":7}}', 'extensions.resumeAfter'],
      ['{"query":"{ me { id } }","extensions":{"persistedQuery":[]}}', 'extensions.persistedQuery'],
      ['{"query":"{ me { id } }","unknown":1e999}', 'unknown'],
    ] as const) {
      socket.send(`{"type":"subscribe","id":"1","payload":${payload}}`)
      const frame = await socket.next()
      assert.equal(frame.type, 'error', payload.slice(0, 200))
      const [error] = frame.payload as { extensions: { code: string; details: Detail[] } }[]
      assert.equal(error!.extensions.code, 'VALIDATION_ERROR')
      assert.deepEqual(
        error!.extensions.details.map((each) => each.field),
        [field],
      )
    }
    await socket.settled()
    await socket.close()
  })
  test('6.2.11 a request may be nested as deep as over HTTP', async () => {
    const socket = await TestSocket.ready(service().url)
    const json = { 'Content-Type': 'application/json' }
    for (const [levels, code] of [
      [30, undefined],
      [31, 'VALIDATION_ERROR'],
    ] as const) {
      const body = `{"query":"{ __typename }","variables":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
      const { body: answer } = await service().client.send('POST /graphql', { body: Buffer.from(body), headers: json })
      assert.equal(answer.errors?.[0].extensions.code, code)
      socket.send(`{"type":"subscribe","id":"${levels}","payload":${body}}`)
      const { type, payload } = await socket.next()
      assert.equal(type, code === undefined ? 'next' : 'error')
      assert.equal((payload as { extensions: { code: string } }[])[0]?.extensions.code, code)
      if (code === undefined) await socket.next()
    }
    await socket.close()
  })
  test('6.2.1 4400: what is wrong outside of a request, and in a message of another kind', async () => {
    for (const text of [
      '{"type":"subscribe","id":"1","id":"2","payload":{"query":"{ me { id } }"}}',
      '{"type":"subscribe","id":"1","payload":{"query":"{ me { id } }"},"other":"\\u0000"}',
      `{"type":"subscribe","id":"1","payload":{"query":"{ me { id } }"},"other":${'['.repeat(40)}${']'.repeat(40)}}`,
      '{"type":"subscribe","id":"1","payload":{"query":"{ me { id } }"},"payload":{"query":"{ me { name } }"}}',
      '{"type":"subscribe","id":"\\u0000","payload":{"query":"{ me { id } }"}}',
      '{"type":"subscribe","id":7,"payload":{"query":"{ me { id } }","variables":{"a":"\\u0000"}}}',
      '{"type":"ping","payload":{"variables":{"a":"\\u0000"}}}',
    ]) {
      const socket = await TestSocket.ready(service().url)
      socket.send(text)
      assert.equal(await Promise.race([socket.closed, socket.next()]), 4400, text)
    }
  })
  closesWith(4401, 'subscribe before the acknowledgement', (socket) => socket.send(subscribe))
  for (const payload of [
    { authToken: 'x.y.z' },
    { auth_token: 'x.y.z' },
    { token: 'duet_x' },
    { accessToken: 'x.y.z', accessCode: 'code_x' },
    { headers: { Authorization: 'Bearer x.y.z' } },
    { headers: { 'X-API-Key': 'duet_x' } },
    { context: { headers: { authorization: 'Bearer x.y.z' } } },
    { user: 'Bearer x.y.z' },
  ])
    test(`6.2.12 ${JSON.stringify(payload)} makes no caller anonymous`, async () => {
      const socket = await TestSocket.open(service().url)
      socket.send({ ...init, payload })
      assert.equal(await Promise.race([socket.closed, socket.next()]), 4400)
    })
  for (const payload of [
    {},
    { headers: {} },
    { headers: { 'X-Client-Name': 'web' }, authToken: null, token: '', lang: 'en' },
    { authorization: null },
  ])
    test(`6.2.2 ${JSON.stringify(payload)} is anonymous`, async () => {
      const socket = await TestSocket.ready(service().url, payload)
      await socket.close()
    })
  test('6.2.12 a token where it is read is enough', async () => {
    const token = await service().token(await service().fixtures().idOf('viewer'))
    const socket = await TestSocket.ready(service().url, { authToken: token, Authorization: `Bearer  ${token}` })
    socket.subscribe('1', '{ me { id } }')
    assert.notEqual((await socket.next()).payload, null)
    await socket.close()
  })
  closesWith(4429, 'a second init', (socket) => {
    socket.send(init)
    socket.send(init)
  })
  closesWith(4403, 'a credential that is refused', (socket) =>
    socket.send({ ...init, payload: { Authorization: 'Bearer x.y.z' } }),
  )
  closesWith(4403, 'a credential that is no text', (socket) => socket.send({ ...init, payload: { Authorization: 7 } }))
  test('6.2.1 4403: a credential twice, however it is spelled', async () => {
    const token = await service().token(await service().fixtures().idOf('editor'))
    const socket = await TestSocket.open(service().url)
    socket.send({ ...init, payload: { Authorization: 'Bearer x.y.z', authorization: `Bearer ${token}` } })
    assert.equal(await Promise.race([socket.closed, socket.next()]), 4403)
  })
  closesWith(1009, 'a frame over 64 KiB', (socket) => socket.send({ ...init, payload: { text: 'x'.repeat(65_536) } }))

  test('6.2.1 4406: no known subprotocol, after an upgrade that chooses none', async () => {
    const socket = await TestSocket.open(service().url, { protocols: [] })
    assert.equal(await socket.closed, 4406)
  })
  test('6.2.1 4409: an id that is in use', async () => {
    const socket = await TestSocket.ready(service().url)
    socket.subscribe('1', creations)
    socket.subscribe('1', creations)
    assert.equal(await socket.closed, 4409)
  })
  test('6.2.10 a clock that is set an hour on or back ends no connection', async () => {
    const fresh = await TestSocket.open(service().url)
    const socket = await TestSocket.ready(service().url)
    for (const leap of [3_600_000, -3_600_000]) {
      service().advance(leap)
      await pause(3 * socketTickMs)
      await socket.settled()
      await fresh.settled()
    }
    await fresh.close()
    await socket.close()
  })
  test('6.2.3 4403: a token that expires while the connection is open', async () => {
    const socket = await signIn(service(), 'viewer')
    service().advance(15 * 60_000)
    assert.equal(await socket.closed, 4403)
    service().forgetTokens()
  })
  test('6.2.3 4403: a user who is suspended', async () => {
    const fixtures = service().fixtures()
    const member = await fixtures.idOf('member')
    const socket = await TestSocket.ready(service().url, await service().token(member))
    await service().send(`POST /api/v2/users/${member}/suspend`, { as: 'admin' })
    assert.equal(await socket.closed, 4403)
  })
  test('0.1.4 403 at the upgrade for another origin, none for the same', async () => {
    await assert.rejects(
      TestSocket.open(service().url, { headers: { Origin: 'https://evil.example' } }),
      /refused with 403/,
    )
    await (await TestSocket.open(service().url, { headers: { Origin: service().url } })).close()
  })
  test('6.2.4 pings are answered, at any time', async () => {
    const socket = await TestSocket.open(service().url)
    await socket.settled()
    await socket.close()
  })
  test('6.2.5 queries and mutations are answered once and completed', async () => {
    const socket = await signIn(service(), 'editor')
    socket.subscribe('q', '{ me { name } }')
    assert.deepEqual(dataOf(await socket.next()), { me: { name: 'Editor' } })
    assert.deepEqual(await socket.next(), { id: 'q', type: 'complete' })
    await socket.close()
  })
  test('6.2.5 limits hold as over HTTP, and cost no statement', async () => {
    const socket = await TestSocket.ready(service().url)
    const refusals = [
      ['{ users { nodes { posts { author { posts { author { name } } } } } } }', 'QUERY_TOO_DEEP'],
      [
        `{ ${Array.from({ length: 90 }, (_, index) => `a${index}: users { nodes { id } }`).join(' ')} }`,
        'QUERY_TOO_COMPLEX',
      ],
      ['{ users { nodes { nothing } } }', 'GRAPHQL_VALIDATION_FAILED'],
      ['{', 'GRAPHQL_PARSE_FAILED'],
      ['subscription { commentAdded { id } }', 'GRAPHQL_VALIDATION_FAILED'],
      ['subscription { postCreated { id } again: postCreated { id } }', 'GRAPHQL_VALIDATION_FAILED'],
    ] as const
    const spent = await cost(service(), async () => {
      for (const [query, code] of refusals) {
        socket.subscribe('x', query)
        const frame = await socket.next()
        assert.deepEqual([frame.type, codesOf(frame)[0]], ['error', code])
      }
    })
    assert.deepEqual(spent, nothing)
    await socket.close()
  })
  test('6.2.6 a hundred subscriptions, and not one more', async () => {
    const socket = await TestSocket.ready(service().url)
    for (let index = 0; index < 101; index++) socket.subscribe(String(index), creations)
    const frame = await socket.next()
    assert.deepEqual([frame.id, frame.type, codesOf(frame)], ['100', 'error', ['RATE_LIMIT_EXCEEDED']])
    await socket.close()
  })
  test('4.1.6 what the caller lacks comes before the arguments of lists, which fail with their root', async () => {
    const fixtures = service().fixtures()
    const socket = await TestSocket.ready(service().url)
    const below = '{ ... on User { posts(limit: 0) { id } } }'
    socket.subscribe(
      '1',
      `{ me { posts(limit: 0) { id } } a: node(id: "x") ${below} b: postList(limit: 0) @skip(if: true) { id } c: __typename }`,
    )
    const { payload } = await socket.next()
    const { data, errors } = payload as {
      data: unknown
      errors: { path: string[]; extensions: { code: string } }[]
    }
    assert.deepEqual(data, { me: null, a: null, c: 'Query' })
    const refusals = errors.map(({ path, extensions }) => [...path, extensions.code])
    assert.deepEqual(refusals, [
      ['me', 'UNAUTHENTICATED'],
      ['a', 'VALIDATION_ERROR'],
    ])
    assert.equal((await socket.next()).type, 'complete')
    const wrong = 'post { comments(limit: 0) { id } }'
    socket.subscribe('2', `subscription { commentAdded(postId: "x") { ${wrong} } }`)
    assert.deepEqual(codesOf(await socket.next()), ['VALIDATION_ERROR'])
    await socket.close()

    const { key } = await makeKey(service(), { as: 'editor', fixtures }, ['read:users'])
    const limited = await TestSocket.open(service().url)
    limited.send({ type: 'connection_init', payload: { 'X-API-Key': key } })
    await limited.next()
    for (const query of [
      `subscription { commentAdded(postId: "x") { ${wrong} } }`,
      'subscription { postCreated { comments(limit: 0) { id } } }',
    ]) {
      limited.subscribe('1', query)
      assert.deepEqual(codesOf(await limited.next()), ['INSUFFICIENT_SCOPE'], query)
    }
    await limited.close()
  })
  test('6.2.2 an API key signs in as a token does, and no credential is anonymous', async () => {
    const fixtures = service().fixtures()
    const { key } = await makeKey(service(), { as: 'editor', fixtures }, ['read:users'])
    for (const [payload, name] of [
      [{ 'X-API-Key': key }, 'editor'],
      [{ Authorization: `Bearer ${await service().token(await fixtures.idOf('editor'))}` }, 'editor'],
      [{}, null],
    ] as const) {
      const socket = await TestSocket.open(service().url)
      socket.send({ ...init, payload })
      assert.equal((await socket.next()).type, 'connection_ack')
      socket.subscribe('1', '{ me { id } }')
      const { data } = (await socket.next()).payload as { data: { me: { id: string } | null } }
      assert.equal(data.me?.id ?? null, name === null ? null : await fixtures.idOf(name))
      await socket.close()
    }
  })

  test('6.2.7 subscribe over HTTP is refused', async () => {
    const answer = await service().graphql(creations)
    assert.match(JSON.stringify(answer.body), /Subscribe over a WebSocket/)
  })
})

withQuietService(
  '6.2 Silence',
  (service) =>
    describe('of three at once', { concurrency: true }, () => {
      test('6.2.1 4408: no init in time', async () => {
        const socket = await TestSocket.open(service().url)
        assert.equal(await socket.closed, 4408)
      })
      test('6.2.4 4499: nothing heard for too long, not even an answer to a ping', async () => {
        const socket = await TestSocket.ready(service().url)
        socket.pause()
        await pause(2 * idleMs)
        socket.resume()
        assert.equal(await socket.closed, 4499)
      })
      test('6.2.4 a client that answers pings, and nothing else, stays', async () => {
        const socket = await TestSocket.ready(service().url)
        await pause(2 * idleMs)
        await socket.settled()
        await socket.close()
      })
    }),
  { limits: { socketInitMs: 1_000, socketIdleMs: idleMs, socketPingMs: 200, socketTickMs } },
)

withService(
  '6.2 Counting',
  (service) => {
    describe('6.2.6 every upgrade and every subscribe is a request', () => {
      test('the sixth is refused: at the upgrade with 429, as a message with its code', async () => {
        const socket = await TestSocket.ready(service().url)
        for (let index = 1; index < 5; index++) {
          socket.subscribe('q', '{ __typename }')
          await socket.next()
          await socket.next()
        }
        socket.subscribe('q', '{ __typename }')
        assert.deepEqual(codesOf(await socket.next()), ['RATE_LIMIT_EXCEEDED'])
        await assert.rejects(TestSocket.open(service().url), /refused with 429/)
        await socket.close()
      })
    })
  },
  { environment: { LIMIT_IP_PER_MINUTE: '5' } },
)
