// The Redis that tests share, and servers of their own for tests that take Redis away.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from './free-port.ts'

/** Holds no data that anybody needs. Tests keep to a prefix of their own and remove what they wrote. */
export const redisUrl = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'

const { hostname, port } = new URL(redisUrl)

/** For `{ skip }`: false if Redis answers, otherwise what to start. In CI a missing Redis is an error. */
export const withoutRedis = async (): Promise<false | string> =>
  (await answersPing(hostname, Number(port || 6379))) ? false : missing()

/** For `{ skip }`: false if a test can start a Redis of its own. In CI a missing program is an error. */
export const withoutRedisServer = (): false | string =>
  spawnSync('redis-server', ['--version']).status === 0 ? false : missing()

/** One sentence for both, since a run prints each once. */
function missing(): string {
  const sentence = `Install redis-server, and start it at ${hostname}:${port || 6379} or name another in TEST_REDIS_URL.`
  if (process.env['CI'] === 'true') throw new Error(sentence)
  return sentence
}

export interface RedisServer {
  readonly url: string
  /** Starts it again on the same port, empty. */
  start(): Promise<void>
  /** Ends it without a farewell. */
  kill(): Promise<void>
  /** It stays connected and answers nothing until resumed. */
  freeze(): void
  resume(): void
}

/** A Redis on a free port that keeps nothing on disk. Kill it when done. */
export async function startRedisServer(): Promise<RedisServer> {
  const port = await freePort()
  let running: ChildProcess | undefined
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      running = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'])
      running.stdout?.resume()
      const giveUpAt = Date.now() + 10_000
      while (!(await answersPing('127.0.0.1', port))) {
        if (Date.now() > giveUpAt || running.exitCode !== null) throw new Error(`No Redis came up on port ${port}.`)
        await wait(10)
      }
    },
    async kill() {
      if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
    },
    freeze: () => running?.kill('SIGSTOP'),
    resume: () => running?.kill('SIGCONT'),
  }
  await server.start()
  return server
}

function answersPing(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 })
    const settle = (answered: boolean) => {
      resolve(answered)
      socket.destroy()
    }
    socket.on('connect', () => socket.write('PING\r\n'))
    socket.on('data', (bytes) => settle(bytes.toString().startsWith('+PONG')))
    socket.on('timeout', () => settle(false))
    socket.on('error', () => settle(false))
  })
}
