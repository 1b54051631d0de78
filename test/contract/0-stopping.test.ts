// Stopping: a service that is told to end finishes what runs, and is gone in time whatever its clients do. (contract 0.3)

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { TestStream } from '../support/client/event-stream.ts'
import { RawConnection, sendRaw } from '../support/client/raw-http.ts'
import { TestSocket } from '../support/client/websocket.ts'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { startProcess } from '../support/process/service-process.ts'
import { dataKey } from '../support/server/data-key.ts'
import { createDatabase, postgresMissing } from '../support/server/databases.ts'
import { freePort } from '../support/server/free-port.ts'

const handshake =
  'GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n'
const body = JSON.stringify({ email: 'nobody@example.com', password: 'wrong password' })
const login = `POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

function start(t: TestContext, environment: Readonly<Record<string, string>> = {}, program = 'reference/main.ts') {
  const service = startProcess(programArguments(program), {
    folder: repository,
    environment: { DATABASE_URL: 'sqlite::memory:', DEMO_DATA: 'off', ...environment },
  })
  t.after(() => service.end('SIGKILL'))
  return service
}
/** With an hour for stopping: it ends only if it does not wait for its clients. */
const startPatient = (t: TestContext) => start(t, {}, 'test/support/process/patient-main.ts')
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

// Each waits for a process of its own.
describe('0.3 Stopping', { concurrency: 3 }, () => {
  test('0.3.1 SIGTERM ends the process in time and with 0, even if a client is mute, and lets requests finish', async (t) => {
    const service = startPatient(t)
    const url = await service.listening()
    const connect = () => new RawConnection(Number(new URL(url).port))
    const socket = await TestSocket.ready(url)
    const stream = await TestStream.open(`${url}/api/v2/event-stream?events=postCreated`)
    const [silent, half, upgraded, running] = [connect(), connect(), connect(), connect()]
    await once(silent.socket, 'connect')
    half.send('GET /health HT')
    upgraded.send(handshake)
    assert.equal((await upgraded.answer()).status, 101)
    running.send(login + body.slice(0, 10))
    await socket.settled()

    const ended = service.end('SIGTERM')
    assert.equal(await socket.closed, 1001)
    assert.equal(await stream.ended, 'complete')
    running.send(body.slice(10))
    const answer = await running.answer()
    assert.deepEqual([answer.status, answer.headers['connection']], [401, 'close'])
    assert.equal(await ended, 0, service.printed())
    for (const each of [silent, half, upgraded, running]) each.destroy()
  })

  test('0.3.2 a connected client is served, and asked to reconnect elsewhere, before anything ends', async (t) => {
    const service = start(t, { DRAIN_SECONDS: '3' })
    const port = Number(new URL(await service.listening()).port)
    const connect = () => new RawConnection(port)
    const [kept, idle] = [connect(), connect()]
    for (const each of [kept, idle]) {
      const { status, headers } = await each.send(get('/health/ready')).answer()
      assert.deepEqual([status, headers['connection']], [200, 'keep-alive'])
    }

    const begun = performance.now()
    const ended = service.end('SIGTERM')
    for (let status = 200; status === 200; await pause(5)) {
      const [answer, connection] = await sendRaw(port, get('/health/ready'))
      connection.destroy()
      status = answer.status
    }
    // Only now: a connection that was accepted before the signal arrived ends with its next answer.
    const late = connect()
    const ready = async () => await late.send(get('/health/ready')).answer()
    const { status, headers, body } = await ready()
    const { data } = JSON.parse(body.toString())
    assert.deepEqual(
      [status, headers['retry-after'], data],
      [503, '1', { status: 'draining', dependencies: { database: 'ok' } }],
    )
    assert.equal(headers['connection'], 'keep-alive', 'a balancer that does not ask would connect again and again')
    const last = await kept.send(get('/api/v2/posts')).answer()
    assert.deepEqual([last.status, last.headers['connection']], [200, 'close'])
    await kept.closed()

    let isIdleOpen = true
    const idleClosed = idle.closed().then(() => {
      isIdleOpen = false
    })
    // Until nobody can connect any more; those who are connected still can ask.
    for (let refused = false; !refused; await pause(20)) {
      const socket = connect().socket
      refused = await once(socket, 'connect').then(
        () => false,
        () => true,
      )
      socket.destroy()
    }
    assert(performance.now() - begun > 1_500, 'it listens for most of the time')
    assert(isIdleOpen)
    assert.deepEqual((await ready()).headers['connection'], 'close')
    await idleClosed
    assert.equal(await ended, 0, service.printed())
    late.destroy()
    const tookMs = performance.now() - begun
    assert(tookMs > 2_500, `${tookMs} ms`)
  })

  for (const second of ['SIGTERM', 'SIGINT'] as const) {
    test(`0.3.3 a second signal, ${second}, ends the process at once`, async (t) => {
      const service = startPatient(t)
      const running = new RawConnection(Number(new URL(await service.listening()).port))
      await once(running.socket, 'connect')
      // What has been sent by now is read before listening ends. (contract 0.3.5)
      running.send(login + body.slice(0, 10))
      const ended = service.end('SIGTERM')
      await service.printing('Stopping.')
      await pause(400)
      void service.end(second)
      assert.equal(await ended, second === 'SIGTERM' ? 143 : 130, service.printed())
      running.destroy()
    })
  }

  for (const mode of ['production', 'development']) {
    test(`0.3.3 in ${mode}, SIGTERM ends the process where the reader of the log has stalled`, async () => {
      const port = await freePort()
      const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...inherited } = process.env
      const child = spawn(process.execPath, programArguments('reference/main.ts'), {
        cwd: repository,
        env: {
          ...inherited,
          NODE_ENV: mode,
          HOST: '127.0.0.1',
          PORT: `${port}`,
          BASE_URL: `http://127.0.0.1:${port}`,
          DATABASE_URL: 'sqlite::memory:',
          DATA_KEY: dataKey,
          DRAIN_SECONDS: '0',
          LIMIT_IP_PER_MINUTE: '0',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      child.stdout!.pause()
      let connection: RawConnection | null = null
      try {
        while ((await fetch(`http://127.0.0.1:${port}/health`).catch(() => null)) === null) await pause(50)
        connection = new RawConnection(port)
        // More than a pipe takes.
        for (let round = 0; round < 40; round++) {
          connection.send(get('/health').repeat(50))
          for (let count = 0; count < 50; count++) await connection.answer()
        }
        await pause(200)
        const closed = once(child, 'exit')
        child.kill('SIGTERM')
        assert.deepEqual((await closed)[0], 0)
      } finally {
        connection?.destroy()
        child.kill('SIGKILL')
        // What it has not read would keep the pipe open.
        child.stdout!.destroy()
      }
    })
  }

  for (const engine of ['sqlite', 'postgres'] as const) {
    test(`0.3.4 on ${engine}`, { skip: engine === 'postgres' && postgresMissing }, async (t) => {
      const database = await createDatabase(engine)
      const url = engine === 'sqlite' ? database.url : database.url.replace(/\/\/(?:[^@/]*@)?/, '//postgres:planted@')
      const environment = {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        BASE_URL: 'http://localhost',
        DRAIN_SECONDS: '0',
      }
      const service = start(t, { ...environment, DATABASE_URL: url })
      await service.printing('Listening.')
      assert.equal(await service.end('SIGTERM'), 0, service.printed())
      const lines = service
        .printed()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const [started] = lines
      assert.match(started.version, /^\d+\.\d+\.\d+/)
      assert.equal(started.node, process.version)
      assert.equal(started.database, url.replace('postgres:planted@', ''))
      assert.deepEqual(
        lines.map(({ msg, signal }) => [msg, signal]),
        [
          ['Listening.', undefined],
          ['Stopping.', 'SIGTERM'],
          ['Stopped.', undefined],
        ],
      )
      assert(!service.printed().includes('planted'))
      await database.drop()
    })
  }
})
