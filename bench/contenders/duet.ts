// The reference service as it is shipped, on a database file of its own.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { json } from 'node:stream/consumers'
import { Post } from '../../reference/post.ts'
import { api } from '../../reference/service.ts'
import { User } from '../../reference/user.ts'
import { http } from '../../src/dependency/node-http.ts'
import { silentLog } from '../../src/observation/log.ts'
import { startService } from '../../src/service/service.ts'
import { makePosts, makeUsers } from '../data.ts'
import type { Ids } from '../workloads.ts'
import { configurationOn, password } from './configuration.ts'

const folder = mkdtempSync(join(tmpdir(), 'duet-bench-'))
const databaseUrl = process.env['BENCH_DATABASE_URL'] ?? `sqlite:${join(folder, 'bench.db')}`
let ids: Ids = { postIds: [], authorIds: [] }
const host = process.env['BENCH_HOST'] ?? 'own'
const open = host === 'own' ? startService : (await import('./host.ts')).startBehind(host)
const service = await open(api, {
  configuration: configurationOn(databaseUrl),
  log: silentLog,
  clock: () => new Date(),
  demo: {
    password,
    fill(seed, passwordHash) {
      const users = makeUsers().map(({ name, email, createdAt }) =>
        seed.create(User, { name, email, role: 'EDITOR', password: passwordHash, createdAt }),
      )
      const posts = makePosts().map(({ author, ...post }) =>
        seed.create(Post, { ...post, author: users[author]!, publishedAt: post.createdAt }),
      )
      ids = { postIds: posts.filter((_, index) => index % 20 === 0), authorIds: users }
    },
  },
})
// Not by fetch: it would be compiled, and stay in the memory of a service that has no use for it.
const login = http
  .request(`${service.url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    agent: false,
  })
  .end(JSON.stringify({ email: 'user0@example.com', password }))
const [answer] = (await once(login, 'response')) as [IncomingMessage]
const { access_token: token } = (await json(answer)) as { access_token: string }
// Replies to each message with the longest stall of the event loop since the last one, in milliseconds.
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('message', () => {
  process.send?.({ stallMs: delay.max / 1e6 })
  delay.reset()
})
process.once('SIGTERM', async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
  process.exit(0)
})
// Last: its receiver may end this process at once, and what Node compiled is stored only where the signal is listened to.
process.send?.({ url: service.url, token, ...ids })
