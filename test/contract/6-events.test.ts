// Subscriptions: the protocol's rules and close codes, who is told what, and coming back after a lost connection.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import type { Detail } from '../../src/failure/failure.ts'
import { defaultLimits } from '../../src/limits.ts'
import { bind, command } from '../../src/store/store.ts'
import { cost, nothing, overhear, withQuietService } from '../support/check/statement-counter.ts'
import { makeKey } from '../support/client/api-key.ts'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { type TestService, withService } from '../support/server/service.ts'

/** Longer than a busy machine may keep a pong waiting. */
const idleMs = 1_500
const created = 'subscription { postCreated { id title author { name } } }'
const dataOf = ({ payload }: Frame) => (payload as { data: Record<string, Record<string, unknown>> }).data
const eventIdOf = ({ payload }: Frame) => (payload as { extensions: { eventId: string } }).extensions.eventId
const codesOf = ({ payload }: Frame) =>
  (payload as { extensions: { code: string } }[]).map((each) => each.extensions.code)

async function signedIn(service: TestService, name: string): Promise<TestSocket> {
  return TestSocket.ready(service.url, await service.token(await service.fixtures().idOf(name)))
}
const writePost = (service: TestService, title: string, publish: boolean) =>
  service.send('POST /api/v2/posts', { as: 'editor', body: { title, content: 'C', publish } })

