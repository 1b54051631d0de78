// Platformatic DB on a copy of the database that Duet filled: REST and GraphQL, made of its tables.

import { join } from 'node:path'
import { argv } from 'node:process'
import { create } from '@platformatic/db'

const [connectionString, isAsked] = argv.slice(2)
const server = await create(import.meta.dirname, {
  server: { hostname: '127.0.0.1', port: 0, logger: { level: 'silent' } },
  db: {
    connectionString,
    include: { users: true, posts: true },
    // The authors of 20 × 10 posts are more than the hundred records that one query may give otherwise.
    limit: { max: 1000 },
    openapi: true,
    graphql: { graphiql: false },
    events: false,
  },
  ...(isAsked === undefined ? {} : { plugins: { paths: [join(import.meta.dirname, 'by-hand.ts')] } }),
  watch: false,
})
await server.start({ listen: true })
// It listens on every address, whatever it is told.
process.once('SIGTERM', () => process.exit(0))
process.send({ url: server.url.replace('0.0.0.0', '127.0.0.1') })
