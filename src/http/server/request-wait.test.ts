// What is still to come of a request: whether its body is called for, how long each part is waited for, and clients that leave before.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { assertFailure, RawConnection, sendRaw } from '../../../test/support/client/raw-http.ts'
import { chunked, get, head, json } from '../../../test/support/client/raw-request.ts'
import { startServer } from '../../../test/support/server/http-server.ts'
import type { HttpExchange } from './http-exchange.ts'

describe('Expect (contract 4.10.7)', () => {
  const expecting = `${json}Expect: 100-continue\r\n`

  test('100-continue is answered when the body is wanted', async (t) => {
    const { port } = await startServer(t)
    const connection = new RawConnection(port).send(`${expecting}Content-Length: 7\r\n\r\n`)
    assert.equal((await connection.answer()).status, 100)
    assert.deepEqual(JSON.parse((await connection.send('{"a":1}').answer()).body.toString()).data.body, { a: 1 })
    connection.destroy()
  })

  for (const [name, bytes, status, code] of [
    ['too large', `${expecting}Content-Length: 7000\r\n\r\n`, 413, 'PAYLOAD_TOO_LARGE'],
    ['of another type', `${head}Expect: 100-continue\r\nContent-Length: 7\r\n\r\n`, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ] as const) {
    test(`a body that is ${name} is refused before it is sent`, async (t) => {
      const { port } = await startServer(t)
      const [answer, connection] = await sendRaw(port, bytes)
      assertFailure(answer, status, code)
      await connection.closed()
    })
  }

  for (const expectation of ['200-ok', 'x-100-continue', '100-continue, more', 'nonsense']) {
    test(`${expectation} is 417, and nothing is carried out`, async (t) => {
      const { port, seen } = await startServer(t)
      const [answer, connection] = await sendRaw(port, `${json}Expect: ${expectation}\r\nContent-Length: 2\r\n\r\n{}`)
      assertFailure(answer, 417, 'EXPECTATION_FAILED')
      assert.deepEqual(seen, [])
      connection.destroy()
    })
  }

  test("417 is the pipeline's to count", async (t) => {
    const { port } = await startServer(t, {
      answerRefused: async (exchange, { status }) => {
        exchange.addHeader('X-RateLimit-Remaining', '99')
        return { status, headers: {}, body: null }
      },
    })
    const [answer, connection] = await sendRaw(port, `${get.trimEnd()}\r\nExpect: nonsense\r\n\r\n`)
    assert.deepEqual([answer.status, answer.headers['x-ratelimit-remaining']], [417, '99'])
    connection.destroy()
  })
})

describe('8.4.3 time', () => {
  const limits = { headersTimeoutMs: 40, requestTimeoutMs: 80 }
  const rows: [name: string, bytes: string][] = [
    ['nothing', ''],
    ['half a request line', 'GET /'],
    ['half the headers', 'GET / HTTP/1.1\r\nHost: localhost\r\nA:'],
    ['half a body', `${json}Content-Length: 7\r\n\r\n{"a"`],
    ['half a chunk', `${chunked}7\r\n{"a"`],
    ['no body yet', `${json}Content-Length: 7\r\n\r\n`],
  ]
  for (const [name, bytes] of rows) {
    test(`${name} in time is 408`, async (t) => {
      const { port } = await startServer(t, { limits })
      const [answer, connection] = await sendRaw(port, bytes)
      assertFailure(answer, 408, 'REQUEST_TIMEOUT')
      await connection.closed()
    })
  }

  for (const [name, start] of [
    ['headers', 'GET / HTTP/1.1\r\nHost: localhost\r\nA: '],
    ['a body', `${json}Content-Length: 900\r\n\r\n`],
  ]) {
    test(`${name} that trickle in are 408 as well`, async (t) => {
      const { port } = await startServer(t, { limits })
      const connection = new RawConnection(port).send(start!)
      const trickle = setInterval(() => connection.socket.writable && connection.send('a'), 5)
      t.after(() => clearInterval(trickle))
      assertFailure(await connection.answer(), 408, 'REQUEST_TIMEOUT')
      await connection.closed()
    })
  }

  test('a connection is kept while it is idle, and ends without a word', async (t) => {
    const { port } = await startServer(t, { limits: { ...limits, keepAliveMs: 1 } })
    const [, connection] = await sendRaw(port, get)
    await connection.closed()
  })
})

describe('a client that is gone before its body is read', () => {
  for (const [name, sent] of [
    ['half of it', '{"a"'],
    ['all of it', '{"a":1}'],
  ]) {
    test(`fails the reading, where it sent ${name}`, async (t) => {
      const reached = Promise.withResolvers<HttpExchange>()
      const { port } = await startServer(t, {
        answer: (exchange) => {
          reached.resolve(exchange as HttpExchange)
          return new Promise(() => {})
        },
      })
      const connection = new RawConnection(port).send(`${json}Content-Length: 7\r\n\r\n${sent}`)
      const exchange = await reached.promise
      const gone = once(exchange.response!, 'close')
      connection.socket.resetAndDestroy()
      await gone
      await assert.rejects(exchange.json(1_000), { message: 'The body ended before it was complete.' })
    })
  }
})

describe('a client that goes away while it sends', () => {
  for (const [name, leave] of [
    ['with a reset', (socket: RawConnection['socket']) => socket.resetAndDestroy()],
    ['with an end', (socket: RawConnection['socket']) => socket.destroy()],
  ] as const) {
    test(`${name} fails the reading, and the server goes on`, async (t) => {
      const reading = Promise.withResolvers<void>()
      const failed = Promise.withResolvers<unknown>()
      const { port, log } = await startServer(t, {
        answer: async (exchange) => {
          if (!exchange.hasBody) return { status: 200, headers: {}, body: null }
          const body = exchange.json(1_000)
          reading.resolve()
          return body.then(
            () => assert.fail('half a body was read'),
            (failure) => {
              failed.resolve(failure)
              throw failure
            },
          )
        },
      })
      const connection = new RawConnection(port).send(`${json}Content-Length: 7\r\n\r\n{"a"`)
      await reading.promise
      leave(connection.socket)
      assert.match(String(await failed.promise), /The body ended before it was complete\.|not well-formed/)
      const [answer, other] = await sendRaw(port, get)
      assert.equal(answer.status, 200)
      assert.deepEqual(log, [])
      other.destroy()
    })
  }
})
