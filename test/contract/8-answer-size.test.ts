// How large an answer may be: counted while it is made, alone and together with all others. (contract 8.4)

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Frame, TestSocket } from '../support/client/websocket.ts'
import { withService } from '../support/server/service.ts'

const times = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(' ')
const message = (bytes: number) => `The answer exceeds the maximum of ${bytes} bytes.`
const refusal = (bytes: number) => [{ message: message(bytes), extensions: { code: 'QUERY_TOO_COMPLEX' } }]

/** A text of which each character is two bytes, and JSON escapes none. */
const words = (length: number): string => 'é'.repeat(length)
const published = { title: 'Large', tags: [], author: '{editor}', publishedAt: new Date(0) }
const postOf = (content: string) => ({ large: { Post: { ...published, content } } })

const answerBytes = 100_000
withService(
  'The size of an answer',
  (service) => {
    const one = '{ post(id: "{large}") { content } }'
    const refused: Readonly<Record<string, string>> = {
      'one field again and again': `{ postList { ${times(450, (at) => `a${at}: content`)} } }`,
      'one field again and again, in a nested list': `{ userList { posts { ${times(450, (at) => `a${at}: content`)} } } }`,
      'one field again and again, of one record': `{ post(id: "{large}") { ${times(450, (at) => `a${at}: content`)} } }`,
      'the same list again and again': `{ userList(limit: 10) { ${times(40, (at) => `a${at}: posts(limit: 2) { content }`)} } }`,
      'the same page again and again': `{ posts { ${times(40, (at) => `a${at}: nodes { content }`)} } }`,
      'the same edges again and again': `{ posts { ${times(40, (at) => `a${at}: edges { node { content } }`)} } }`,
      'the same root again and again': `{ ${times(90, (at) => `a${at}: post(id: "{large}") { content }`)} }`,
      'what all records of a list refer to': `{ post(id: "{large}") { comments { post { ${times(90, (at) => `a${at}: content`)} } } } }`,
      'cursors again and again': `{ posts { edges { ${times(500, (at) => `a${at}: cursor`)} } } }`,
    }
    const fixtures = () => {
      const comments = Object.fromEntries(
        Array.from({ length: 5 }, (_, at) => [
          `comment${'abcde'[at]}`,
          { Comment: { post: '{large}', author: '{viewer}', content: 'C' } },
        ]),
      )
      return service().fixtures({ ...postOf(words(3_000)), ...comments })
    }

    for (const [name, query] of Object.entries(refused)) {
      test(`8.4.6 ${name} is QUERY_TOO_COMPLEX without data, by POST, GET and WebSocket`, async () => {
        const made = fixtures()
        for (const at of 'abcde') await made.idOf(`comment${at}`)
        const filled = (await made.fill({ query })).query
        const plain = await service().graphql(filled)
        assert.deepEqual([plain.status, plain.body], [200, { errors: refusal(answerBytes) }])
        const strict = await service().graphql(filled, { headers: { Accept: 'application/graphql-response+json' } })
        assert.deepEqual([strict.status, strict.body], [422, { errors: refusal(answerBytes) }])
        const got = await service().send(`GET /graphql?${new URLSearchParams({ query: filled })}`)
        assert.deepEqual(
          [got.status, got.headers['cache-control'], got.body],
          [200, 'no-store', { errors: refusal(answerBytes) }],
        )
        const socket = await TestSocket.ready(service().url)
        socket.subscribe('1', filled)
        assert.deepEqual(await socket.next(), { id: '1', type: 'error', payload: refusal(answerBytes) })
        // The connection goes on.
        socket.subscribe('1', '{ __typename }')
        assert.equal((await socket.next()).type, 'next')
        await socket.close()
        service().assertLog()
      })
    }

    test('8.4.6 as many bytes as are allowed are answered, and not one more', async () => {
      const around = Buffer.byteLength('{"data":{"post":{"content":""}}}')
      for (const [more, isRefused] of [
        [0, false],
        [1, true],
      ] as const) {
        const length = (answerBytes - around) / 2
        assert.ok(Number.isInteger(length))
        const made = service().fixtures(postOf(words(length) + 'x'.repeat(more)))
        const { body, text } = await service().graphql(one, { fixtures: made })
        if (isRefused) assert.deepEqual(body, { errors: refusal(answerBytes) })
        else assert.equal(Buffer.byteLength(text), answerBytes)
      }
    })

    test('8.4.6 a list in REST is 400 and names the page size; a smaller page is answered', async () => {
      const made = service().fixtures({
        ...postOf(words(30_000)),
        second: { Post: { ...published, content: words(30_000) } },
      })
      for (const name of ['large', 'second']) await made.idOf(name)
      for (const [query, field] of [
        ['per_page=2', 'per_page'],
        ['limit=2', 'limit'],
        ['', 'limit'],
      ] as const) {
        const { status, body } = await service().send(`GET /api/v2/posts?${query}`)
        assert.deepEqual([status, body.error.code, body.error.details[0].field], [400, 'VALIDATION_ERROR', field])
        assert.ok(body.error.message.startsWith(`${field}: ${message(answerBytes)}`), body.error.message)
      }
      assert.equal((await service().send('GET /api/v2/posts?per_page=1')).status, 200)
      service().assertLog()
    })

    test('8.4.6 a record in REST that is larger is 400', async () => {
      const made = service().fixtures(postOf(words(50_000)))
      const { status, body } = await service().send('GET /api/v2/posts/{large}', { fixtures: made })
      assert.deepEqual([status, body.error], [400, { code: 'VALIDATION_ERROR', message: message(answerBytes) }])
    })

    test('8.4.6 a mutation whose answer is too large writes nothing', async () => {
      const before = await service().tables('posts')
      const query = `mutation ($input: CreatePostInput!) { createPost(input: $input) { ${times(90, (at) => `a${at}: content`)} } }`
      const variables = { input: { title: 'T', content: words(3_000), tags: [] } }
      const { body } = await service().graphql(query, { as: 'editor', variables })
      assert.deepEqual(body, { errors: refusal(answerBytes) })
      assert.deepEqual(await service().tables('posts'), before)
    })

    test('8.4.6 a payload that is too large is an error for its subscriber, and the next one comes', async () => {
      const greedy = await TestSocket.ready(service().url)
      const modest = await TestSocket.ready(service().url)
      greedy.subscribe('1', `subscription { postCreated { title ${times(90, (at) => `a${at}: content`)} } }`)
      modest.subscribe('1', 'subscription { postCreated { title } }')
      await Promise.all([greedy.settled(), modest.settled()])
      const write = (title: string, content: string) =>
        service().send('POST /api/v2/posts', { as: 'editor', body: { title, content, publish: true } })
      const payloadOf = async (socket: TestSocket) => (await socket.next()).payload as Payload
      await write('large', words(3_000))
      const payload = await payloadOf(greedy)
      assert.deepEqual([payload.errors, 'data' in payload], [refusal(answerBytes), false])
      assert.equal(typeof payload.extensions.eventId, 'string')
      assert.equal((await payloadOf(modest)).data?.postCreated.title, 'large')
      await write('small', 'C')
      for (const socket of [greedy, modest]) {
        assert.equal((await payloadOf(socket)).data?.postCreated.title, 'small')
        await socket.close()
      }
      service().assertLog()
    })

    test('8.4.8 a query of as many fields as a document can have is answered, in a nested list too', async () => {
      const made = service().fixtures(postOf('C'))
      await made.idOf('large')
      const fields = times(650, (at) => `a${at}: id`)
      for (const query of [
        `{ userList(limit: 1) { posts(limit: 1) { ${fields} } } }`,
        `{ postList(limit: 1) { ${fields} } }`,
      ]) {
        const { body } = await service().graphql(query)
        assert.equal(body.errors, undefined)
      }
    })
  },
  { environment: { LIMIT_ANSWER_BYTES: String(answerBytes) } },
)

