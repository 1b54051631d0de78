// Order of checks, addresses, health. (4.1, 4.2, 0.2)

import type { Define } from '../../kit/clause.ts'
import { missingId } from '../../kit/values.ts'

const refused = { Authorization: 'Bearer not-a-token' }

export function defineRequests(define: Define): void {
  define('4.1.2', ['signIn', 'resource'], async ({ kit, subject }) => {
    for (const line of [`GET ${subject.path}`, 'GET /api/nowhere', `POST ${subject.path}`, `DELETE ${subject.path}/x`])
      (await kit.send(line, { headers: refused })).fails(401, 'INVALID_TOKEN')
    const unreadable = await kit.send(`POST ${subject.path}`, { headers: refused, text: '{' })
    unreadable.fails(401, 'INVALID_TOKEN')
  })

  define('4.1.3', ['signIn', 'resource'], async ({ kit }) => {
    for (const line of ['GET /health', 'GET /health/ready', 'GET /.well-known/jwks.json'])
      (await kit.send(line, { headers: refused })).is(200)
    const logout = { headers: refused, body: { refresh_token: 'rt_unknown' } }
    for (const prefix of ['', '/api']) {
      const answer = await kit.send(`POST ${prefix}/auth/logout`, logout)
      answer.require(answer.status !== 401, 'no 401', 'status 401')
    }
  })

  define('4.1.4', ['resource'], async ({ kit, subject }) => {
    const media = { headers: { 'Content-Type': 'text/plain' }, text: 'not JSON' }
    ;(await kit.send(`POST /api/${kit.version}/no-such-resources`, media)).fails(404)
    const answer = (await kit.send(`POST ${subject.path}/${missingId(subject)}`, media)).fails(405)
    answer.require(answer.headers.allow !== undefined, 'Allow', 'no Allow')
  })

  define('4.1.5', ['hidden', 'resource'], async ({ kit, subject }) => {
    ;(await kit.send(`POST ${subject.path}`, { headers: { 'Content-Type': 'text/plain' }, text: '{}' })).fails(415)
    ;(await kit.send(`POST ${subject.path}`, { text: '{' })).fails(400)
  })

  define('4.1.6', ['hidden', 'barred', 'change'], async ({ kit, subject }) => {
    ;(await kit.send(`POST ${subject.path}`, { body: { no_such_field: 1 } })).fails(401)
    ;(await kit.send(`PATCH ${subject.path}/${missingId(subject)}`, { body: { no_such_field: 1 } })).fails(401)
    const answer = await kit.send(`POST ${subject.path}`, { as: subject.profile.barred!, body: { no_such_field: 1 } })
    answer.fails(403)
  })

  define('4.1.7', ['change'], async ({ kit, subject }) => {
    const sending = { as: subject.creator, body: { no_such_field: 1 } }
    ;(await kit.send(`PATCH ${subject.path}/${missingId(subject)}`, sending)).fails(400, 'VALIDATION_ERROR')
  })

  define('4.1.8', ['unique'], async ({ kit, subject }) => {
    const input = await subject.input()
    const headers = { 'X-Idempotency-Key': kit.unique() }
    ;(await subject.post(input, { headers })).is(201)
    // Without the key, the value would be taken.
    ;(await subject.post(input, { headers })).is(200)
  })

  define('4.1.9', ['hidden', 'change'], async ({ kit, subject }) => {
    const made = await subject.make()
    const headers = { 'If-Match': '"0.0"' }
    const body = await kit.fill(subject.profile.change!)
    for (const target of [made.target, `${subject.path}/${missingId(subject)}`]) {
      const as = target === made.target ? subject.profile.other! : subject.creator
      ;(await kit.send(`GET ${target}`, { as, headers: { 'If-None-Match': '*' } })).fails(404)
      if (as === subject.creator) (await kit.send(`PATCH ${target}`, { as, body, headers })).fails(404)
    }
  })

  define('4.1.10', ['openable', 'other', 'change'], async ({ kit, subject }) => {
    const made = await subject.make()
    for (const [move, { opens }] of Object.entries(subject.profile.moves ?? {}))
      if (opens === true) (await kit.send(`POST ${made.target}/${move}`, { as: subject.creator })).is(200)
    const body = await kit.fill(subject.profile.change!)
    const answer = await kit.send(`PATCH ${made.target}`, {
      as: subject.profile.other!,
      body,
      headers: { 'If-Match': '"0.0"' },
    })
    answer.fails(403)
  })

  define('4.1.11', ['moves', 'laterMove', 'delete'], async ({ kit, subject }) => {
    const made = await subject.make()
    const [last] = Object.entries(subject.profile.moves!).find(([, { first }]) => first !== true)!
    const sending = { as: subject.creator }
    const wrongState = (await kit.send(`POST ${made.target}/${last}`, sending)).fails(409, 'CONFLICT')
    const both = await kit.send(`POST ${made.target}/${last}`, { ...sending, headers: { 'If-Match': '"0.0"' } })
    both.fails(409, 'CONFLICT')
    const messages = [wrongState, both].map(({ json }) => json.error.message)
    both.require(messages[0] !== messages[1], 'the message of If-Match', `that of the state: ${messages[1]}`)
  })

  define('4.1.13', ['hidden', 'delete', 'opens'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    ;(await kit.send(`GET ${target}`)).isHidden()
    ;(await kit.send(`DELETE ${target}`)).fails(401)
    ;(await kit.send(`DELETE ${subject.path}/${missingId(subject)}`)).fails(401)
    const open = Object.entries(subject.profile.moves ?? {}).find(([, { opens }]) => opens === true)
    ;(await kit.send(`POST ${target}/${open![0]}`, { as: subject.creator })).is(200)
    ;(await kit.send(`DELETE ${target}`, { as: subject.profile.other! })).fails(403)
  })

  define('4.2.1', ['resource'], async ({ kit, subject }) => {
    const made = await subject.make()
    const one = (await kit.send(`GET ${made.target}`, { as: subject.creator })).is(200)
    one.has('the members of one record', Object.keys(one.json), ['data'])
    const list = (await kit.send(`GET ${subject.path}`, { as: subject.creator })).is(200)
    list.has('the members of a list', Object.keys(list.json), ['data', 'meta'])
    list.require(Array.isArray(list.data), 'a list', 'none')
  })

  define('4.2.3', ['resource'], async ({ kit, subject }) => {
    const { path } = subject.profile
    for (const method of ['GET', 'HEAD']) {
      const answer = (await kit.send(`${method} /api/${path}?a=%20&b=1+1`)).is(301)
      answer.has('Location', answer.headers.location, `/api/${kit.version}/${path}?a=%20&b=1+1`)
      answer.has('Cache-Control', answer.headers['cache-control'], 'no-store')
    }
    const one = (await kit.send(`GET /api/${path}/x`)).is(301)
    one.has('Location', one.headers.location, `/api/${kit.version}/${path}/x`)
  })

  define('4.2.4', ['resource'], async ({ kit, subject }) => {
    const answer = (await kit.send(`POST /api/${subject.profile.path}`, { body: {} })).fails(404)
    answer.matches('message', answer.json.error.message, new RegExp(`\\b${kit.version}\\b`))
  })

  define('0.2.1', ['resource'], async ({ kit }) => {
    const answer = (await kit.send('GET /health')).is(200)
    answer.has('body', answer.json, { data: { status: 'ok' } })
  })

  define('4.1.12', ['refusal', 'moves'], async ({ kit, subject }) => {
    const { move, create, away } = subject.profile.refusal!
    const { target } = await subject.make(await kit.fill(create))
    const send = (each: string) => kit.send(`POST ${target}/${each}`, { as: subject.creator })
    ;(await send(move)).fails(422, 'BUSINESS_RULE_VIOLATION')
    ;(await send(away)).is(200)
    ;(await send(move)).fails(409, 'CONFLICT')
  })
}
