// Event streams that clients resume, that have nothing to send, and that end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Received, TestStream } from '../support/client/event-stream.ts'
import {
  credential,
  json,
  openOperation,
  openStream,
  refusal,
  titles,
  withStreams,
  writePost,
} from '../support/client/open-stream.ts'
import { creations } from '../support/client/subscriber.ts'
import type { Caller } from '../support/server/service.ts'

withStreams('6.4 Resumed event streams', (service) => {
  test('6.4.6 a client that comes back misses nothing and gets nothing twice', async () => {
    for (const by of ['REST', 'GraphQL header', 'GraphQL extensions', 'both'] as const) {
      const open = (id: string | null) => {
        const header = id === null || by === 'GraphQL extensions' ? {} : { 'Last-Event-ID': id }
        if (by === 'REST') return openStream(service(), '?events=postCreated', 'anonymous', header)
        const extensions = id === null || by === 'GraphQL header' ? {} : { extensions: { resumeAfter: id } }
        return openOperation(
          service(),
          { query: 'subscription { postCreated { title } }', ...extensions },
          'anonymous',
          header,
        )
      }
      const titleOf = (received: Received) =>
        (by === 'REST' ? json(received).data : json(received).data.postCreated).title
      const first = await open(null)
      await writePost(service(), 'seen')
      const { id } = await first.happened()
      first.leave()
      for (let count = 0; count < 5; count++) await writePost(service(), `missed ${count}`)
      const second = await open(id!)
      await writePost(service(), 'later')
      const found: string[] = []
      while (found.length < 6) found.push(titleOf(await second.happened()))
      assert.deepEqual(found, ['missed 0', 'missed 1', 'missed 2', 'missed 3', 'missed 4', 'later'], by)
      second.leave()
    }
  })

  test('6.4.6 the ids of both faces and of WebSockets are the same', async () => {
    const rest = await openStream(service(), '?events=postCreated')
    const graphql = await openOperation(service(), { query: creations })
    await writePost(service(), 'one')
    assert.equal((await rest.happened()).id, (await graphql.happened()).id)
    rest.leave()
    graphql.leave()
  })

  test('6.4.6 an id that is unknown is 410, an empty one counts as absent, two that differ are 400', async () => {
    const gone = { 'Last-Event-ID': 'x' }
    const expected = [410, 'EVENTS_GONE', undefined]
    assert.deepEqual(await refusal(await openStream(service(), '?events=postCreated', 'anonymous', gone)), expected)
    assert.deepEqual(await refusal(await openOperation(service(), { query: creations }, 'anonymous', gone)), expected)
    const empty = await openStream(service(), '?events=postCreated', 'anonymous', { 'Last-Event-ID': '' })
    assert.equal(empty.response.status, 200)
    empty.leave()
    const request = { query: creations, extensions: { resumeAfter: 'y' } }
    const [status, code, field] = await refusal(await openOperation(service(), request, 'anonymous', gone))
    assert.deepEqual([status, code, field], [400, 'VALIDATION_ERROR', 'extensions.resumeAfter'])
  })
})

withStreams(
  '6.4 Silence of event streams',
  (service) => {
    test('6.4.7 the first block is a pause for attempts to connect again', async () => {
      const stream = await openStream(service(), '?events=postCreated')
      await stream.next()
      assert.equal(stream.blocks[0], 'retry: 3000')
      stream.leave()
    })

    test('6.4.7 a keep-alive names the id that was reached, another one each time', async () => {
      const stream = await openStream(service(), '?events=postCreated')
      const [one, two] = [await stream.next(), await stream.next()]
      assert.deepEqual([one.event, one.data, two.event], ['keep-alive', '{}', 'keep-alive'])
      assert.notEqual(one.id, two.id)
      await writePost(service(), 'seen')
      await stream.happened()
      const { id } = await stream.next()
      stream.leave()
      await writePost(service(), 'missed')
      const again = await openStream(service(), '?events=postCreated', 'anonymous', { 'Last-Event-ID': id! })
      assert.deepEqual(await titles(again, 1), ['missed'])
      again.leave()
    })

    test('6.4.7 on /graphql it is a comment and a block with an id alone', async () => {
      const stream = await openOperation(service(), { query: creations })
      const other = await openStream(service(), '?events=postCreated')
      await other.next()
      await other.next()
      await other.next()
      assert.match(stream.blocks.slice(1, 3).join('\n\n'), /^:\n\nid: [\w-]{59}$/)
      stream.leave()
      other.leave()
    })

    test('6.4.9 neither the time nor the number of streamed answers is limited', async () => {
      const streams = await Promise.all([0, 1, 2].map(() => openStream(service(), '?events=postCreated')))
      for (const each of streams) for (let count = 0; count < 5; count++) await each.next()
      assert.deepEqual(
        streams.map(({ response }) => response.status),
        [200, 200, 200],
      )
      for (const each of streams) each.leave()
    })
  },
  { limits: { socketPingMs: 40, streams: 1, streamTimeoutMs: 100 }, random: () => 0.5 },
)

withStreams('6.4 The end of event streams', (service) => {
  const openBoth = async (as: Caller) => [
    await openStream(service(), '?events=postCreated', as),
    await openOperation(service(), { query: creations }, as),
  ]
  const endsWithout = async (streams: readonly TestStream[], end: () => Promise<unknown>) => {
    await end()
    for (const each of streams) {
      assert.equal(await each.ended, 'complete')
      assert.ok(each.blocks.every((block) => !block.includes('complete')))
    }
  }

  test('6.4.8 a token that expires', async () => {
    const streams = await openBoth('viewer')
    const headers = await credential(service(), 'viewer')
    await endsWithout(streams, async () => {
      service().advance(16 * 60_000)
      // A host in another process learns the time from a request.
      await service().send('GET /health')
    })
    assert.equal((await openStream(service(), '?events=postCreated', 'anonymous', headers)).response.status, 401)
    assert.equal((await openOperation(service(), { query: creations }, 'anonymous', headers)).response.status, 401)
    service().forgetTokens()
  })

  test('6.4.8 a user who is suspended', async () => {
    const id = await service().fixtures().idOf('other viewer')
    await endsWithout(await openBoth('other viewer'), () =>
      service().send(`POST /api/v2/users/${id}/suspend`, { as: 'admin' }),
    )
  })
})