interface Payload {
  readonly data?: { readonly postCreated: { readonly title: string } }
  readonly errors?: unknown
  readonly extensions: { readonly eventId: string }
}

const mebibyte = 1_048_576
const answersBytes = 20 * mebibyte
const stalledReaderMs = 1_000
withService(
  'The size of all answers',
  (service) => {
    // What one connection's buffers take at once is a fraction of this.
    const query = `{ post(id: "{large}") { ${times(300, (at) => `a${at}: content`)} } }`
    const largeQuery = async () => {
      const made = service().fixtures(postOf('x'.repeat(50_000)))
      return (await made.fill({ query })).query
    }
    /** Asks over a connection of its own and leaves the answer unread, but for its beginning, which has to come. */
    const holdRoom = async (text: string) => {
      for (;;) {
        const socket = connect(Number(new URL(service().url).port), '127.0.0.1')
        socket.on('error', () => {})
        const body = JSON.stringify({ query: text })
        const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
        socket.write(`${head}\r\n\r\n${body}`)
        await once(socket, 'readable')
        if (String(socket.read(12)) === 'HTTP/1.1 200') return socket
        // Room is given back a moment after the answer before it was read: there was none yet.
        socket.destroy()
      }
    }
    const whole = async (text: string) => (await service().graphql(text)).status
    const soon = async (text: string) => {
      for (let tries = 0; (await whole(text)) !== 200; tries++) {
        assert.ok(tries < 100)
        await pause(50)
      }
    }

    test('8.4.7 one more than there is room for is 503, small ones are answered', async () => {
      const text = await largeQuery()
      const unread = await holdRoom(text)
      const refused = await service().graphql(text)
      assert.deepEqual([refused.status, refused.body.errors[0].extensions.code], [503, 'SERVICE_UNAVAILABLE'])
      assert.match(String(refused.headers['retry-after']), /^\d+$/)
      assert.equal((await service().graphql('{ __typename }')).status, 200)
      unread.destroy()
      await soon(text)
      service().assertLog()
    })
    test('8.4.7 a reader who stands still is let go where others find no room', async () => {
      const text = await largeQuery()
      const unread = await holdRoom(text)
      await pause(stalledReaderMs)
      // Whoever finds no room lets it go.
      await soon(text)
      unread.destroy()
    })
    test('8.4.7 room is given back when an answer has left, was refused, or was compressed', async () => {
      const text = await largeQuery()
      for (let time = 0; time < 3; time++) {
        await soon(text)
        const tooLarge = text.replace('content }', `content ${times(100, (at) => `b${at}: content`)} }`)
        const refused = await service().graphql(tooLarge)
        assert.equal(refused.body.errors[0].extensions.code, 'QUERY_TOO_COMPLEX')
        const headers = { 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' }
        const body = JSON.stringify({ query: text })
        const compressed = await fetch(`${service().url}/graphql`, { method: 'POST', headers, body })
        assert.equal(compressed.headers.get('content-encoding'), 'gzip')
        assert.ok((await compressed.text()).startsWith('{"data":{"post":'))
      }
    })
    test('8.4.7 over WebSocket a large answer arrives whole, and room is given back when it has, or its client is gone', async () => {
      const text = await largeQuery()
      const socket = await TestSocket.ready(service().url)
      for (const id of ['1', '2', '3']) {
        socket.subscribe(id, text)
        const answer = (await socket.next()) as Frame & { payload: { data: object } }
        assert.deepEqual([answer.type, Object.keys(answer.payload.data)], ['next', ['post']])
        assert.equal((await socket.next()).type, 'complete')
      }
      socket.subscribe('4', text)
      await socket.drop()
      await soon(text)
    })
  },
  { limits: { answersBytes, stalledReaderMs } },
)
