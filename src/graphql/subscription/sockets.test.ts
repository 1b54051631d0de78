import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { SharedRoom } from '../../budget/answer-room.ts'
import { createLiveConnections } from '../../event/stream/live-connections.ts'
import type { Failure } from '../../failure/failure.ts'
import { defaultLimits } from '../../limits.ts'
import { createSockets, type SocketsDependencies } from './sockets.ts'

/** Sockets behind a bare server. What is refused at once needs nothing else of its surroundings. */
async function listening(t: TestContext) {
  const answers = new SharedRoom(0)
  const clock = () => new Date()
  const limits = { ...defaultLimits, frameBytes: 1_000, socketTickMs: 60_000 }
  const connections = createLiveConnections({ answers, clock, limits })
  const sockets = createSockets({ limits, answers, clock, connections } as unknown as SocketsDependencies)
  const refused: Failure[] = []
  const server = createServer().on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    try {
      sockets.accept(
        { request, socket, head },
        {
          requestId: 'r',
          address: '',
          agent: null,
          takes: () => ({ takeRequests: async () => {}, takeRoute: async () => {} }),
        },
      )
    } catch (error) {
      refused.push(error as Failure)
      socket.end()
    }
  })
  t.after(async () => {
    connections.close()
    await sockets.close()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { connections, refused, port }
}

/** Sends an upgrade with these headers and then these bytes; answers all that comes back. */
async function upgrade(port: number, headers: readonly string[], then = ''): Promise<string> {
  const client = connect(port, '127.0.0.1')
  let answer = ''
  client.setEncoding('latin1').on('data', (text) => {
    answer += text
  })
  const head = ['GET / HTTP/1.1', 'Host: x', 'Upgrade: websocket', 'Connection: Upgrade', ...headers]
  client.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(then, 'hex')]))
  await once(client, 'close')
  return answer
}
const version = 'Sec-WebSocket-Version: 13'
const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='

test('a frame that is none, after an upgrade without a known subprotocol, ends that connection and nothing else (contract 6.2.1)', async (t) => {
  const { connections, port } = await listening(t)
  const answer = await upgrade(port, [version, key], 'ffffffffff')
  assert.match(answer, /^HTTP\/1\.1 101 [\s\S]+Use the subprotocol graphql-transport-ws\.$/)
  assert.equal(connections.count('socket'), 0)
})

test('7.2.7 a handshake that is none is a failure of ours, not an answer of the library', async (t) => {
  const { refused, port } = await listening(t)
  for (const headers of [
    [version],
    [version, 'Sec-WebSocket-Key: x'],
    [key],
    [key, 'Sec-WebSocket-Version: 99'],
    [key, version, 'Sec-WebSocket-Protocol: a,,b'],
  ]) {
    assert.equal(await upgrade(port, headers), '', headers.join())
    assert.equal(refused.pop()?.code, 'VALIDATION_ERROR', headers.join())
  }
})
