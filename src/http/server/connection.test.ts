import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { heldBytes } from '../../../test/support/check/heap.ts'
import {
  assertFailure,
  assertHeaders,
  type RawAnswer,
  RawConnection,
  sendRaw,
} from '../../../test/support/client/raw-http.ts'
import { echo, gate, startServer } from '../../../test/support/server/http-server.ts'
import { clientGone } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import { parseTrustProxy } from './address.ts'
import type { HttpExchange, ServerExchange } from './http-exchange.ts'

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
const pathOf = ({ body }: RawAnswer): string => JSON.parse(body.toString()).data.path

describe('pipelining', () => {
  test('two requests in one write are answered in order, the slower one first', async (t) => {
    const { answer, reached, release } = gate()
    const { port, seen } = await startServer(t, { answer })
    const connection = new RawConnection(port).send(get('/slow') + get('/second'))
    await reached
    release()
    assert.equal(pathOf(await connection.answer()), '/slow')
    assert.equal(pathOf(await connection.answer()), '/second')
    assert.deepEqual(seen, ['GET /slow', 'GET /second'])
    connection.destroy()
  })

  test('a body does not become the next request', async (t) => {
    const { port, seen } = await startServer(t)
    const smuggled = get('/smuggled')
    const post = `POST /unread HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`
    const connection = new RawConnection(port).send(post + get('/second'))
    assert.deepEqual([pathOf(await connection.answer()), pathOf(await connection.answer())], ['/unread', '/second'])
    assert.deepEqual(seen, ['POST /unread', 'GET /second'])
    connection.destroy()
  })

  test('noise after a request is refused after its answer', async (t) => {
    const { answer, reached, release } = gate()
    const { port } = await startServer(t, { answer })
    const connection = new RawConnection(port).send(`${get('/slow')}noise\r\n\r\n`)
    await reached
    release()
    assert.equal(pathOf(await connection.answer()), '/slow')
    assertFailure(await connection.answer(), 400, 'VALIDATION_ERROR')
    await connection.closed()
  })

  test('nothing is carried out after a request that is malformed', async (t) => {
    const { port, seen } = await startServer(t)
    const connection = new RawConnection(port).send(get('/%ZZ') + get('/second'))
    assertFailure(await connection.answer(), 400, 'VALIDATION_ERROR')
    await connection.closed()
    assert.deepEqual(seen, [])
  })

  test('no request is carried out after one with Connection: close, and its own answer arrives', async (t) => {
    const { answer, reached, release } = gate()
    const { port, seen } = await startServer(t, { answer })
    const connection = new RawConnection(port).send(get('/slow', 'Connection: close\r\n') + get('/second'))
    await reached
    release()
    assert.equal(pathOf(await connection.answer()), '/slow')
    await connection.closed()
    assert.deepEqual(seen, ['GET /slow'])
  })

  test('a large last answer arrives whole, whatever follows its request', async (t) => {
    const { port } = await startServer(t, {
      answer: async () => ({ status: 200, headers: {}, body: 'a'.repeat(6_000_000) }),
    })
    const connection = new RawConnection(port).send(get('/', 'Connection: close\r\n') + get('/second'))
    assert.equal((await connection.answer()).body.length, 6_000_000)
    await connection.closed()
  })

  test('of many requests at once only so many are taken, and the connection ends after them', async (t) => {
    const { port, seen } = await startServer(t, { limits: { pipelinedRequests: 3 } })
    const connection = new RawConnection(port).send(get('/a').repeat(10))
    for (let count = 1; count <= 3; count++) {
      assert.equal((await connection.answer()).headers['connection'], count < 3 ? 'keep-alive' : 'close')
    }
    await connection.closed()
    assert.equal(seen.length, 3)
  })
})

