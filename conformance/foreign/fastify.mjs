// Notes and accounts, written by hand with Fastify and Mercurius: what a day of work makes of the contract.

import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import mercurius from 'mercurius'

const accounts = [
  { id: 'usr_1', email: 'ann@example.com', password: 'a password' },
  { id: 'usr_2', email: 'ben@example.com', password: 'a password' },
]
const notes = new Map()
const refreshTokens = new Map()
const secret = randomBytes(32)
const perPage = 20

class Problem extends Error {
  constructor(status, code, message, details) {
    super(message)
    Object.assign(this, { status, code, details })
  }
}
const invalid = (field, message) => new Problem(400, 'VALIDATION_ERROR', `${field}: ${message}`, [{ field, message }])
const missing = () => new Problem(404, 'NOT_FOUND', 'There is no such note.')

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (text) => createHmac('sha256', secret).update(text).digest('base64url')
function tokenOf(account) {
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: account.id, iat: now, nbf: now - 60, exp: now + 900, jti: randomUUID() }
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${text}.${signed(text)}`
}
function callerOf({ headers }) {
  const header = headers.authorization
  if (header === undefined) return null
  const token = /^Bearer (\S+)$/.exec(header)?.[1] ?? ''
  const at = token.lastIndexOf('.')
  if (signed(token.slice(0, at)) !== token.slice(at + 1))
    throw new Problem(401, 'INVALID_TOKEN', 'The token is not valid.')
  const { sub, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  if (exp * 1000 <= Date.now()) throw new Problem(401, 'TOKEN_EXPIRED', 'The token has expired.')
  return accounts.find(({ id }) => id === sub)
}
function requireCaller(request) {
  const caller = callerOf(request)
  if (caller === null) throw new Problem(401, 'UNAUTHENTICATED', 'Sign in to do this.')
  return caller
}

const answered = ({ id, title, owner_id, created_at, updated_at }) => ({ id, title, owner_id, created_at, updated_at })
const etagOf = ({ version }) => `"${version}.0"`
function readInput(body, isWhole) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Problem(400, 'VALIDATION_ERROR', 'The body must be a JSON object.')
  const other = Object.keys(body).find((name) => name !== 'title')
  if (other !== undefined) throw invalid(other, 'There is no such field.')
  if (body.title === undefined && !isWhole) throw new Problem(400, 'VALIDATION_ERROR', 'Nothing is sent.')
  if (typeof body.title !== 'string' || body.title.length < 1) throw invalid('title', 'Must be text.')
  if ([...body.title].length > 100) throw invalid('title', 'At most 100 characters.')
  return body
}
function create(body, caller) {
  const { title } = readInput(body, true)
  const now = new Date().toISOString()
  const id = `note_${[...randomBytes(26)].map((byte) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[byte % 32]).join('')}`
  const note = { id, title, owner_id: caller.id, created_at: now, updated_at: now, version: 1 }
  notes.set(id, note)
  return note
}
function find(id, caller) {
  const note = notes.get(id)
  if (note === undefined || note.owner_id !== caller?.id) throw missing()
  return note
}
function change(note, body) {
  Object.assign(note, readInput(body, false), { updated_at: new Date().toISOString(), version: note.version + 1 })
  return note
}
const readable = (caller) => [...notes.values()].filter(({ owner_id }) => owner_id === caller?.id).reverse()
function listOf(query, caller) {
  const other = Object.keys(query).find((name) => !['page', 'per_page', 'limit'].includes(name))
  if (other !== undefined) throw invalid(other, 'There is no such parameter.')
  const size = Number(query.per_page ?? query.limit ?? perPage)
  const page = Number(query.page ?? 1)
  if (!Number.isInteger(size) || size < 1 || size > 100) throw invalid('per_page', 'From 1 to 100.')
  if (!Number.isInteger(page) || page < 1) throw invalid('page', 'At least 1.')
  const all = readable(caller)
  const data = all.slice((page - 1) * size, page * size).map(answered)
  const total_pages = Math.ceil(all.length / size)
  const meta = {
    page,
    per_page: size,
    total: all.length,
    total_pages,
    has_next: page < total_pages,
    has_prev: page > 1,
  }
  return { data, meta }
}

const app = Fastify({ bodyLimit: 1_048_576 })
app.addHook('onSend', async (request, reply, payload) => {
  const sent = request.headers['x-request-id']
  reply.header('X-Request-ID', /^[A-Za-z0-9._-]{1,128}$/.test(sent ?? '') ? sent : randomUUID())
  if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store')
  reply.header('X-Content-Type-Options', 'nosniff').header('X-Frame-Options', 'DENY')
  if (payload === null || payload === '') reply.removeHeader('Content-Type')
  return payload
})
app.setErrorHandler((error, _, reply) => {
  const frameworkCodes = {
    FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'UNSUPPORTED_MEDIA_TYPE'],
    FST_ERR_CTP_BODY_TOO_LARGE: [413, 'PAYLOAD_TOO_LARGE'],
  }
  const [status, code] = frameworkCodes[error.code] ?? [error.status ?? error.statusCode ?? 500, error.code]
  const isOwn = error instanceof Problem || frameworkCodes[error.code] !== undefined
  const [finalStatus, finalCode] = isOwn
    ? [status, code]
    : status < 500
      ? [400, 'VALIDATION_ERROR']
      : [500, 'INTERNAL_ERROR']
  if (finalStatus === 401)
    reply.header('WWW-Authenticate', finalCode === 'INVALID_TOKEN' ? 'Bearer error="invalid_token"' : 'Bearer')
  const details = error.details === undefined ? {} : { details: error.details }
  return reply.status(finalStatus).send({ error: { code: finalCode, message: error.message, ...details } })
})
app.setNotFoundHandler(() => {
  throw new Problem(404, 'NOT_FOUND', 'There is no such path.')
})

app.get('/health', async () => ({ data: { status: 'ok' } }))
const pair = (account) => {
  const refresh_token = `rt_${randomBytes(32).toString('base64url')}`
  refreshTokens.set(refresh_token, account)
  return { access_token: tokenOf(account), refresh_token, token_type: 'Bearer', expires_in: 900 }
}
for (const prefix of ['/auth', '/api/auth']) {
  app.post(`${prefix}/login`, async ({ body }) => {
    if (typeof body?.email !== 'string' || typeof body?.password !== 'string') throw invalid('email', 'Is required.')
    const account = accounts.find(({ email, password }) => email === body.email && password === body.password)
    if (account === undefined) throw new Problem(401, 'INVALID_CREDENTIALS', 'The email or password is wrong.')
    return pair(account)
  })
  app.post(`${prefix}/refresh`, async ({ body }) => {
    const account = refreshTokens.get(body?.refresh_token)
    if (account === undefined) throw new Problem(401, 'INVALID_TOKEN', 'The token is not valid.')
    refreshTokens.delete(body.refresh_token)
    return pair(account)
  })
  app.post(`${prefix}/logout`, async ({ body }) => {
    refreshTokens.delete(body?.refresh_token)
    return {}
  })
}

const path = '/api/v1/notes'
app.post(path, async (request, reply) => {
  const note = create(request.body, requireCaller(request))
  return reply
    .status(201)
    .header('Location', `${path}/${note.id}`)
    .header('ETag', etagOf(note))
    .send({ data: answered(note) })
})
app.get(path, async ({ query, ...request }, reply) => {
  reply.header('Cache-Control', 'private, no-cache').header('Vary', 'Authorization, X-API-Key')
  return listOf(query, callerOf(request))
})
app.get(`${path}/:id`, async (request, reply) => {
  const note = find(request.params.id, callerOf(request))
  reply
    .header('ETag', etagOf(note))
    .header('Cache-Control', 'private, no-cache')
    .header('Vary', 'Authorization, X-API-Key')
  if (request.headers['if-none-match'] === etagOf(note)) return reply.status(304).send()
  return { data: answered(note) }
})
app.patch(`${path}/:id`, async (request, reply) => {
  const caller = requireCaller(request)
  readInput(request.body, false)
  const note = find(request.params.id, caller)
  const expected = request.headers['if-match']
  if (expected !== undefined && expected !== '*' && expected !== etagOf(note))
    throw new Problem(409, 'CONFLICT', 'The note has changed since.')
  change(note, request.body)
  return reply.header('ETag', etagOf(note)).send({ data: answered(note) })
})
app.delete(`${path}/:id`, async (request, reply) => {
  notes.delete(find(request.params.id, requireCaller(request)).id)
  return reply.status(204).send()
})

const schema = `
  type Note { id: ID! title: String! ownerId: ID! createdAt: String! updatedAt: String! }
  type User { id: ID! }
  input CreateNoteInput { title: String! }
  input UpdateNoteInput { title: String }
  type Query { note(id: ID!): Note noteList(limit: Int): [Note!]! me: User }
  type Mutation { createNote(input: CreateNoteInput!): Note updateNote(id: ID!, input: UpdateNoteInput!): Note deleteNote(id: ID!): Boolean }`
const inCamelCase = ({ id, title, owner_id, created_at, updated_at }) => ({
  id,
  title,
  ownerId: owner_id,
  createdAt: created_at,
  updatedAt: updated_at,
})
const failing =
  (run) =>
  (_, args, { request }) => {
    try {
      return run(args, request)
    } catch (error) {
      throw new mercurius.ErrorWithProps(error.message, { code: error.code, details: error.details })
    }
  }
app.register(mercurius, {
  schema,
  context: (request) => ({ request }),
  resolvers: {
    Query: {
      note: failing(({ id }, request) => inCamelCase(find(id, callerOf(request)))),
      noteList: failing(({ limit = perPage }, request) => readable(callerOf(request)).slice(0, limit).map(inCamelCase)),
      me: failing((_, request) => ({ id: requireCaller(request).id })),
    },
    Mutation: {
      createNote: failing(({ input }, request) => inCamelCase(create(input, requireCaller(request)))),
      updateNote: failing(({ id, input }, request) => inCamelCase(change(find(id, requireCaller(request)), input))),
      deleteNote: failing(({ id }, request) => notes.delete(find(id, requireCaller(request)).id)),
    },
  },
})

const address = await app.listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1' })
console.log(`listening on ${address}`)
