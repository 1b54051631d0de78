// Stopping: a service that is told to end finishes what runs, and is gone in time whatever its clients do. (contract 0.3)

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { repository } from '../support/command.ts'
import { RawConnection } from '../support/raw-http.ts'
import { startProcess } from '../support/service-process.ts'
import { TestSocket } from '../support/socket.ts'

const handshake =
  'GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n'
const body = JSON.stringify({ email: 'nobody@example.com', password: 'wrong password' })
const login = `POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

test('0.3.1 SIGTERM ends the process in time and with 0, whoever is mute, and lets requests finish', async () => {
  const service = startProcess(['--conditions=duet-source', 'reference/main.ts'], {
    folder: repository,
    environment: { DATABASE_URL: 'sqlite::memory:', DEMO_DATA: 'off' },
  })
  const url = await service.listening()
  const connect = () => new RawConnection(Number(new URL(url).port))
  const socket = await TestSocket.ready(url)
  const [silent, half, upgraded, running] = [connect(), connect(), connect(), connect()]
  await once(silent.socket, 'connect')
  half.send('GET /health HT')
  upgraded.send(handshake)
  assert.equal((await upgraded.answer()).status, 101)
  running.send(login + body.slice(0, 10))
  await socket.settled()

  const begun = performance.now()
  const ended = service.end('SIGTERM')
  assert.equal(await socket.closed, 1001)
  const again = service.end('SIGTERM')
  running.send(body.slice(10))
  const answer = await running.answer()
  assert.deepEqual([answer.status, answer.headers['connection']], [401, 'close'])
  assert.deepEqual([await ended, await again], [0, 0], service.printed())
  // Far from the ten seconds, of which only what runs may take its part.
  assert(performance.now() - begun < 5_000, `${performance.now() - begun} ms`)
  for (const each of [silent, half, upgraded, running]) each.destroy()
})
