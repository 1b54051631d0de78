// A service whose posts are searched, on a database that it fills where that is empty.

import { silentLog } from '../../src/observation/log.ts'
import { startService } from '../../src/service/service.ts'
import { makePosts, makeUsers } from '../data.ts'
import { api, Post, User } from '../searched.ts'
import { configurationOn, password } from './configuration.ts'

const words = 97
/** Half an hour after the one before, so that they are of many months. */
const apartMs = 1_800_000
const begin = Date.UTC(2026, 0, 1)

const service = await startService(api, {
  configuration: configurationOn(process.env['BENCH_DATABASE_URL']!),
  log: silentLog,
  clock: () => new Date(),
  demo: {
    password,
    fill(seed, passwordHash) {
      const users = makeUsers().map((user) => seed.create(User, { ...user, password: passwordHash }))
      for (const [index, { title, content, author }] of makePosts().entries()) {
        const createdAt = new Date(begin + index * apartMs)
        const text = `${content} word${index % words}`
        seed.create(Post, { title, content: text, author: users[author]!, publishedAt: createdAt, createdAt })
      }
    },
  },
})
process.once('SIGTERM', async () => {
  await service.stop()
  process.exit(0)
})
process.send?.({ url: service.url })
