// Bodies that have come: of which type, how long, and how they are cut.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { assertFailure, assertHeaders, RawConnection, sendRaw } from '../../../test/support/client/raw-http.ts'
import { chunked, get, head, json, withLength } from '../../../test/support/client/raw-request.ts'
import { startServer } from '../../../test/support/server/http-server.ts'

describe('4.10.13 a body that is not JSON by its own account is 415 (contract 4.1.5)', () => {
  const rows: [headers: string, status: number][] = [
    ['Content-Type: application/json', 200],
    ['Content-Type: Application/JSON; Charset=UTF-8', 200],
    ['Content-Type: application/json;charset="utf-8"', 200],
    ['Content-Type: application/json ;', 200],
    ['Content-Type: application/json; version=1', 200],
    ['Content-Type: application/json; odata.metadata=minimal; charset="UTF\\-8"', 200],
    ['Content-Type: application/json; profile="https://example.com/; charset=utf-16"', 200],
    ['Content-Type: application/json\r\nContent-Encoding: identity', 200],
    ['X-Nothing: to see', 415],
    ['Content-Type: ', 415],
    ['Content-Type: text/plain', 415],
    ['Content-Type: application/x-www-form-urlencoded', 415],
    ['Content-Type: multipart/form-data; boundary=a', 415],
    ['Content-Type: application/jsonp', 415],
    ['Content-Type: application/problem+json', 415],
    ['Content-Type: text/plain, application/json', 415],
    ['Content-Type: text/plain; application/json', 415],
    ['Content-Type: application/json; charset=utf-16', 415],
    ['Content-Type: application/json; charset=latin1', 415],
    ['Content-Type: application/json; charset=utf-8; charset=latin1', 415],
    ['Content-Type: application/json; version="1;2"; charset="utf-16"', 415],
    ['Content-Type: application/json; charset="utf\\-16"', 415],
    ['Content-Type: application/json; charset', 415],
    ['Content-Type: application/json\r\nContent-Encoding: gzip', 415],
    ['Content-Type: application/json\r\nContent-Encoding: br', 415],
  ]
  for (const [headers, status] of rows) {
    test(`${JSON.stringify(headers)}: ${status}`, async (t) => {
      const { port } = await startServer(t)
      const [answer, connection] = await sendRaw(port, withLength('{"a":1}', `${head}${headers}\r\n`))
      if (status === 415) assertFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE')
      else assert.deepEqual(JSON.parse(answer.body.toString()).data.body, { a: 1 })
      // The body that nobody read does not pass for the next request.
      assert.equal((await connection.send(get).answer()).status, 200)
      connection.destroy()
    })
  }

  test('gzip is not unpacked', async (t) => {
    const { port } = await startServer(t)
    const body = gzipSync('{"a":1}')
    const headers = `${json}Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`
    const [answer, connection] = await sendRaw(port, Buffer.concat([Buffer.from(headers), body]))
    assert.equal(assertFailure(answer, 415, 'UNSUPPORTED_MEDIA_TYPE'), 'Send the body without a content encoding.')
    connection.destroy()
  })
})

describe('8.4.1 a body is read as it was sent, of whatever type', () => {
  const rows: [name: string, bytes: string, length: number | null][] = [
    ['none', `${head}\r\n`, 0],
    ['of no type', withLength('\0\xff', head), 2],
    ['of some encoding', withLength('a', `${head}Content-Encoding: gzip\r\n`), 1],
    ['exactly the limit', withLength('a'.repeat(1_000)), 1_000],
    ['over the limit', withLength('a'.repeat(1_001)), null],
    ['over the limit in chunks', `${chunked}3e9\r\n${'a'.repeat(1_001)}\r\n0\r\n\r\n`, null],
  ]
  for (const [name, bytes, length] of rows) {
    test(name, async (t) => {
      const { port } = await startServer(t, {
        answer: async (exchange) => ({ status: 200, headers: {}, body: await exchange.bytes(1_000) }),
      })
      const [answer, connection] = await sendRaw(port, bytes)
      if (length === null) assertFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
      else assert.deepEqual(answer.body.toString('latin1'), bytes.slice(bytes.length - length))
      connection.destroy()
    })
  }

  test('and may be read as JSON then', async (t) => {
    const { port } = await startServer(t, {
      async answer(exchange) {
        const bytes = await exchange.bytes(1_000)
        return { status: 200, headers: {}, body: JSON.stringify([bytes.length, await exchange.json(1_000)]) }
      },
    })
    const [answer, connection] = await sendRaw(port, withLength('{"a": 1}'))
    assert.deepEqual(JSON.parse(answer.body.toString()), [8, { a: 1 }])
    connection.destroy()
  })
})

