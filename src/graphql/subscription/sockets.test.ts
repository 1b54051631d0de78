import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { createSockets, type SocketsContext } from './sockets.ts'

test('a frame that is none, after an upgrade without a known subprotocol, ends that connection and nothing else (6)', async (t) => {
  const limits = { frameBytes: 1_000, socketTickMs: 60_000 }
  // A connection that is refused at once needs nothing else of its surroundings.
  const sockets = createSockets({ limits, clock: () => new Date() } as SocketsContext)
  const server = createServer().on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    sockets.accept({ request, socket, head }, { requestId: 'r', takeRequests: async () => {} })
  })
  t.after(async () => {
    await sockets.close()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let answer = ''
  client.setEncoding('latin1').on('data', (text) => {
    answer += text
  })
  const head = [
    'GET / HTTP/1.1',
    'Host: x',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  client.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from('ffffffffff', 'hex')]))
  await once(client, 'end')
  client.end()
  await once(client, 'close')
  assert.match(answer, /^HTTP\/1\.1 101 [\s\S]+\r\n\r\n\x88.\x11\x36Speak graphql-transport-ws\.$/)
  assert.equal(sockets.size, 0)
})
