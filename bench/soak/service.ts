// The service that the soak runs against, in a process of its own: the reference service with its limits, on a file. The
// rate limits are raised, for all traffic comes from one address.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyone, route } from 'duet-api'
import { Post } from '../../reference/post.ts'
import { api } from '../../reference/service.ts'
import { User } from '../../reference/user.ts'
import { createLog } from '../../src/observation/log.ts'
import { readConfiguration } from '../../src/service/configuration/configuration.ts'
import { startService } from '../../src/service/service.ts'
import { dataKey } from '../../test/support/server/data-key.ts'
import { makePosts, makeUsers } from '../data.ts'
import { sized } from '../scale.ts'

/** A streamed answer whose producer never waits, for as long as this. */
const streamMs = 2_000
const pieces = route('GET', '/api/v2/soak/pieces', {
  summary: 'Stream without a pause',
  access: anyone,
  answer: 'text/plain',
  async *handle() {
    const endsAt = performance.now() + streamMs
    while (performance.now() < endsAt) yield ''
    yield '{}'
  },
})

const folder = mkdtempSync(join(tmpdir(), 'duet-soak-'))
const plenty = '1000000000'
const users = 100
const definition = { ...api, routes: [pieces] } as typeof api
const service = await startService(definition, {
  configuration: readConfiguration({
    PORT: '0',
    DATA_KEY: dataKey,
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
      for (const { author, ...post } of makePosts(sized(2_000, 100), users)) {
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
// Reports how much memory is in use when everything that can be is given back.
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
