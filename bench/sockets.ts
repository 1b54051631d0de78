// `node --conditions=duet-source bench/sockets.ts`: what idle subscribers cost, and how long an event takes to reach them.
// The service has this process for itself; its clients are in another one.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { api } from '../reference/service.ts'
import { User } from '../reference/user.ts'
import { silentLog } from '../src/observation/log.ts'
import { readConfiguration } from '../src/service/configuration/configuration.ts'
import { startService } from '../src/service/service.ts'
import { sized } from './scale.ts'

const idle = sized(10_000, 20)
const listeners = sized(1_000, 20)
const events = sized(20, 2)
const plenty = '1000000000'
const password = 'bench-password'

const service = await startService(api, {
  configuration: readConfiguration({
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    LIMIT_IP_PER_MINUTE: plenty,
    LIMIT_USER_PER_HOUR: plenty,
  }),
  log: silentLog,
  clock: () => new Date(),
  demo: {
    password,
    fill(seed, passwordHash) {
      const createdAt = new Date()
      seed.create(User, {
        name: 'Writer',
        email: 'writer@example.com',
        role: 'EDITOR',
        password: passwordHash,
        createdAt,
      })
    },
  },
})
const token = await signIn()
await write('warm')

const client = fork(new URL('subscribers.ts', import.meta.url), [service.url])
const next = async <T>(): Promise<T> => ((await once(client, 'message')) as [T])[0]

const before = residentBytes()
client.send({ open: idle, query: 'subscription { postPublished { id } }' })
await next()
const perSubscriber = (residentBytes() - before) / idle
client.send({})
await next()

client.send({ open: listeners, query: 'subscription { postCreated { id title author { name } } }' })
await next()
const [answered, heardOf]: [number[], number[]] = [[], []]
for (let count = 0; count < events; count++) {
  const heard = next<{ at: number }>()
  const sentAt = performance.timeOrigin + performance.now()
  await write(`event ${count}`)
  answered.push(performance.timeOrigin + performance.now() - sentAt)
  heardOf.push((await heard).at - sentAt)
}
client.kill()
await service.stop()
process.stdout.write(
  `${idle} idle subscribers: ${(perSubscriber / 1024).toFixed(1)} KiB of resident memory each.\n` +
    `${listeners} equal subscribers: from sending a write to the last of them hearing of it ${spread(heardOf)}; ` +
    `to its own answer ${spread(answered)}.\n`,
)

/** Median and maximum, in milliseconds. */
function spread(times: readonly number[]): string {
  const sorted = times.toSorted((left, right) => left - right)
  return `${sorted[Math.floor(sorted.length / 2)]!.toFixed(1)} ms (at most ${sorted.at(-1)!.toFixed(1)} ms)`
}

async function signIn(): Promise<string> {
  const answer = await fetch(`${service.url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'writer@example.com', password }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

async function write(title: string): Promise<void> {
  const answer = await fetch(`${service.url}/api/v2/posts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ title, content: 'Words.', publish: true }),
  })
  if (answer.status !== 201) throw new Error(`A post is answered ${answer.status}: ${await answer.text()}`)
}

/** After a collection where Node was started with --expose-gc. */
function residentBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage.rss()
}
