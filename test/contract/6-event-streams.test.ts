// Event streams: subscriptions as server-sent events, by GraphQL and by REST.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cost } from '../support/check/statement-counter.ts'
import { makeKey } from '../support/client/api-key.ts'
import { TestStream } from '../support/client/event-stream.ts'
import {
  json,
  openOperation,
  openStream,
  refusal,
  titles,
  withStreams,
  write,
  writePost,
} from '../support/client/open-stream.ts'
import { creations } from '../support/client/subscriber.ts'
import { assignments } from '../support/domain/assignments.ts'
import { shelf } from '../support/domain/shelf.ts'
import { withService } from '../support/server/service.ts'

withStreams(
  '6.4 Event streams',
  (service) => {
    test('6.4.1 each event is a block with its name, its id and one line of JSON', async () => {
      const stream = await openStream(service(), '?events=postCreated')
      const { headers, status } = stream.response
      assert.equal(status, 200)
      assert.equal(headers.get('Content-Type'), 'text/event-stream; charset=utf-8')
      assert.equal(headers.get('Cache-Control'), 'no-store, no-transform')
      assert.equal(headers.get('X-Accel-Buffering'), 'no')
      await writePost(service(), 'A\nB')
      const { event, id } = await stream.happened()
      assert.equal(event, 'postCreated')
      assert.match(id!, /^[\w-]{59}$/)
      assert.match(stream.blocks.at(-1)!, /^event: postCreated\nid: [\w-]+\ndata: \{[^\n]+\}$/)
      stream.leave()
    })

    test('6.4.1 events of several kinds come in the order of their commits', async () => {
      const stream = await openStream(service(), '?events=postPublished,commentAdded,postCreated')
      const expected: unknown[] = []
      for (let count = 0; count < 5; count++) {
        const post = await writePost(service(), `P${count}`, false)
        await write(service(), `POST /api/v2/posts/${post}/publish`)
        const comment = await write(service(), 'POST /api/v2/comments', { post_id: post, content: 'C' })
        expected.push(['postCreated', post], ['postPublished', post], ['commentAdded', comment])
      }
      const seen: unknown[] = []
      while (seen.length < expected.length - 5) {
        const received = await stream.happened()
        seen.push([received.event, json(received).data.id])
      }
      // Drafts are hidden from this caller; once published, the record of the earlier event is readable.
      const readable = expected.filter((each) => seen.some((one) => String(one) === String(each)))
      assert.deepEqual(seen, readable)
      stream.leave()
    })

    test('6.4.1 a draft reaches its author and editors only, a public post everybody', async () => {
      const callers = ['editor', 'other editor', 'viewer', 'anonymous'] as const
      const streams = await Promise.all(callers.map((each) => openStream(service(), '?events=postCreated', each)))
      await writePost(service(), 'draft', false)
      await writePost(service(), 'public')
      const [editor, colleague, viewer, nobody] = streams as [TestStream, TestStream, TestStream, TestStream]
      assert.deepEqual(await titles(editor, 2), ['draft', 'public'])
      assert.deepEqual(await titles(colleague, 2), ['draft', 'public'])
      assert.deepEqual(await titles(viewer, 1), ['public'])
      assert.deepEqual(await titles(nobody, 1), ['public'])
      for (const each of streams) each.leave()
    })

    test('6.4.2 the data is what GET in that version returns, without linked ids', async () => {
      for (const version of ['v1', 'v2']) {
        const stream = await TestStream.open(`${service().url}/api/${version}/event-stream?events=postCreated`)
        const id = await writePost(service(), version)
        const { data } = (await service().send(`GET /api/${version}/posts/${id}`)).body
        const { tag_ids: _, ...expected } = data
        const { timestamp, ...received } = json(await stream.happened())
        assert.deepEqual(received, { type: 'postCreated', data: expected })
        assert.equal(new Date(timestamp).toISOString(), timestamp)
        assert.equal(stream.response.headers.has('Sunset'), version === 'v1')
        stream.leave()
      }
    })

    test('6.4.1 callers of one kind share what is read, and different versions do not', async () => {
      const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(service(), '?events=postCreated')))
      const { statements } = await cost(service(), async () => {
        await writePost(service(), 'shared')
        for (const each of streams) await each.happened()
      })
      for (const each of streams) each.leave()
      assert.ok(statements < 20, `${statements} statements`)
    })

    test('6.4.3 a record that is too large is an error, and the stream continues', async () => {
      const stream = await openStream(service(), '?events=postCreated')
      await write(service(), 'POST /api/v2/posts', { title: 'Long', content: 'ä'.repeat(50_000), publish: true })
      await writePost(service(), 'short')
      const { data, error, type } = json(await stream.happened())
      assert.deepEqual([type, data, error.code], ['postCreated', undefined, 'QUERY_TOO_COMPLEX'])
      assert.deepEqual(await titles(stream, 1), ['short'])
      stream.leave()
    })
  },
  { limits: { answerBytes: 60_000 } },
)