describe('the address of the client (contract 0.1.3)', () => {
  const forwarded = get('/', 'X-Forwarded-For: 6.6.6.6, 198.51.100.1\r\n')

  test('is taken from a trusted proxy', async (t) => {
    const { port, log } = await startServer(t, { trustProxy: parseTrustProxy('127.0.0.0/8') })
    const [answer, connection] = await sendRaw(port, forwarded)
    assert.equal(JSON.parse(answer.body.toString()).data.address, '198.51.100.1')
    assert.deepEqual(log, [])
    connection.destroy()
  })

  test('is not taken from any other connection, which is logged once', async (t) => {
    const { port, log } = await startServer(t)
    const [answer, connection] = await sendRaw(port, forwarded)
    assert.equal(JSON.parse(answer.body.toString()).data.address, '127.0.0.1')
    await connection.send(forwarded).answer()
    assert.deepEqual(
      log.map(({ level }) => level),
      ['warn'],
    )
    connection.destroy()
  })
})

describe('the signal of an exchange', () => {
  test('aborts when the client goes away', async (t) => {
    const { answer, reached, release } = gate()
    const { port } = await startServer(t, { answer })
    const connection = new RawConnection(port).send(get('/slow'))
    const { signal } = await reached
    assert.equal(signal.aborted, false)
    connection.destroy()
    await once(signal, 'abort')
    assert(signal.reason instanceof Failure)
    release()
  })

  test('aborts when the client goes away before its turn has come', async (t) => {
    const first = gate()
    const { promise: reached, resolve } = Promise.withResolvers<ServerExchange>()
    const { port } = await startServer(t, {
      answer: async (exchange) => {
        if (exchange.path === '/next') {
          resolve(exchange)
          await once(exchange.signal, 'abort')
        }
        return first.answer(exchange)
      },
    })
    const connection = new RawConnection(port).send(get('/slow') + get('/next'))
    await first.reached
    const { signal } = await reached
    assert.equal(signal.aborted, false)
    connection.destroy()
    await once(signal, 'abort')
    assert.equal(signal.reason, clientGone)
    first.release()
  })

  test('aborts when the client is gone already', async (t) => {
    const { answer, reached, release } = gate()
    const { port, server } = await startServer(t, { answer, limits: { drainMs: 1 } })
    const connection = new RawConnection(port).send(get('/slow'))
    const exchange = (await reached) as HttpExchange
    const gone = once(exchange.response!, 'close')
    await server.close()
    await gone
    assert(exchange.signal.aborted)
    release()
    connection.destroy()
  })

  test('aborts at the time limit, with the answer as its reason', async (t) => {
    const { port } = await startServer(t, {
      limits: { executionTimeoutMs: 10 },
      answer: async ({ signal }) => {
        await once(signal, 'abort')
        throw signal.reason
      },
    })
    const [answer, connection] = await sendRaw(port, get('/'))
    assertFailure(answer, 503, 'SERVICE_UNAVAILABLE')
    assert.equal(answer.headers['retry-after'], '1')
    connection.destroy()
  })
})

test('an idle connection keeps nothing of its last request', async (t) => {
  let last: WeakRef<ServerExchange> | undefined
  const { port } = await startServer(t, {
    answer: (exchange) => {
      last = new WeakRef(exchange)
      return echo(exchange)
    },
  })
  const [, connection] = await sendRaw(port, get('/'))
  await new Promise(setImmediate)
  heldBytes(() => {})
  assert.equal(last!.deref(), undefined)
  connection.destroy()
})

describe('a client that does not read its answer is not waited for', () => {
  for (const [name, pour] of [
    ['and is silent', ''],
    ['and sends noise without end', 'noise'],
  ] as const) {
    test(name, async (t) => {
      const answered = Promise.withResolvers<HttpExchange>()
      const { port } = await startServer(t, {
        // Less would be over before a busy machine has read the request.
        limits: { headersTimeoutMs: 400, requestTimeoutMs: 400, executionTimeoutMs: 400 },
        answer: async (exchange) => {
          answered.resolve(exchange as HttpExchange)
          return { status: 200, headers: {}, body: Buffer.alloc(50_000_000) }
        },
      })
      const connection = new RawConnection(port)
      connection.socket.pause()
      connection.send(get('/'))
      const noise = setInterval(() => connection.socket.writable && connection.send(pour), 5)
      const { response } = await answered.promise
      await once(response!, 'close')
      clearInterval(noise)
      assert.ok(connection.socket.bytesRead < 50_000_000, `${connection.socket.bytesRead} bytes were read`)
      connection.destroy()
    })
  }
})

