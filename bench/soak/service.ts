// The service that the soak runs against, in a process of its own: the reference service with its limits, on a file. The
// rate limits are raised, for all traffic comes from one address.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Post } from '../../reference/post.ts'
import { api } from '../../reference/service.ts'
import { User } from '../../reference/user.ts'
import { createLog } from '../../src/observation/log.ts'
import { readConfiguration } from '../../src/service/configuration.ts'
import { startService } from '../../src/service/service.ts'
import { makePosts, makeUsers } from '../data.ts'

const folder = mkdtempSync(join(tmpdir(), 'duet-soak-'))
const plenty = '1000000000'
const users = 100
const service = await startService(api, {
  configuration: readConfiguration({
    PORT: '0',
    DATABASE_URL: process.env['BENCH_DATABASE_URL'] ?? `sqlite:${join(folder, 'soak.db')}`,
    LIMIT_IP_PER_MINUTE: plenty,
    LIMIT_USER_PER_HOUR: plenty,
    LIMIT_LOGIN_PER_MINUTE: plenty,
    LIMIT_FORGOT_PASSWORD_PER_MINUTE: plenty,
  }),
  log: createLog({
    json: true,
    write: (line) => void (line.includes('"level":"error"') && process.stderr.write(line)),
  }),
  clock: () => new Date(),
  demo: {
    password: 'soak-password',
    fill(seed, password) {
      const ids = makeUsers(users).map((user) => seed.create(User, { ...user, role: 'EDITOR', password }))
      for (const { author, ...post } of makePosts(2_000, users)) {
        seed.create(Post, { ...post, author: ids[author]!, publishedAt: post.createdAt })
      }
      // As large as content may be, and first in lists: what hostile traffic asks for again and again.
      const long = { content: 'Words. '.repeat(7_142), author: ids[0]! }
      for (let at = 0; at < 100; at++) {
        const createdAt = new Date(Date.now() + at)
        seed.create(Post, { ...long, title: `Long ${at}`, createdAt, publishedAt: createdAt })
      }
    },
  },
})
process.send?.({ url: service.url })
// Whoever asks is told how much memory is held when everything that can be is given back.
process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  process.send?.({ heapBytes: heapUsed + arrayBuffers, residentBytes: rss })
})
process.once('SIGTERM', async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
  process.exit(0)
})
