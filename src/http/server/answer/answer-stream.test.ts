import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { assertFailure, RawConnection, sendRaw } from '../../../../test/support/client/raw-http.ts'
import { startServer, type TestServer } from '../../../../test/support/server/http-server.ts'
import { Failure } from '../../../failure/failure.ts'
import type { Limits } from '../../../limits.ts'
import type { WatchedReply } from '../../../observation/watch.ts'
import type { BodyStream, Reply } from '../../message/exchange.ts'
import type { ServerExchange } from '../http-exchange.ts'

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const csv = (body: BodyStream): Reply => ({ status: 200, headers: { 'Content-Type': 'text/csv' }, body })

interface StreamServer extends TestServer {
  /** What whoever watches was told, oldest first. */
  readonly watched: WatchedReply[]
  /** Resolves with the next one. */
  readonly nextWatched: () => Promise<WatchedReply>
}

async function serve(
  t: TestContext,
  produce: (exchange: ServerExchange) => BodyStream,
  limits: Partial<Limits> = {},
): Promise<StreamServer> {
  const watched: WatchedReply[] = []
  let watchedReply = Promise.withResolvers<WatchedReply>()
  const server = await startServer(t, {
    limits,
    answer: async (exchange) =>
      exchange.path === '/plain' ? { status: 200, headers: {}, body: '{}' } : csv(produce(exchange)),
    watch: (_, reply) => {
      watched.push(reply)
      watchedReply.resolve(reply)
      watchedReply = Promise.withResolvers()
    },
  })
  return { ...server, watched, nextWatched: () => watchedReply.promise }
}

/** Asks and resolves with the answer's head; its body flows only where somebody reads. */
async function open(t: TestContext, port: number, options: object = {}): Promise<IncomingMessage> {
  const sent = request({ host: '127.0.0.1', port, ...options }).end()
  sent.on('error', () => undefined)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  t.after(() => answer.destroy())
  return answer
}

async function* pieces(...all: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* all
}