describe('a body that is malformed or missing is 400 (contract 7.2.5)', () => {
  const rows: [name: string, bytes: string, message: RegExp][] = [
    ['nothing at all', `${head}\r\n`, /^A JSON body is missing\.$/],
    ['a length of zero', `${json}Content-Length: 0\r\n\r\n`, /^A JSON body is missing\.$/],
    ['no chunk but the last', `${chunked}0\r\n\r\n`, /^A JSON body is missing\.$/],
    ['spaces', withLength('  '), /^The body is empty/],
    ['half a document', withLength('{"a":'), /^The body is not valid JSON: a value is missing at line 1, column 6\.$/],
    ['bytes that are not UTF-8', withLength('"\xff"'), /^The body is not valid UTF-8\.$/],
    ['a byte order mark', withLength('\xef\xbb\xbf{}'), /^The body begins with a byte order mark/],
  ]
  for (const [name, bytes, message] of rows) {
    test(name, async (t) => {
      const { port } = await startServer(t, {
        answer: async (exchange) => ({ status: 200, headers: {}, body: JSON.stringify(await exchange.json(1_000)) }),
      })
      const [answer, connection] = await sendRaw(port, bytes)
      assert.match(assertFailure(answer, 400, 'VALIDATION_ERROR'), message)
      assert.equal((await connection.send(get).answer()).status, 400)
      connection.destroy()
    })
  }
})

describe('8.4.1 a body arrives whole, however it is cut: the size just under, exactly, just over', () => {
  const text = (bytes: number): string => `"${'a'.repeat(bytes - 2)}"`
  const inChunks = (body: string, size: number): string => {
    const chunks = body.match(new RegExp(`.{1,${size}}`, 'g'))!
    return `${chunked}${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`
  }
  const rows: [name: string, bytes: string, length: number | null][] = [
    ['999 bytes', withLength(text(999)), 999],
    ['1,000 bytes', withLength(text(1_000)), 1_000],
    ['1,001 bytes', withLength(text(1_001)), null],
    ['999 bytes in chunks', inChunks(text(999), 7), 999],
    ['1,000 bytes in one chunk', inChunks(text(1_000), 1_000), 1_000],
    ['1,000 bytes in chunks', inChunks(text(1_000), 300), 1_000],
    ['1,001 bytes in chunks', inChunks(text(1_001), 300), null],
    ['a chunk extension and a trailer', `${chunked}4;a=b\r\n"aa"\r\n0\r\nA: b\r\n\r\n`, 4],
  ]
  for (const pieces of [1, 3]) {
    for (const [name, bytes, length] of rows) {
      test(`${name}, in ${pieces} piece(s)`, async (t) => {
        const arrived = Promise.withResolvers<void>()
        const { port } = await startServer(t, {
          answer: async (exchange) => {
            // Read before the rest comes, or after all of it has come.
            const body = pieces === 1 ? arrived.promise.then(() => exchange.json(1_000)) : exchange.json(1_000)
            arrived.resolve()
            return { status: 200, headers: {}, body: JSON.stringify(String(await body).length + 2) }
          },
        })
        const connection = new RawConnection(port)
        if (pieces === 1) connection.send(bytes)
        else {
          const cut = bytes.indexOf('\r\n\r\n') + 4
          connection.send(bytes.slice(0, cut))
          await arrived.promise
          for (const piece of [bytes.slice(cut, cut + 10), bytes.slice(cut + 10)]) {
            connection.send(piece)
            await new Promise(setImmediate)
          }
        }
        const answer = await connection.answer()
        if (length === null) {
          assertFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
          await connection.closed()
        } else {
          assert.equal(Number(answer.body), length)
          assertHeaders(answer)
          connection.destroy()
        }
      })
    }
  }
})