withStreams('6.4 Event streams of GraphQL', (service) => {
  test('6.4.4 a subscription is a stream of results', async () => {
    const stream = await openOperation(service(), { query: creations })
    const id = await writePost(service(), 'B')
    const received = await stream.happened()
    const { data, extensions } = json(received)
    assert.deepEqual([received.event, data.postCreated.id, extensions.eventId], ['next', id, received.id])
    stream.leave()
  })

  test('6.4.4 by GET, too, for which browsers have a class', async () => {
    const stream = await TestStream.open(`${service().url}/graphql?query=${encodeURIComponent(creations)}`)
    const id = await writePost(service(), 'B')
    assert.equal(json(await stream.happened()).data.postCreated.id, id)
    stream.leave()
  })

  test('6.4.4 a query is one result, if this media type is preferred', async () => {
    const query = '{ __typename }'
    const stream = await openOperation(service(), { query })
    assert.deepEqual(await stream.next(), { event: 'next', data: '{"data":{"__typename":"Query"}}' })
    assert.deepEqual(await stream.next(), { event: 'complete', data: '' })
    assert.equal(await stream.ended, 'complete')
    const both = { Accept: 'application/json, text/event-stream;q=0.9' }
    const { response } = await openOperation(service(), { query }, 'anonymous', both)
    assert.equal(response.headers.get('Content-Type'), 'application/json; charset=utf-8')
  })

  for (const [name, request, code] of [
    ['a document that cannot be parsed', { query: 'subscription {' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: 'subscription { nothing { id } }' }, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable of the wrong type',
      { query: 'subscription ($id: ID!) { commentAdded(postId: $id) { id } }' },
      'VALIDATION_ERROR',
    ],
    [
      'a hidden record',
      { query: 'subscription { commentAdded(postId: "post_01KAG5T6XE5W9Q2Z8RM4C7BNHD") { id } }' },
      'NOT_FOUND',
    ],
  ] as const) {
    test(`6.4.4 ${name} is a result with errors`, async () => {
      const stream = await openOperation(service(), request)
      assert.equal(stream.response.status, 200)
      assert.equal(json(await stream.next()).errors[0].extensions.code, code)
      assert.equal((await stream.next()).event, 'complete')
      assert.equal(await stream.ended, 'complete')
    })
  }

  test('6.4.5 what is no operation is answered with its status', async () => {
    const { url } = service()
    const accept = { Accept: 'text/event-stream' }
    const type = { 'Content-Type': 'application/json' }
    const mutation = encodeURIComponent('mutation { createPost(input: { title: "A", content: "C" }) { id } }')
    const streams = [
      await TestStream.open(`${url}/graphql`, { method: 'POST', headers: { ...accept, ...type }, body: '{' }),
      await TestStream.open(`${url}/graphql`, {
        method: 'POST',
        headers: { ...accept, 'Content-Type': 'text/plain' },
        body: '{}',
      }),
      await openOperation(service(), { query: creations }, 'anonymous', { Authorization: 'Bearer x' }),
      await TestStream.open(`${url}/graphql?query=${mutation}`),
    ]
    const codes = await Promise.all(streams.map(refusal))
    assert.deepEqual(
      codes.map(([status]) => status),
      [400, 415, 401, 405],
    )
  })

  test('6.2.7 a subscription that accepts no stream by name is refused', async () => {
    for (const Accept of ['application/json', '*/*', 'text/*', 'text/event-stream;q=0']) {
      const stream = await openOperation(service(), { query: creations }, 'anonymous', { Accept })
      const { body } = await stream.refusal()
      assert.match(body.errors![0]!.message, /text\/event-stream/)
    }
  })
})

withService(
  '6.4 Event streams by a record',
  (service) => {
    test('6.4.8 a subscription by a record ends with an error, once the record is hidden', async () => {
      const post = await writePost(service(), 'soon hidden')
      const stream = await openOperation(service(), {
        query: `subscription { commentAdded(postId: "${post}") { id } }`,
      })
      await write(service(), 'POST /api/v2/comments', { post_id: post, content: 'C' })
      assert.equal((await stream.happened()).event, 'next')
      await service().send(`DELETE /api/v2/posts/${post}`, { as: 'editor' })
      assert.equal(json(await stream.happened()).errors[0].extensions.code, 'NOT_FOUND')
      assert.equal((await stream.next()).event, 'complete')
      assert.equal(await stream.ended, 'complete')
    })
  },
  { limits: { holderWatchMs: 20 } },
)