describe('8.4.9 an answer that is made while it is sent', () => {
  test('arrives whole, in chunks, with the headers of every answer and without a length', async (t) => {
    const { port, watched } = await serve(t, () => pieces('a,b\n', '', Buffer.from('é,2\n'), '3,4\n'))
    const answer = await open(t, port)
    const { headers } = answer
    assert.equal(await text(answer), 'a,b\né,2\n3,4\n')
    assert.deepEqual(
      [headers['content-type'], headers['transfer-encoding'], headers['content-length'], headers['x-frame-options']],
      ['text/csv', 'chunked', undefined, 'DENY'],
    )
    assert.equal(headers['cache-control'], 'no-store')
    assert.deepEqual([watched.length, watched[0]!.status, watched[0]!.failure], [1, 200, undefined])
  })

  test('may be empty', async (t) => {
    const { port } = await serve(t, () => pieces())
    assert.equal(await text(await open(t, port)), '')
  })

  test('may be a ReadableStream', async (t) => {
    const { port } = await serve(t, () => ReadableStream.from(['a', 'b']))
    assert.equal(await text(await open(t, port)), 'ab')
  })

  test('sends each piece when it is made', async (t) => {
    const more = Promise.withResolvers<void>()
    const { port } = await serve(t, async function* () {
      yield 'first'
      await more.promise
      yield 'second'
    })
    const answer = await open(t, port)
    const [first] = (await once(answer, 'data')) as [Buffer]
    assert.equal(first.toString(), 'first')
    more.resolve()
    assert.equal(await text(answer), 'second')
  })

  test('to HEAD is a head alone, and its producer never starts', async (t) => {
    let started = 0
    let cancelled = 0
    const streams = [
      async function* () {
        started++
        yield 'a'
      },
      () => new ReadableStream({ pull: () => void started++, cancel: () => void cancelled++ }, { highWaterMark: 0 }),
    ]
    const { port } = await serve(t, () => streams.shift()!())
    const connection = new RawConnection(port)
    for (let each = 0; each < 2; each++) {
      const { status, headers } = await connection.send(get.replace('GET', 'HEAD')).answer({ bodiless: true })
      assert.deepEqual([status, headers['content-type'], headers['content-length']], [200, 'text/csv', undefined])
    }
    connection.destroy()
    assert.deepEqual([started, cancelled], [0, 1])
  })

  test('to HTTP/1.0 ends with the connection', async (t) => {
    const { port } = await serve(t, () => pieces('a', 'b'))
    const socket = new RawConnection(port).socket
    socket.write('GET / HTTP/1.0\r\n\r\n')
    const bytes = await text(socket)
    assert.match(bytes, /\r\n\r\nab$/)
    assert.doesNotMatch(bytes, /transfer-encoding/i)
  })

  test('keeps those that were pipelined behind it waiting, in order', async (t) => {
    const more = Promise.withResolvers<void>()
    const { port, seen } = await serve(t, async function* () {
      yield 'a'
      await more.promise
    })
    const socket = new RawConnection(port).socket
    socket.write(get + get.replace('GET /', 'POST /plain').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    await once(socket, 'data')
    assert.deepEqual(seen, ['GET /'])
    more.resolve()
    assert.match(await text(socket), /0\r\n\r\nHTTP\/1\.1 200 OK.*\{\}$/s)
    assert.deepEqual(seen, ['GET /', 'POST /plain'])
  })
})

describe('8.4.9 a reader', () => {
  test('that is slow holds the producer back, and gets all of it', async (t) => {
    const piece = 'x'.repeat(65_536)
    let chunkCount = 0
    let resting = Promise.withResolvers<void>()
    const { port } = await serve(t, async function* () {
      for (chunkCount = 0; chunkCount < 500; chunkCount++) {
        yield piece
        resting.resolve()
        resting = Promise.withResolvers()
      }
    })
    const answer = await open(t, port)
    // It makes as much as the sockets on both sides hold, and no more: nothing is made while the event loop turns.
    for (let quiet = 0, before = -1; quiet < 50; quiet = chunkCount === before ? quiet + 1 : 0) {
      before = chunkCount
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    assert.ok(chunkCount > 0 && chunkCount < 400, `${chunkCount} pieces for nobody`)
    assert.equal((await text(answer)).length, 500 * piece.length)
  })

  test('that leaves ends the producer, which cleans up', async (t) => {
    const cleaned = Promise.withResolvers<string>()
    const { port, log, nextWatched } = await serve(t, async function* ({ signal }) {
      try {
        for (;;) {
          yield 'x'.repeat(1_000)
          await new Promise(setImmediate)
        }
      } finally {
        cleaned.resolve(signal.aborted ? 'aborted' : 'not aborted')
      }
    })
    const watchedReply = nextWatched()
    const answer = await open(t, port)
    await once(answer, 'data')
    answer.destroy()
    assert.equal(await cleaned.promise, 'aborted')
    assert.deepEqual([(await watchedReply).status, log], [0, []])
  })

  test('that leaves while nothing is made ends a stream of the platform', async (t) => {
    const cancelled = Promise.withResolvers<void>()
    const { port } = await serve(
      t,
      () => new ReadableStream({ start: (to) => to.enqueue('a'), cancel: () => cancelled.resolve() }),
    )
    const answer = await open(t, port)
    await once(answer, 'data')
    answer.destroy()
    await cancelled.promise
  })

  test('that stands still is left', async (t) => {
    const { port, nextWatched, log } = await serve(
      t,
      async function* () {
        for (;;) yield 'x'.repeat(65_536)
      },
      { streamIdleMs: 50 },
    )
    const watchedReply = nextWatched()
    await open(t, port)
    assert.deepEqual([(await watchedReply).failure, log], ['SERVICE_UNAVAILABLE', []])
  })
})

describe('8.4.9 a producer', () => {
  const failing = (thrown: unknown) =>
    async function* () {
      yield 'a'
      throw thrown
    }

  for (const version of ['1.0', '1.1']) {
    test(`that fails amid an answer over HTTP/${version} cuts it off, and is a bug`, async (t) => {
      const { port, log, nextWatched } = await serve(t, failing(new Error('no')))
      const watchedReply = nextWatched()
      const connection = new RawConnection(port)
      const failed = Promise.withResolvers<Error>()
      connection.socket.on('error', failed.resolve)
      const ended = once(connection.socket, 'end').catch(() => undefined)
      let received = ''
      connection.socket.on('data', (bytes) => {
        received += bytes
      })
      connection.send(`GET / HTTP/${version}\r\nHost: localhost\r\n\r\n`)
      assert.equal((await watchedReply).failure, 'INTERNAL_ERROR')
      if (version === '1.0') assert.equal(((await failed.promise) as NodeJS.ErrnoException).code, 'ECONNRESET')
      else await ended
      assert.doesNotMatch(received, /0\r\n\r\n$/)
      const { err } = log[0]!.fields as { err: Error }
      assert.equal((err.cause as Error).message, 'no')
      assert.equal(log.length, 1)
      connection.destroy()
    })
  }

  test('whose Failure comes too late is a bug as well', async (t) => {
    const { port, log, nextWatched } = await serve(t, failing(new Failure('FORBIDDEN')))
    const watchedReply = nextWatched()
    await assert.rejects(async () => text(await open(t, port)), { code: 'ECONNRESET' })
    assert.deepEqual([(await watchedReply).failure, log.length], ['INTERNAL_ERROR', 1])
  })

  test('that fails before its first piece is answered like anybody', async (t) => {
    const thrown: unknown[] = [new Failure('FORBIDDEN'), new Error('no')]
    const { port, log } = await serve(t, () => new ReadableStream({ start: (to) => to.error(thrown.shift()) }))
    const [answer, connection] = await sendRaw(port, get)
    assertFailure(answer, 403, 'FORBIDDEN')
    assert.equal(log.length, 0)
    assertFailure(await connection.send(get).answer(), 500, 'INTERNAL_ERROR')
    assert.equal(log.length, 1)
    connection.destroy()
  })

  test('that makes something else than text or bytes is a bug, and cleans up', async (t) => {
    let cleaned = false
    const { port, log } = await serve(t, async function* () {
      try {
        yield { no: 'text' } as never
      } finally {
        cleaned = true
      }
    })
    const [answer, connection] = await sendRaw(port, get)
    assertFailure(answer, 500, 'INTERNAL_ERROR')
    assert.match((log[0]!.fields as { err: Error }).err.message, /made of text or bytes/)
    assert.ok(cleaned)
    connection.destroy()
  })

  test('that makes nothing for too long is a bug', async (t) => {
    const { port, log, nextWatched } = await serve(
      t,
      async function* () {
        yield 'a'
        await new Promise(() => undefined)
      },
      { streamIdleMs: 50 },
    )
    const watchedReply = nextWatched()
    await assert.rejects(async () => text(await open(t, port)), { code: 'ECONNRESET' })
    assert.equal((await watchedReply).failure, 'INTERNAL_ERROR')
    assert.match(((log[0]!.fields as { err: Error }).err.cause as Error).message, /made nothing for 50 ms/)
  })

  test('whose finally fails after its reader has left is a bug', async (t) => {
    const { port, log } = await serve(t, async function* () {
      try {
        for (;;) {
          yield 'x'
          await new Promise(setImmediate)
        }
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: this is what the test is about
        throw new Error('no end')
      }
    })
    const answer = await open(t, port)
    await once(answer, 'data')
    answer.destroy()
    while (log.length === 0) await new Promise(setImmediate)
    assert.equal((log[0]!.fields as { err: Error }).err.message, 'no end')
  })
})

describe('8.4.9 streams are bounded', () => {
  test('in number: one more is 503, and there is room again when one has ended', async (t) => {
    const more = Promise.withResolvers<void>()
    const { port } = await serve(
      t,
      async function* () {
        yield 'a'
        await more.promise
      },
      { streams: 2 },
    )
    const answers = [await open(t, port), await open(t, port)]
    const [refused, connection] = await sendRaw(port, get)
    assertFailure(refused, 503, 'SERVICE_UNAVAILABLE')
    assert.equal(refused.headers['retry-after'], '2')
    more.resolve()
    for (const answer of answers) assert.equal(await text(answer), 'a')
    assert.equal(await text(await open(t, port)), 'a')
    connection.destroy()
  })

  test('in time: that of a request is over long before, and then that of a stream', async (t) => {
    let ended: string | undefined
    const { port, nextWatched } = await serve(
      t,
      async function* ({ signal }) {
        signal.addEventListener('abort', () => {
          ended = (signal.reason as Failure).code
        })
        for (;;) {
          yield 'a'
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      },
      { executionTimeoutMs: 20, streamTimeoutMs: 200 },
    )
    const watchedReply = nextWatched()
    const begun = performance.now()
    await assert.rejects(async () => text(await open(t, port)), { code: 'ECONNRESET' })
    const ms = performance.now() - begun
    assert.ok(ms >= 190, `after ${ms} ms`)
    assert.deepEqual([(await watchedReply).failure, ended], ['SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'])
  })

  test('in memory: unread pieces count among the unread answers', async (t) => {
    const { port, nextWatched } = await serve(
      t,
      async function* () {
        for (;;) yield 'x'.repeat(1_000_000)
      },
      { unreadAnswersBytes: 1_500_000 },
    )
    const watchedReply = nextWatched()
    await open(t, port)
    await open(t, port)
    assert.equal((await watchedReply).status, 0)
  })
})

test('0.3.1 a drain waits for an answer that is being made, and then ends its connection', async (t) => {
  const more = Promise.withResolvers<void>()
  const { port, server } = await serve(
    t,
    async function* () {
      yield 'a'
      await more.promise
      yield 'b'
    },
    { drainMs: 60_000, lingerMs: 50 },
  )
  const connection = new RawConnection(port).send(get)
  await once(connection.socket, 'data')
  const closed = server.close()
  await new Promise((resolve) => setTimeout(resolve, 100))
  const rest = text(connection.socket)
  more.resolve()
  assert.match(await rest, /b\r\n0\r\n\r\n$/)
  connection.destroy()
  await closed
})