describe('upgrades', () => {
  const upgrade = (headers = ''): string =>
    get('/graphql', `Connection: Upgrade\r\nUpgrade: WebSocket\r\nX-Request-ID: abc\r\n${headers}`)

  test('are taken over with the bytes that came early', async (t) => {
    const { port, server } = await startServer(t, {
      upgrade: async (exchange, { request, socket, head }) => {
        assert.equal(request.headers.upgrade, 'WebSocket')
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n${exchange.path} ${exchange.address} ${head}`)
        socket.on('data', (data) => socket.write(data)).on('end', () => socket.end())
        return null
      },
    })
    const connection = new RawConnection(port).send(`${upgrade()}early`)
    assert.equal((await connection.answer()).status, 101)
    let received = ''
    connection.socket.on('data', (data) => {
      received += data
    })
    connection.send(' late')
    while (!received.endsWith('late')) await once(connection.socket, 'data')
    connection.destroy()
    await server.close()
  })

  test('may be refused by the pipeline, with all headers', async (t) => {
    const { port } = await startServer(t, {
      upgrade: async (exchange) => {
        exchange.addHeader('X-RateLimit-Remaining', '0')
        throw new Failure('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: 9 })
      },
    })
    const [answer, connection] = await sendRaw(port, upgrade())
    assertFailure(answer, 429, 'RATE_LIMIT_EXCEEDED')
    const { headers } = answer
    assert.deepEqual(
      [headers['retry-after'], headers['x-ratelimit-remaining'], headers['x-request-id']],
      ['9', '0', 'abc'],
    )
    assert.equal(headers['connection'], 'close')
    await connection.closed()
  })

  test('that are refused get their answer, whatever they send on', async (t) => {
    const { port } = await startServer(t, {
      upgrade: async () => ({ status: 403, headers: {}, body: null }),
      // A busy machine takes its time to carry 20 MB.
      limits: { lingerMs: 30_000 },
    })
    const connection = new RawConnection(port)
    connection.socket.pause()
    const sent = Promise.withResolvers<unknown>()
    connection.send(upgrade()).socket.write(Buffer.alloc(20_000_000), sent.resolve)
    assert.equal(await sent.promise, null, 'all is taken')
    connection.socket.resume()
    assert.equal((await connection.answer()).status, 403)
    await connection.closed()
  })

  test('that fail are 500, line breaks in headers included', async (t) => {
    for (const location of ['/\r\nSet-Cookie: a=1', null]) {
      const { port, log } = await startServer(t, {
        upgrade: async () => {
          if (location === null) throw new Error('a bug')
          return { status: 301, headers: { Location: location }, body: null }
        },
      })
      const [answer, connection] = await sendRaw(port, upgrade())
      assertFailure(answer, 500, 'INTERNAL_ERROR')
      await connection.closed()
      assert.equal(log.length, 1)
    }
  })

  for (const [name, bytes] of [
    ['malformed', upgrade('Authorization: a\r\nAuthorization: b\r\n')],
    ['with a body', `${upgrade('Content-Length: 2\r\n')}{}`],
    ['with a body still to come', upgrade('Content-Length: 2\r\n')],
  ] as const) {
    test(`that are ${name} are refused unseen`, async (t) => {
      const { port } = await startServer(t, { upgrade: () => assert.fail('not to be asked') })
      const [answer, connection] = await sendRaw(port, bytes)
      assertFailure(answer, 400, 'VALIDATION_ERROR')
      assert.equal(answer.headers['x-request-id'], 'abc')
      await connection.closed()
    })
  }

  test('of another method are ordinary requests', async (t) => {
    const { port, seen } = await startServer(t, { upgrade: () => assert.fail('not to be asked') })
    const [answer, connection] = await sendRaw(port, upgrade().replace('GET', 'PUT'))
    assertHeaders(answer)
    assert.deepEqual(seen, ['PUT /graphql'])
    connection.destroy()
  })

  test('do not overtake the answer to an earlier request', async (t) => {
    const { answer, reached, release } = gate()
    const { port } = await startServer(t, { answer, upgrade: () => assert.fail('not to be asked') })
    const connection = new RawConnection(port).send(get('/slow') + upgrade())
    await reached
    await connection.closed()
    release()
  })
})
