// What many clients together, or one with many requests, may make the server hold. (contract 8.4.5)

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { assertFailure, RawConnection, sendRaw } from '../../../test/support/client/raw-http.ts'
import { echo, startServer } from '../../../test/support/server/http-server.ts'
import type { Reply } from '../message/exchange.ts'
import { parseTrustProxy } from './address.ts'
import type { ServerExchange } from './http-exchange.ts'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const post = (length: number): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}

/** More than any socket takes at once. */
const largeBytes = 8_000_000
const large: Reply = { status: 200, headers: {}, body: Buffer.alloc(largeBytes, 'a') }
const largeOrEcho = async (exchange: ServerExchange) => (exchange.path === '/large' ? large : echo(exchange))

describe('8.4.5 requests of one connection', () => {
  test('run a few at once, in order, and the next when one of them is answered', async (t) => {
    const running = new Map<string, () => void>()
    const { port, seen } = await startServer(t, {
      limits: { pipelinedAtOnce: 2 },
      answer: async (exchange) => {
        await new Promise<void>((resolve) => running.set(exchange.path, resolve))
        return echo(exchange)
      },
    })
    const connection = new RawConnection(port).send(['/a', '/b', '/c', '/d'].map(get).join(''))
    while (seen.length < 2) await turns(1)
    await turns(5)
    assert.deepEqual(seen, ['GET /a', 'GET /b'])
    running.get('/b')!()
    while (seen.length < 3) await turns(1)
    for (const path of ['/a', '/c']) running.get(path)!()
    while (seen.length < 4) await turns(1)
    running.get('/d')!()
    for (const path of ['/a', '/b', '/c', '/d']) {
      assert.equal(JSON.parse((await connection.answer()).body.toString()).data.path, path)
    }
    connection.destroy()
  })

  test('run alone where they may change something, and those behind them wait (RFC 9112 9.3.2)', async (t) => {
    const running = new Map<string, () => void>()
    const { port, seen } = await startServer(t, {
      answer: async (exchange) => {
        await new Promise<void>((resolve) => running.set(exchange.path, resolve))
        return echo(exchange)
      },
    })
    const sent = ['GET /a', 'HEAD /b', 'PUT /c', 'OPTIONS /d', 'GET /e', 'DELETE /f', 'POST /g', 'PROPFIND /h']
    const connection = new RawConnection(port)
    connection.send(sent.map((line) => `${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''))
    const answered: string[] = []
    for (const group of ['/a /b', '/c', '/d /e', '/f', '/g', '/h']) {
      const paths = group.split(' ')
      while (seen.length < answered.length + paths.length) await turns(1)
      await turns(5)
      assert.deepEqual(seen.length, answered.length + paths.length, `${group} runs`)
      // The later one first: its answer waits for that of the earlier one.
      for (const path of paths.toReversed()) running.get(path)!()
      for (const path of paths) {
        const { body } = await connection.answer({ bodiless: path === '/b' })
        answered.push(path === '/b' ? path : JSON.parse(body.toString()).data.path)
      }
    }
    assert.deepEqual(
      answered,
      sent.map((line) => line.split(' ')[1]),
    )
    connection.destroy()
  })

  test('wait until what was answered before them is read', async (t) => {
    const { port, seen } = await startServer(t, { limits: { pipelinedAtOnce: 1 }, answer: largeOrEcho })
    const client = slowReader(port, get('/large') + get('/a').repeat(4))
    while (seen.length === 0) await turns(1)
    await turns(20)
    assert.deepEqual(seen, ['GET /large'])
    await client.readAll(largeBytes)
    while (seen.length < 5) await turns(1)
    client.destroy()
  })
})

test('8.4.5 when all that is unread is too much, the slowest reader is closed, and no other', async (t) => {
  const limits = { unreadAnswersBytes: 2.5 * largeBytes }
  const { port, seen } = await startServer(t, { limits, answer: largeOrEcho })
  const clients: ReturnType<typeof slowReader>[] = []
  for (let count = 1; count <= 3; count++) {
    clients.push(slowReader(port, get('/large')))
    // One after the other: the first is the slowest.
    while (seen.length < count) await turns(1)
  }
  const [slowest, ...others] = clients
  assert((await slowest!.readAll(largeBytes)) < largeBytes)
  for (const each of others) {
    assert((await each.readAll(largeBytes)) >= largeBytes)
    each.destroy()
  }
})

/** A client that reads nothing of what it asked for until it is told to. */
function slowReader(port: number, request: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause()
  socket.write(request)
  return {
    destroy: () => void socket.destroy(),
    /** Resolves with how many bytes there were, when there are so many or nothing more comes. */
    readAll: (bytes: number) =>
      new Promise<number>((resolve) => {
        let read = 0
        socket.on('close', () => resolve(read))
        socket.on('data', (chunk) => {
          read += chunk.length
          if (read >= bytes) resolve(read)
        })
        socket.resume()
      }),
  }
}

test('8.4.5 bodies that are too much together are 503, and there is room again when they are answered', async (t) => {
  const { port } = await startServer(t, { limits: { bodiesBytes: 1_000 } })
  const sendOther = async () => (await sendRaw(port, get('/')))[1].destroy()
  const [first, second] = [new RawConnection(port), new RawConnection(port)]
  const body = `"${'a'.repeat(898)}"`
  first.send(post(900))
  await once(first.socket, 'connect')
  first.send(body.slice(0, 800))
  await sendOther()
  second.send(post(900))
  await sendOther()
  second.send(body)
  const refused = await second.answer()
  assertFailure(refused, 503, 'SERVICE_UNAVAILABLE')
  assert.equal(refused.headers['retry-after'], '2')
  await second.closed()
  first.send(body.slice(800))
  assert.equal((await first.answer()).status, 200)
  first.send(post(900))
  await sendOther()
  first.send(body)
  assert.equal((await first.answer()).status, 200)
  first.destroy()
})

test('a connection that cannot be accepted is not the end of the others, and the log reports it once', async (t) => {
  const started = Promise.withResolvers<Server>()
  const tell = (message: unknown) => started.resolve((message as { server: Server }).server)
  subscribe('http.server.request.start', tell)
  const { port, log } = await startServer(t)
  const [, connection] = await sendRaw(port, get('/'))
  unsubscribe('http.server.request.start', tell)
  // What Node does where it has no file left to accept with.
  const server = await started.promise
  for (let count = 0; count < 3; count++) server.emit('error', new Error('accept EMFILE'))
  connection.send(get('/'))
  assert.equal((await connection.answer()).status, 200)
  assert.deepEqual(
    log.map(({ message }) => message),
    ['A connection could not be accepted.'],
  )
  connection.destroy()
})

test('as many may wait to be let in as Linux allows: a client that finds no place tries again in seconds', async (t) => {
  const backlogs: unknown[] = []
  const note = (message: unknown) => backlogs.push((message as { options: { backlog?: number } }).options.backlog)
  subscribe('tracing:net.server.listen:asyncStart', note)
  await startServer(t)
  unsubscribe('tracing:net.server.listen:asyncStart', note)
  assert.deepEqual(backlogs, [4_096])
})

describe('connections', () => {
  const rows: [
    name: string,
    limits: { connections: number; connectionsPerAddress: number },
    trusted: boolean,
    isMet: boolean,
  ][] = [
    ['of everybody', { connections: 2, connectionsPerAddress: 9 }, false, true],
    ['of one address', { connections: 9, connectionsPerAddress: 2 }, false, true],
    ['of a proxy that speaks for many', { connections: 9, connectionsPerAddress: 2 }, true, false],
  ]
  for (const [name, limits, trusted, isMet] of rows) {
    test(`${name}: one too many is ${isMet ? '503, and there is room when another ends' : 'none too many'}`, async (t) => {
      const trustProxy = parseTrustProxy(trusted ? '127.0.0.1' : undefined)
      const { port } = await startServer(t, { limits, trustProxy })
      const [, first] = await sendRaw(port, get('/'))
      const [, second] = await sendRaw(port, get('/'))
      const third = new RawConnection(port)
      if (isMet) {
        const refused = await third.answer()
        assertFailure(refused, 503, 'SERVICE_UNAVAILABLE')
        assert.equal(refused.headers['retry-after'], '2')
        await third.closed()
        first.destroy()
        await once(first.socket, 'close')
        // The server hears of it in one of its next turns.
        await turns(5)
      }
      const [answer, fourth] = await sendRaw(port, get('/'))
      assert.equal(answer.status, 200)
      for (const each of [first, second, third, fourth]) each.destroy()
    })
  }
})
