// The GraphQL contender: Mercurius with its compiler on, batched loaders that read only the columns asked for, a
// verified token and hand-written SQL, on a copy of Duet's database file. It has no limits, rules or cost checks.

import { randomBytes, randomUUID } from 'node:crypto'
import { argv } from 'node:process'
import jwt from '@fastify/jwt'
import Database from 'better-sqlite3'
import fastify from 'fastify'
import mercurius from 'mercurius'

const [path, synchronous, algorithm, userId] = argv.slice(2)
const database = new Database(path)
database.pragma('journal_mode = wal')
database.pragma(`synchronous = ${synchronous}`)
database.pragma('foreign_keys = on')
database.pragma('cache_size = -64000')
database.pragma('mmap_size = 268435456')

const schema = `
  type Query { post(id: ID!): Post users(first: Int!): Users! posts(first: Int!): Posts! }
  type Mutation { createPost(input: PostInput!): Post! }
  input PostInput { title: String! content: String! tags: [String!] }
  type Users { edges: [UserEdge!]! }
  type UserEdge { node: User! }
  type User { id: ID! name: String! posts(limit: Int!): [Post!]! }
  type Posts { edges: [PostEdge!]! pageInfo: PageInfo! }
  type PostEdge { cursor: String! node: Post! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Post { id: ID! title: String! content: String! tags: [String!]! author: User! }
`
const published = 'deleted_at is null and published_at is not null'
const postById = database.prepare(`select id, title, content, tags, author_id from posts where id = ? and ${published}`)
const users = database.prepare(
  'select id, name from users where deleted_at is null order by created_at desc, id desc limit ?',
)
const posts = database.prepare(
  `select id, title, author_id, created_at from posts where ${published} order by created_at desc, id desc limit ?`,
)
const usersById = database.prepare('select id, name from users where id in (select value from json_each(?))')
// A list of each user in one statement: the index on author and time gives every user's newest posts.
const postsOfUsers = database.prepare(`
  select u.value as owner, p.id, p.title, p.tags, p.author_id from json_each(?) u join posts p on p.id in (
    select id from posts where author_id = u.value and ${published} order by created_at desc, id desc limit ?)
  order by p.created_at desc, p.id desc`)
const insert = database.prepare(
  'insert into posts (id, title, content, tags, author_id, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)',
)
const cursor = ({ created_at, id }) => Buffer.from(JSON.stringify([created_at, id])).toString('base64url')

const server = fastify()
await server.register(jwt, { secret: randomUUID() + randomUUID(), sign: { algorithm: 'HS256', expiresIn: '1h' } })
server.register(mercurius, {
  schema,
  jit: 1,
  context: async (request) => ({
    user: request.headers.authorization === undefined ? null : await request.jwtVerify(),
  }),
  resolvers: {
    Query: {
      post: (_, { id }) => postById.get(id) ?? null,
      users: (_, { first }) => ({ edges: users.all(first).map((node) => ({ node })) }),
      posts(_, { first }) {
        const rows = posts.all(first + 1)
        const edges = rows.slice(0, first).map((node) => ({ cursor: cursor(node), node }))
        return { edges, pageInfo: { hasNextPage: rows.length > first, endCursor: edges.at(-1)?.cursor ?? null } }
      },
    },
    Mutation: {
      createPost(_, { input: { title, content, tags = [] } }, { user }) {
        if (user === null) throw new Error('Sign in first.')
        const now = new Date().toISOString()
        const row = {
          id: `post_${Date.now().toString(36)}${randomBytes(8).toString('hex')}`,
          title,
          content,
          tags: JSON.stringify(tags),
          author_id: user.sub,
        }
        insert.run(row.id, title, content, row.tags, row.author_id, now, now)
        return row
      },
    },
    Post: { tags: ({ tags }) => JSON.parse(tags) },
  },
  loaders: {
    User: {
      async posts(queries) {
        const { limit } = queries[0].params
        const rows = postsOfUsers.all(JSON.stringify(queries.map(({ obj }) => obj.id)), limit)
        const lists = Map.groupBy(rows, ({ owner }) => owner)
        return queries.map(({ obj }) => lists.get(obj.id) ?? [])
      },
    },
    Post: {
      async author(queries) {
        const ids = [...new Set(queries.map(({ obj }) => obj.author_id))]
        const found = new Map(usersById.all(JSON.stringify(ids)).map((user) => [user.id, user]))
        return queries.map(({ obj }) => found.get(obj.author_id))
      },
    },
  },
})
const url = await server.listen({ port: 0, host: '127.0.0.1' })
process.once('SIGTERM', () => process.exit(0))
process.send({ url, token: server.jwt.sign({ sub: userId, role: 'EDITOR' }), algorithm })