withQuietService('6.2 Connections', (service) => {
  const closesWith = (code: number, why: string, act: (socket: TestSocket) => void) =>
    test(`6.2.1 ${code}: ${why}`, async () => {
      const socket = await TestSocket.open(service().url)
      act(socket)
      assert.equal(await socket.closed, code)
    })
  const init = { type: 'connection_init' }
  const subscribe = { type: 'subscribe', id: '1', payload: { query: created } }

  closesWith(4400, 'a message that is no JSON', (socket) => socket.send('{'))
  closesWith(4400, 'a member twice', (socket) => socket.send('{"type":"ping","type":"ping"}'))
  closesWith(4400, 'a binary message', (socket) => socket.sendBytes(Buffer.from(JSON.stringify(init))))
  closesWith(4400, 'a type that does not exist', (socket) => socket.send({ type: 'start' }))
  closesWith(4400, 'a subscribe without an id', (socket) =>
    socket.send({ type: 'subscribe', payload: { query: created } }),
  )
  closesWith(4400, 'a payload that is no object', (socket) => socket.send({ type: 'connection_init', payload: 'x' }))
  for (const [name, payload] of [
    ['a query that is no text', { query: 7 }],
    ['variables that are no object', { query: created, variables: [] }],
    ['an operation name that is no text', { query: created, operationName: {} }],
    ['extensions that are no object', { query: created, extensions: 'x' }],
  ] as const) {
    test(`6.2.1 4400: ${name}`, async () => {
      const socket = await TestSocket.ready(service().url)
      socket.send({ type: 'subscribe', id: '1', payload })
      assert.equal(await Promise.race([socket.closed, socket.next()]), 4400)
    })
  }
  test('6.2.11 what is wrong inside a variable, and a payload without a query, end that operation alone', async () => {
    const socket = await TestSocket.ready(service().url)
    const query = 'query ($id: ID!, $filter: PostFilter) { post(id: $id) { id } postList(filter: $filter) { id } }'
    for (const [payload, field] of [
      [`{"query":"${query}","variables":{"id":"\\u0000"}}`, 'variables.id'],
      [`{"query":"${query}","variables":{"id":"x","filter":{"author_id":"\\ud800"}}}`, 'variables.filter.author_id'],
      [`{"query":"${query}","variables":{"id":"x","id":"y"}}`, 'variables.id'],
      ['{"variables":{}}', 'query'],
    ] as const) {
      socket.send(`{"type":"subscribe","id":"1","payload":${payload}}`)
      const frame = await socket.next()
      const [error] = frame.payload as { extensions: { code: string; details: Detail[] } }[]
      assert.deepEqual([frame.type, error!.extensions.code], ['error', 'VALIDATION_ERROR'])
      assert.deepEqual(
        error!.extensions.details.map((each) => each.field),
        [field],
      )
    }
    await socket.settled()
    await socket.close()
  })
  test('6.2.1 4400: NUL elsewhere, and in a message of another kind', async () => {
    for (const text of [
      '{"type":"subscribe","id":"1","payload":{"query":"{ \\u0000 }","variables":{"a":"\\u0000"}}}',
      '{"type":"subscribe","id":7,"payload":{"query":"{ me { id } }","variables":{"a":"\\u0000"}}}',
      '{"type":"ping","payload":{"variables":{"a":"\\u0000"}}}',
    ]) {
      const socket = await TestSocket.ready(service().url)
      socket.send(text)
      assert.equal(await Promise.race([socket.closed, socket.next()]), 4400)
    }
  })
  closesWith(4401, 'subscribe before the acknowledgement', (socket) => socket.send(subscribe))
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
    socket.subscribe('1', created)
    socket.subscribe('1', created)
    assert.equal(await socket.closed, 4409)
  })
  test('6.2.10 a clock that is set an hour on or back ends no connection', async () => {
    const fresh = await TestSocket.open(service().url)
    const socket = await TestSocket.ready(service().url)
    for (const leap of [3_600_000, -3_600_000]) {
      service().advance(leap)
      await pause(3 * defaultLimits.socketTickMs)
      await socket.settled()
      await fresh.settled()
    }
    await fresh.close()
    await socket.close()
  })
  test('6.2.3 4403: a token that expires while the connection is open', async () => {
    const socket = await signedIn(service(), 'viewer')
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
    const socket = await signedIn(service(), 'editor')
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
    for (let index = 0; index < 101; index++) socket.subscribe(String(index), created)
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
    const told = errors.map(({ path, extensions }) => [...path, extensions.code])
    assert.deepEqual(told, [
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
  test('6.2.2 an API key signs in as a token does, and nobody is anonymous', async () => {
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
    const answer = await service().graphql(created)
    assert.match(JSON.stringify(answer.body), /Subscribe over a WebSocket/)
  })
})

withQuietService(
  '6.2 Silence',
  (service) => {
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
  },
  { limits: { socketInitMs: 300, socketIdleMs: idleMs, socketPingMs: 200, socketTickMs: 50 } },
)

withQuietService('6.1 Delivery', (service) => {
  test('6.1.2 a draft reaches its author and editors only, a public post everybody', async () => {
    const sockets = {
      editor: await signedIn(service(), 'editor'),
      colleague: await signedIn(service(), 'other editor'),
      viewer: await signedIn(service(), 'viewer'),
      nobody: await TestSocket.ready(service().url),
    }
    for (const socket of Object.values(sockets)) {
      socket.subscribe('1', created)
      await socket.settled()
    }
    await writePost(service(), 'draft', false)
    await writePost(service(), 'public', true)
    const titles = async (socket: TestSocket, count: number) => {
      const frames = []
      for (let index = 0; index < count; index++) frames.push(dataOf(await socket.next())['postCreated']!['title'])
      return frames
    }
    assert.deepEqual(await titles(sockets.editor, 2), ['draft', 'public'])
    assert.deepEqual(await titles(sockets.colleague, 2), ['draft', 'public'])
    assert.deepEqual(await titles(sockets.viewer, 1), ['public'])
    assert.deepEqual(await titles(sockets.nobody, 1), ['public'])
    for (const socket of Object.values(sockets)) await socket.close()
  })

  test('6.1.2 fields are those of each subscriber: what one may not see is refused to one alone', async () => {
    const admin = await signedIn(service(), 'admin')
    const viewer = await signedIn(service(), 'viewer')
    for (const socket of [admin, viewer]) {
      socket.subscribe('1', 'subscription { postCreated { title author { email } } }')
      await socket.settled()
    }
    await writePost(service(), 'seen', true)
    assert.deepEqual(dataOf(await admin.next()), {
      postCreated: { title: 'seen', author: { email: 'editor@example.com' } },
    })
    const { payload } = (await viewer.next()) as {
      payload: { data: null; errors: { path: unknown; extensions: unknown }[] }
    }
    assert.equal(payload.data, null)
    assert.deepEqual(payload.errors[0]!.path, ['postCreated', 'author', 'email'])
    assert.deepEqual(payload.errors[0]!.extensions, { code: 'FORBIDDEN' })
    await admin.close()
    await viewer.close()
  })

  test('6.1.1 creating through either face emits postCreated, and publishing emits postPublished', async () => {
    const socket = await signedIn(service(), 'editor')
    socket.subscribe('created', 'subscription { postCreated { title } }')
    socket.subscribe('published', 'subscription { postPublished { title } }')
    await socket.settled()
    const next = async () => {
      const { id, payload } = await socket.next()
      const [[event, { title }]] = Object.entries((payload as { data: Record<string, { title: string }> }).data) as [
        [string, { title: string }],
      ]
      return [id, event, title]
    }
    const made = await writePost(service(), 'by REST', false)
    assert.deepEqual(await next(), ['created', 'postCreated', 'by REST'])
    const batch = { posts: [{ title: 'by batch', content: 'C' }] }
    await service().send('POST /api/v2/posts/batch', { as: 'editor', body: batch })
    assert.deepEqual(await next(), ['created', 'postCreated', 'by batch'])
    const query = 'mutation { createPost(input: { title: "by GraphQL", content: "C" }) { id } }'
    await service().send('POST /graphql', { as: 'editor', body: { query } })
    assert.deepEqual(await next(), ['created', 'postCreated', 'by GraphQL'])
    const many = 'mutation { createPosts(input: { posts: [{ title: "by many", content: "C" }] }) { id } }'
    await service().send('POST /graphql', { as: 'editor', body: { query: many } })
    assert.deepEqual(await next(), ['created', 'postCreated', 'by many'])
    await service().send(`POST /api/v2/posts/${made.body.data.id}/publish`, { as: 'editor' })
    assert.deepEqual(await next(), ['published', 'postPublished', 'by REST'])
    await socket.close()
  })

  test('6.1.1 comments are told to those who listen to that post', async () => {
    const fixtures = service().fixtures()
    const [post, other] = [await fixtures.idOf('post'), await fixtures.idOf('other post')]
    const socket = await TestSocket.ready(service().url)
    socket.subscribe('1', `subscription { commentAdded(postId: "${post}") { content post { id } } }`)
    await socket.settled()
    for (const [id, content] of [
      [other, 'elsewhere'],
      [post, 'here'],
    ] as const) {
      await service().send('POST /api/v2/comments', { as: 'viewer', body: { post_id: id, content } })
    }
    assert.deepEqual(dataOf(await socket.next()), { commentAdded: { content: 'here', post: { id: post } } })
    await socket.close()
  })

  test('6.1.3 the comments of a hidden or missing post are NOT_FOUND', async () => {
    const socket = await signedIn(service(), 'viewer')
    for (const id of [await service().fixtures().idOf('draft'), 'post_00000000000000000000000000']) {
      socket.subscribe('1', `subscription { commentAdded(postId: "${id}") { id } }`)
      const frame = await socket.next()
      assert.deepEqual([frame.type, codesOf(frame)], ['error', ['NOT_FOUND']])
    }
    await socket.close()
  })

  test('6.2.5 complete ends a subscription, and its id is free again', async () => {
    const socket = await TestSocket.ready(service().url)
    socket.subscribe('1', created)
    await socket.settled()
    socket.send({ type: 'complete', id: '1' })
    await socket.settled()
    const witness = await TestSocket.ready(service().url)
    witness.subscribe('1', created)
    await witness.settled()
    await writePost(service(), 'unheard', true)
    await witness.next()
    socket.subscribe('1', created)
    await socket.settled()
    await writePost(service(), 'heard', true)
    assert.equal(dataOf(await socket.next())['postCreated']!['title'], 'heard')
    await socket.close()
    await witness.close()
  })

  test('6.3.1 whoever comes back passes the last id and misses nothing, and gets nothing twice', async () => {
    const first = await TestSocket.ready(service().url)
    first.subscribe('1', created)
    await first.settled()
    await writePost(service(), 'one', true)
    const last = eventIdOf(await first.next())
    await first.drop()
    await writePost(service(), 'two', true)
    await writePost(service(), 'draft that stays hidden', false)
    const second = await TestSocket.ready(service().url)
    second.subscribe('1', created, { extensions: { resumeAfter: last } })
    const seen = [await second.next()]
    await writePost(service(), 'three', true)
    seen.push(await second.next())
    assert.deepEqual(
      seen.map((frame) => dataOf(frame)['postCreated']!['title']),
      ['two', 'three'],
    )
    await second.close()
  })

  test('6.3.1 a pong tells from where to come back, also to whoever has seen no event', async () => {
    const first = await TestSocket.ready(service().url)
    const before = await first.reached()
    first.subscribe('1', created)
    const quiet = await first.reached()
    await first.drop()
    await writePost(service(), 'while nobody listened', true)
    const titles = []
    for (const resumeAfter of [before, quiet]) {
      const second = await TestSocket.ready(service().url)
      second.subscribe('1', created, { extensions: { resumeAfter } })
      const frame = await second.next()
      titles.push(dataOf(frame)['postCreated']!['title'])
      assert.notEqual(await second.reached(), resumeAfter)
      await second.close()
    }
    assert.deepEqual(titles, ['while nobody listened', 'while nobody listened'])
    const stranger = await TestSocket.open(service().url)
    stranger.send({ type: 'ping' })
    assert.deepEqual(await stranger.next(), { type: 'pong' })
    await stranger.close()
  })

  test('6.3.4 what is no id of this service is EVENTS_GONE, whatever its form', async () => {
    const socket = await TestSocket.ready(service().url)
    socket.subscribe('1', created)
    await socket.settled()
    await writePost(service(), 'kept', true)
    const id = eventIdOf(await socket.next())
    const altered = `${id.startsWith('A') ? 'B' : 'A'}${id.slice(1)}`
    for (const resumeAfter of ['x', '', `${randomUUID()}.0.1`, altered, `${id}A`]) {
      socket.subscribe('2', created, { extensions: { resumeAfter } })
      assert.deepEqual(codesOf(await socket.next()), ['EVENTS_GONE'], resumeAfter)
    }
    const [first, second] = [await socket.reached(), await socket.reached()]
    assert.notEqual(first, second, 'two pongs do not tell whether something has happened between them')
    await socket.close()
  })

  test('6.3.2 whoever comes back after an event that is no longer kept is told EVENTS_GONE', async () => {
    const socket = await TestSocket.ready(service().url)
    const before = await socket.reached()
    for (const title of ['one', 'two']) await writePost(service(), title, true)
    await service().settled()
    await service().store.write(function* () {
      yield bind(command('delete from duet_event where number < (select max(number) from duet_event)'))
    })
    socket.subscribe('1', created, { extensions: { resumeAfter: before } })
    assert.deepEqual(codesOf(await socket.next()), ['EVENTS_GONE'])
    await socket.close()
  })

  test('7.2.8 the only problem of a subscription is the message of its error', async () => {
    const socket = await TestSocket.ready(service().url)
    socket.subscribe('1', created, { extensions: { resumeAfter: 5 } })
    const { payload } = await socket.next()
    const [{ message, extensions }] = payload as [{ message: string; extensions: { details: Detail[] } }]
    assert.deepEqual(
      extensions.details.map((detail) => `${detail.field}: ${detail.message}`),
      [message],
    )
    await socket.close()
  })

  test('6.3.1 the widespread client subscribes, resumes and asks', async () => {
    const token = await service().token(await service().fixtures().idOf('viewer'))
    const url = `${service().url.replace('http', 'ws')}/graphql`
    const client = createClient({
      url,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${token}` },
    })
    const answer = await client.iterate({ query: '{ me { name } }' }).next()
    assert.deepEqual(answer.value.data, { me: { name: 'Viewer' } })
    const heard = client.iterate({ query: created })
    const first = heard.next()
    // Asked on the same connection after the subscription began, so answered after it.
    await client.iterate({ query: '{ __typename }' }).next()
    await writePost(service(), 'first', true)
    const { extensions } = (await first).value
    await heard.return?.()
    await writePost(service(), 'second', true)
    const resumed = client.iterate({ query: created, extensions: { resumeAfter: extensions!['eventId'] } })
    assert.equal(((await resumed.next()).value.data as { postCreated: { title: string } }).postCreated.title, 'second')
    await client.dispose()
  })

  test('6.1.2 a thousand equal subscribers cost no more than one', async () => {
    const one = await readsOfEvent(1)
    const thousand = await readsOfEvent(1_000)
    assert.ok(one > 0)
    assert.equal(thousand, one)
  })

  /** Records' statements from a post's creation to the last delivery; ten sockets hold a thousand subscriptions. */
  async function readsOfEvent(count: number): Promise<number> {
    const each = Math.min(count, 100)
    const sockets = await Promise.all(
      Array.from({ length: count / each }, async () => {
        const socket = await TestSocket.ready(service().url)
        for (let index = 0; index < each; index++) socket.subscribe(String(index), created)
        await socket.settled()
        return socket
      }),
    )
    await writePost(service(), 'warm', true)
    for (const socket of sockets) for (let index = 0; index < each; index++) await socket.next()
    const { statements } = await overhear(service(), async () => {
      await writePost(service(), 'counted', true)
      for (const socket of sockets) for (let index = 0; index < each; index++) await socket.next()
    })
    for (const socket of sockets) await socket.close()
    return statements.length
  }
})

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