describe('8.4.1 too large a body ends the connection and is not taken to its end', () => {
  test('refused by its length before a byte of it is sent', async (t) => {
    const { port } = await startServer(t)
    const [answer, connection] = await sendRaw(port, `${json}Content-Length: 1000000000\r\n\r\n`)
    assertFailure(answer, 413, 'PAYLOAD_TOO_LARGE')
    assert.equal(answer.headers['connection'], 'close')
    await connection.closed()
  })

  test('a client that goes on sending still gets its answer, and what it sends is not a request', async (t) => {
    const { port, seen } = await startServer(t, { limits: { lingerMs: 100 } })
    const connection = new RawConnection(port).send(`${chunked}fffff\r\n${'a'.repeat(0xfffff)}`)
    assertFailure(await connection.answer(), 413, 'PAYLOAD_TOO_LARGE')
    connection.send(`\r\n0\r\n\r\n${get}`)
    await connection.closed()
    assert.deepEqual(seen, ['POST /'])
  })

  test('a client that sends everything before it reads gets its answer', async (t) => {
    // A busy machine takes its time to carry 20 MB.
    const { port } = await startServer(t, { limits: { lingerMs: 30_000 } })
    const connection = new RawConnection(port)
    connection.socket.pause()
    const sent = Promise.withResolvers<unknown>()
    connection.send(`${chunked}1312d00\r\n`).socket.write(Buffer.alloc(0x1312d00, 'a'), sent.resolve)
    assert.equal(await sent.promise, null, 'all is taken')
    connection.socket.resume()
    assertFailure(await connection.answer(), 413, 'PAYLOAD_TOO_LARGE')
    await connection.closed()
  })

  test('a client that never stops is cut off after a moment', async (t) => {
    const { port } = await startServer(t, { limits: { lingerMs: 50 } })
    const connection = new RawConnection(port).send(`${chunked}ffffffff\r\n`)
    const more = Buffer.alloc(65_536, 'a')
    const pour = (): unknown => connection.socket.writable && connection.socket.write(more, pour)
    pour()
    assertFailure(await connection.answer(), 413, 'PAYLOAD_TOO_LARGE')
    await once(connection.socket, 'error')
  })
})

describe('a body that the pipeline leaves unread', () => {
  const unread = 'POST /unread HTTP/1.1\r\nHost: localhost\r\n'

  test('is passed over when it is small, and the connection lives on', async (t) => {
    const { port, seen } = await startServer(t)
    const connection = new RawConnection(port).send(`${unread}Content-Length: 65536\r\n\r\n`)
    assert.equal((await connection.answer()).status, 200)
    connection.send(`${'a'.repeat(65_536)}${get}`)
    assert.equal(JSON.parse((await connection.answer()).body.toString()).data.path, '/next')
    assert.deepEqual(seen, ['POST /unread', 'GET /next'])
    connection.destroy()
  })

  test('must still come in time', async (t) => {
    const { port } = await startServer(t, { limits: { headersTimeoutMs: 40, requestTimeoutMs: 40 } })
    const [answer, connection] = await sendRaw(port, `${unread}Content-Length: 100\r\n\r\n{`)
    assert.deepEqual([answer.status, answer.headers['connection']], [200, 'keep-alive'])
    await connection.closed()
  })

  for (const [name, length] of [
    ['is larger', 'Content-Length: 65537'],
    ['has no known length', 'Transfer-Encoding: chunked'],
  ]) {
    test(`ends the connection when it ${name}`, async (t) => {
      const { port } = await startServer(t)
      const [answer, connection] = await sendRaw(port, `${unread}${length}\r\n\r\n`)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['connection'], 'close')
      await connection.closed()
    })
  }

  test('of no known length does no harm once it is there', async (t) => {
    const { port } = await startServer(t, {
      answer: async ({ path }) => {
        await new Promise(setImmediate)
        return { status: 200, headers: {}, body: path }
      },
    })
    const connection = new RawConnection(port).send(
      `${unread}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${get}`,
    )
    assert.equal((await connection.answer()).body.toString(), '/unread')
    assert.equal((await connection.answer()).body.toString(), '/next')
    connection.destroy()
  })
})
