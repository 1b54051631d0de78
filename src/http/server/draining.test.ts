// How a server stops: what runs, what waits and what has just arrived.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { type RawAnswer, RawConnection, sendRaw } from '../../../test/support/client/raw-http.ts'
import { gate, startServer } from '../../../test/support/server/http-server.ts'

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const pathOf = ({ body }: RawAnswer): string => JSON.parse(body.toString()).data.path

/** Whether a new connection can be made. */
async function accepts(port: number): Promise<boolean> {
  const { socket } = new RawConnection(port)
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isConnected
}

describe('draining (contract 0.3.1)', () => {
  test('whatever was sent behind a running request is answered, and the last answer ends the connection', async (t) => {
    const { answer, reached, release } = gate()
    const { port, server } = await startServer(t, { answer })
    const put = 'PUT /slow HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const connection = new RawConnection(port).send(put + get('/second') + put.replace('/slow', '/third'))
    await reached
    const closing = server.close()
    release()
    for (const [path, state] of [
      ['/slow', 'keep-alive'],
      ['/second', 'keep-alive'],
      ['/third', 'close'],
    ]) {
      const each = await connection.answer()
      assert.deepEqual([pathOf(each), each.headers['connection']], [path, state])
    }
    await connection.closed()
    await closing
  })

  test('lets what runs finish, closes what is idle, and accepts nothing', async (t) => {
    const { answer, reached, release } = gate()
    const { port, server } = await startServer(t, { answer, limits: { drainMs: 60_000 } })
    const [, idle] = await sendRaw(port, get('/'))
    const silent = new RawConnection(port)
    await once(silent.socket, 'connect')
    const running = new RawConnection(port).send(get('/slow'))
    await reached
    const closing = server.close()
    await Promise.all([idle.closed(), silent.closed()])
    const late = new RawConnection(port)
    await late.closed()
    release()
    const last = await running.answer()
    assert.equal(pathOf(last), '/slow')
    assert.equal(last.headers['connection'], 'close')
    await running.closed()
    await closing
  })

  test('0.3.5 what waits to be accepted when listening ends is answered, though one is accepted per turn', async (t) => {
    const { port, server } = await startServer(t)
    const waiting = Array.from({ length: 20 }, () => new RawConnection(port).send(get('/')))
    // The system connects them before Node accepts them, on a busy machine not at once.
    await Promise.all(waiting.map(({ socket }) => once(socket, 'connect')))
    const closing = server.close()
    for (const each of waiting) {
      assert.equal((await each.answer()).status, 200)
      await each.closed()
    }
    await closing
  })

  test('connections that come without end keep no server listening', async (t) => {
    const { port, server } = await startServer(t, { limits: { catchUpMs: 50 } })
    const crowd = Array.from({ length: 4 }, async () => {
      while (await accepts(port));
    })
    await server.close()
    await Promise.all(crowd)
  })

  for (const [who, isNew] of [
    ['a connection that was idle', false],
    ['a new connection', true],
  ] as const) {
    test(`0.3.5 a request that has arrived when ${who} is to be closed is answered`, async (t) => {
      const { port, server } = await startServer(t, { limits: { lingerMs: 50 } })
      const connection = new RawConnection(port)
      await once(connection.socket, 'connect')
      if (!isNew) await connection.send(get('/')).answer()
      const closing = server.close(50)
      // Until listening has ended: nothing waits to be accepted.
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      const sentAt = performance.now()
      connection.send(get('/last'))
      // When the event loop goes on, its timers are overdue, and the request is in the buffer of the system.
      while (performance.now() < sentAt + 60);
      const { status, headers } = await connection.answer()
      assert.deepEqual([status, headers['connection']], [200, 'close'])
      await connection.closed()
      await closing
    })
  }

  test('waits no longer than it may', async (t) => {
    const { answer, reached } = gate()
    const { port, server } = await startServer(t, { answer, limits: { drainMs: 20 } })
    const running = new RawConnection(port).send(get('/slow'))
    await reached
    await server.close()
    await running.closed()
  })

  test('listening on a port in use is refused', async (t) => {
    const { port, server } = await startServer(t)
    await assert.rejects(server.listen(port, '127.0.0.1'), { code: 'ERR_SERVER_ALREADY_LISTEN' })
    const other = await startServer(t)
    await other.server.close()
    await assert.rejects(other.server.listen(port, '127.0.0.1'), { code: 'EADDRINUSE' })
  })
})
