// Events: who is told what, and coming back after a lost connection.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import type { Detail } from '../../src/failure/failure.ts'
import { bind, command } from '../../src/store/store.ts'
import { overhear, withQuietService } from '../support/check/statement-counter.ts'
import { codesOf, creations, dataOf, signIn } from '../support/client/subscriber.ts'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import type { TestService } from '../support/server/service.ts'

const eventIdOf = ({ payload }: Frame) => (payload as { extensions: { eventId: string } }).extensions.eventId
const writePost = (service: TestService, title: string, publish: boolean) =>
  service.send('POST /api/v2/posts', { as: 'editor', body: { title, content: 'C', publish } })

withQuietService('6.1 Delivery', (service) => {
  test('6.1.2 a draft reaches its author and editors only, a public post everybody', async () => {
    const sockets = {
      editor: await signIn(service(), 'editor'),
      colleague: await signIn(service(), 'other editor'),
      viewer: await signIn(service(), 'viewer'),
      nobody: await TestSocket.ready(service().url),
    }
    for (const socket of Object.values(sockets)) {
      socket.subscribe('1', creations)
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
    const admin = await signIn(service(), 'admin')
    const viewer = await signIn(service(), 'viewer')
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
    const socket = await signIn(service(), 'editor')
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

  test('6.1.1 comments are delivered to subscribers of that post', async () => {
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
    const socket = await signIn(service(), 'viewer')
    for (const id of [await service().fixtures().idOf('draft'), 'post_00000000000000000000000000']) {
      socket.subscribe('1', `subscription { commentAdded(postId: "${id}") { id } }`)
      const frame = await socket.next()
      assert.deepEqual([frame.type, codesOf(frame)], ['error', ['NOT_FOUND']])
    }
    await socket.close()
  })

  test('6.2.5 complete ends a subscription, and its id is free again', async () => {
    const socket = await TestSocket.ready(service().url)
    socket.subscribe('1', creations)
    await socket.settled()
    socket.send({ type: 'complete', id: '1' })
    await socket.settled()
    const witness = await TestSocket.ready(service().url)
    witness.subscribe('1', creations)
    await witness.settled()
    await writePost(service(), 'unheard', true)
    await witness.next()
    socket.subscribe('1', creations)
    await socket.settled()
    await writePost(service(), 'heard', true)
    assert.equal(dataOf(await socket.next())['postCreated']!['title'], 'heard')
    await socket.close()
    await witness.close()
  })

  test('6.3.1 a client that reconnects passes the last id and misses nothing, and gets nothing twice', async () => {
    const first = await TestSocket.ready(service().url)
    first.subscribe('1', creations)
    await first.settled()
    await writePost(service(), 'one', true)
    const last = eventIdOf(await first.next())
    await first.drop()
    await writePost(service(), 'two', true)
    await writePost(service(), 'draft that stays hidden', false)
    const second = await TestSocket.ready(service().url)
    second.subscribe('1', creations, { extensions: { resumeAfter: last } })
    const seen = [await second.next()]
    await writePost(service(), 'three', true)
    seen.push(await second.next())
    assert.deepEqual(
      seen.map((frame) => dataOf(frame)['postCreated']!['title']),
      ['two', 'three'],
    )
    await second.close()
  })

  test('6.3.1 a pong names the position to resume from, also to a caller who has seen no event', async () => {
    const first = await TestSocket.ready(service().url)
    const before = await first.reached()
    first.subscribe('1', creations)
    const quiet = await first.reached()
    await first.drop()
    await writePost(service(), 'while nobody listened', true)
    const titles = []
    for (const resumeAfter of [before, quiet]) {
      const second = await TestSocket.ready(service().url)
      second.subscribe('1', creations, { extensions: { resumeAfter } })
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
    socket.subscribe('1', creations)
    await socket.settled()
    await writePost(service(), 'kept', true)
    const id = eventIdOf(await socket.next())
    const altered = `${id.startsWith('A') ? 'B' : 'A'}${id.slice(1)}`
    for (const resumeAfter of ['x', '', `${randomUUID()}.0.1`, altered, `${id}A`]) {
      socket.subscribe('2', creations, { extensions: { resumeAfter } })
      assert.deepEqual(codesOf(await socket.next()), ['EVENTS_GONE'], resumeAfter)
    }
    const [first, second] = [await socket.reached(), await socket.reached()]
    assert.notEqual(first, second, 'two pongs do not tell whether something has happened between them')
    await socket.close()
  })

  test('6.3.2 a client that reconnects after an event that is no longer kept gets EVENTS_GONE', async () => {
    const socket = await TestSocket.ready(service().url)
    const before = await socket.reached()
    for (const title of ['one', 'two']) await writePost(service(), title, true)
    await service().settled()
    await service().store.write(function* () {
      yield bind(command('delete from duet_event where number < (select max(number) from duet_event)'))
    })
    socket.subscribe('1', creations, { extensions: { resumeAfter: before } })
    assert.deepEqual(codesOf(await socket.next()), ['EVENTS_GONE'])
    await socket.close()
  })

  test('7.2.8 the only problem of a subscription is the message of its error', async () => {
    const socket = await TestSocket.ready(service().url)
    socket.subscribe('1', creations, { extensions: { resumeAfter: 5 } })
    const { payload } = await socket.next()
    const [{ message, extensions }] = payload as [{ message: string; extensions: { details: Detail[] } }]
    assert.deepEqual(
      extensions.details.map((detail) => `${detail.field}: ${detail.message}`),
      [message],
    )
    await socket.close()
  })

  test('6.3.1 the widespread client subscribes, resumes and queries', async () => {
    const token = await service().token(await service().fixtures().idOf('viewer'))
    const url = `${service().url.replace('http', 'ws')}/graphql`
    const client = createClient({
      url,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${token}` },
    })
    const answer = await client.iterate({ query: '{ me { name } }' }).next()
    assert.deepEqual(answer.value.data, { me: { name: 'Viewer' } })
    const heard = client.iterate({ query: creations })
    const first = heard.next()
    // Asked on the same connection after the subscription began, so answered after it.
    await client.iterate({ query: '{ __typename }' }).next()
    await writePost(service(), 'first', true)
    const { extensions } = (await first).value
    await heard.return?.()
    await writePost(service(), 'second', true)
    const resumed = client.iterate({ query: creations, extensions: { resumeAfter: extensions!['eventId'] } })
    assert.equal(((await resumed.next()).value.data as { postCreated: { title: string } }).postCreated.title, 'second')
    await client.dispose()
  })

  test('6.1.2 a thousand equal subscribers cost no more than one', async () => {
    const one = await readsOfEvent(1)
    const thousand = await readsOfEvent(1_000)
    assert.ok(one > 0)
    // The clock may make the service read some records again meanwhile, often on a busy machine.
    assert.ok(thousand <= one + 20, `${thousand} statements instead of ${one}`)
  })

  /** Records' statements from a post's creation to the last delivery; ten sockets hold a thousand subscriptions. */
  async function readsOfEvent(count: number): Promise<number> {
    const each = Math.min(count, 100)
    const sockets = await Promise.all(
      Array.from({ length: count / each }, async () => {
        const socket = await TestSocket.ready(service().url)
        for (let index = 0; index < each; index++) socket.subscribe(String(index), creations)
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
