// The REST contender: Fastify with schemas, hand-written SQL and a verified token, on a copy of Duet's database file.
// It has no rate limit, ETag, idempotency, rules or security headers: that is what Duet does beyond it.

import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { argv } from 'node:process'
import jwt from '@fastify/jwt'
import Database from 'better-sqlite3'
import fastify from 'fastify'

const [path, synchronous, algorithm, userId] = argv.slice(2)
const database = new Database(path)
database.pragma('journal_mode = wal')
database.pragma(`synchronous = ${synchronous}`)
database.pragma('foreign_keys = on')
database.pragma('cache_size = -64000')
database.pragma('mmap_size = 268435456')

const columns = 'id, title, content, tags, author_id, published_at, created_at, updated_at'
const published = 'deleted_at is null and published_at is not null'
const byId = database.prepare(`select ${columns} from posts where id = ? and ${published}`)
const ofAuthor = database.prepare(
  `select ${columns} from posts where author_id = ? and ${published} order by created_at desc, id desc limit 20 offset ?`,
)
const countOfAuthor = database.prepare(`select count(*) from posts where author_id = ? and ${published}`).pluck()
const insert = database.prepare(
  'insert into posts (id, title, content, tags, author_id, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)',
)

const text = { type: 'string' }
const post = {
  type: 'object',
  properties: {
    id: text,
    title: text,
    content: text,
    tags: { type: 'array', items: text },
    author_id: text,
    published_at: { type: 'string', nullable: true },
    created_at: text,
    updated_at: text,
  },
}
const one = { type: 'object', properties: { data: post } }
const many = {
  type: 'object',
  properties: { data: { type: 'array', items: post }, meta: { type: 'object', additionalProperties: true } },
}
const newPost = {
  type: 'object',
  required: ['title', 'content'],
  additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200 },
    content: { type: 'string', maxLength: 50_000 },
    tags: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 30 } },
  },
}
const show = (row) => ({ ...row, tags: JSON.parse(row.tags) })

const keys = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const server = fastify()
await server.register(jwt, {
  secret: algorithm === 'ES256' ? { private: keys.privateKey, public: keys.publicKey } : randomUUID() + randomUUID(),
  sign: { algorithm, expiresIn: '1h' },
  verify: { algorithms: [algorithm] },
})
const verifyToken = async (request) => {
  if (request.headers.authorization !== undefined) await request.jwtVerify()
}

server.get(
  '/api/v2/posts/:id',
  { onRequest: verifyToken, schema: { response: { 200: one } } },
  async (request, reply) => {
    const row = byId.get(request.params.id)
    if (row === undefined) return reply.code(404).send()
    return { data: show(row) }
  },
)
server.get('/api/v2/posts', { onRequest: verifyToken, schema: { response: { 200: many } } }, async (request) => {
  const { author_id, page } = request.query
  const rows = ofAuthor.all(author_id, (page - 1) * 20)
  return { data: rows.map(show), meta: { total: countOfAuthor.get(author_id) } }
})
server.post(
  '/api/v2/posts',
  { onRequest: (request) => request.jwtVerify(), schema: { body: newPost, response: { 201: one } } },
  async (request, reply) => {
    const { title, content, tags = [] } = request.body
    const now = new Date().toISOString()
    const row = {
      id: `post_${Date.now().toString(36)}${randomBytes(8).toString('hex')}`,
      title,
      content,
      tags: JSON.stringify(tags),
      author_id: request.user.sub,
    }
    insert.run(row.id, title, content, row.tags, row.author_id, now, now)
    reply.code(201)
    return { data: { ...row, tags, published_at: null, created_at: now, updated_at: now } }
  },
)

const url = await server.listen({ port: 0, host: '127.0.0.1' })
process.once('SIGTERM', () => process.exit(0))
process.send({ url, token: server.jwt.sign({ sub: userId, role: 'EDITOR' }) })