withStreams('6.4 Refused event streams', (service) => {
  for (const [name, query, field] of [
    ['no events', '', 'events'],
    ['an empty list of events', '?events=', 'events'],
    ['an unknown event', '?events=postCreated,postForgotten', 'events'],
    ['an event twice', '?events=postCreated,postCreated', 'events'],
    ['a token in the query string', '?events=postCreated&access_token=x', 'access_token'],
  ] as const) {
    test(`6.4.5 400: ${name}`, async () => {
      assert.deepEqual(await refusal(await openStream(service(), query)), [400, 'VALIDATION_ERROR', field])
    })
  }

  test('6.4.5 401 for a refused credential, 403 for a scope that is missing', async () => {
    const refused = await openStream(service(), '?events=postCreated', 'anonymous', { Authorization: 'Bearer x' })
    assert.deepEqual(await refusal(refused), [401, 'INVALID_TOKEN', undefined])
    assert.match(refused.response.headers.get('WWW-Authenticate')!, /invalid_token/)
    const { headers } = await makeKey(service(), { as: 'editor' }, ['read:comments'])
    const unscoped = await openStream(service(), '?events=commentAdded,postCreated', 'anonymous', headers)
    assert.deepEqual(await refusal(unscoped), [403, 'INSUFFICIENT_SCOPE', undefined])
    const scoped = await openStream(service(), '?events=commentAdded', 'anonymous', headers)
    assert.equal(scoped.response.status, 200)
    scoped.leave()
  })

  test('6.4.5 HEAD has the head of the stream and leaves no subscription', async () => {
    const url = `${service().url}/api/v2/event-stream?events=postCreated`
    const { status, headers } = await fetch(url, { method: 'HEAD' })
    assert.deepEqual([status, headers.get('Content-Type')], [200, 'text/event-stream; charset=utf-8'])
    assert.equal((await fetch(url, { method: 'POST' })).status, 405)
  })
})

withStreams(
  '6.4 Counting event streams',
  (service) => {
    test('6.4.9 a stream is one request', async () => {
      const streams: TestStream[] = []
      for (let count = 0; count < 4; count++)
        streams.push(await openStream(service(), '?events=postCreated,commentAdded'))
      assert.deepEqual(
        streams.map(({ response }) => response.status),
        [200, 200, 200, 429],
      )
      assert.equal((await openOperation(service(), { query: creations })).response.status, 429)
      for (const each of streams) each.leave()
    })
  },
  { environment: { LIMIT_IP_PER_MINUTE: '3' } },
)

withStreams(
  '6.4 Event streams of deletes',
  (service) => {
    test('6.4.3 a delete has the values until then, as the caller could see them', async () => {
      const send = async (line: string, body?: object) => {
        const answer = await service().send(line, { as: 'viewer', ...(body === undefined ? {} : { body }) })
        return answer.body?.data
      }
      const callers = ['viewer', 'editor', 'other viewer'] as const
      const [author, reader, stranger] = (await Promise.all(
        callers.map((each) => openStream(service(), '?events=pageDeleted', each)),
      )) as [TestStream, TestStream, TestStream]
      const { id: folder_id } = await send('POST /api/v2/folders', { name: 'F' })
      const pageFor = async (reader: string) => {
        const { id } = await send('POST /api/v2/pages', { folder_id, title: reader })
        const user_id = await service().fixtures().idOf(reader)
        await send('POST /api/v2/shares', { page_id: id, user_id })
        return id
      }
      const pages = [await pageFor('editor'), await pageFor('other viewer')]
      const { data: shown } = (await service().send(`GET /api/v2/pages/${pages[0]}`, { as: 'editor' })).body
      for (const each of pages) await send(`DELETE /api/v2/pages/${each}`)
      assert.deepEqual(await titles(author, 2), ['editor', 'other viewer'])
      const { type, data } = json(await reader.happened())
      assert.deepEqual([type, { ...data, updated_at: shown.updated_at }], ['pageDeleted', shown])
      assert.deepEqual(await titles(stranger, 1), ['other viewer'])
      for (const each of [author, reader, stranger]) each.leave()
    })
  },
  { definition: shelf },
)

withStreams(
  '6.4 Event streams of changes',
  (service) => {
    test('6.4.2 an event of a change has the previous values, null where they are hidden', async () => {
      const viewer = await service().fixtures().idOf('viewer')
      const send = async (line: string, body: object) => (await service().send(line, { as: 'viewer', body })).body.data
      const stream = await openStream(service(), '?events=ticketAssigned', 'viewer')
      const { id } = await send('POST /api/v2/tickets', { subject: 'one' })
      await send(`PATCH /api/v2/tickets/${id}`, { assignee_id: viewer, priority: 'high' })
      const { type, data, previous_attributes } = json(await stream.happened())
      assert.deepEqual([type, data.assignee_id, data.priority], ['ticketAssigned', viewer, 'high'])
      assert.deepEqual(previous_attributes, { assignee_id: null, priority: 'low' })
      const filings = ['viewer', 'editor'] as const
      const [author, reader] = await Promise.all(
        filings.map((each) => openStream(service(), '?events=ticketFiled', each)),
      )
      await send(`PATCH /api/v2/tickets/${id}`, { assignee_id: await service().fixtures().idOf('editor') })
      const { id: drawer } = await send('POST /api/v2/drawers', { label: 'mine' })
      for (const drawer_id of [drawer, null]) await send(`POST /api/v2/tickets/${id}/file`, { drawer_id })
      const previous = async (each: TestStream) => json(await each.happened()).previous_attributes.drawer_id
      assert.deepEqual([await previous(author!), await previous(author!)], [null, drawer])
      assert.deepEqual([await previous(reader!), await previous(reader!)], [null, null])
      for (const each of [stream, author!, reader!]) each.leave()
    })
  },
  { definition: assignments },
)
