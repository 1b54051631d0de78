// Headers and caching. (4.10, 4.11)

import { Untestable } from '../../kit/answer.ts'
import type { Define } from '../../kit/clause.ts'
import { missingId } from '../../kit/values.ts'

export function defineHeaders(define: Define): void {
  define('4.10.3', ['resource'], async ({ kit, subject }) => {
    const echoed = await kit.send(`GET ${subject.path}`, { headers: { 'X-Request-ID': 'Kit-1.2_3' } })
    echoed.has('X-Request-ID', echoed.headers['x-request-id'], 'Kit-1.2_3')
    for (const id of ['with space', 'a'.repeat(129), 'quoted"']) {
      const answer = await kit.send(`GET ${subject.path}`, { headers: { 'X-Request-ID': id } })
      answer.matches('X-Request-ID', answer.headers['x-request-id'], /^[A-Za-z0-9._-]{1,128}$/)
      answer.require(answer.headers['x-request-id'] !== id, 'a new X-Request-ID', id)
    }
  })

  define('4.10.4', ['resource'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    for (const each of [target, subject.path, '/health']) {
      const get = (await kit.send(`GET ${each}`, { as: subject.creator })).is(200)
      const head = (await kit.send(`HEAD ${each}`, { as: subject.creator })).is(200)
      head.has('body', head.text, '')
      for (const name of ['content-type', 'cache-control']) head.has(name, head.headers[name], get.headers[name])
    }
    const missing = (await kit.send(`HEAD ${subject.path}/${missingId(subject)}`, { as: subject.creator })).is(404)
    missing.has('body', missing.text, '')
  })

  define('4.10.5', ['resource'], async ({ kit, subject }) => {
    const answer = (await kit.send(`DELETE /api/${kit.version}/${subject.profile.path}/x/y/z`)).is(404, 405)
    answer.require(answer.status === 404 || answer.headers.allow !== undefined, 'Allow', 'no Allow')
    const unknown = (await kit.send(`PROPFIND ${subject.path}`)).fails(405, 'METHOD_NOT_ALLOWED')
    unknown.matches('Allow', unknown.headers.allow, /\bGET\b/)
    const health = (await kit.send('POST /health')).fails(405, 'METHOD_NOT_ALLOWED')
    health.matches('Allow', health.headers.allow, /\bGET\b/)
  })

  define('4.10.6', ['resource'], async ({ kit, subject }) => {
    const answer = (await kit.send(`OPTIONS ${subject.path}`)).is(204)
    answer.matches('Allow', answer.headers.allow, /\bGET\b.*\bPOST\b/)
  })

  define('4.10.7', ['resource'], async ({ kit, subject }) => {
    for (const accept of ['text/html', 'application/xml;q=1', '*/*;q=0', 'garbage'])
      (await kit.send(`GET ${subject.path}`, { as: subject.creator, headers: { Accept: accept } })).is(200)
    ;(await kit.send(`GET ${subject.path}`, { headers: { Expect: 'miracles' } })).fails(417, 'EXPECTATION_FAILED')
  })

  define('4.10.8', ['change'], async ({ kit, subject }) => {
    const anonymous = (await kit.send(`PATCH ${subject.path}/${missingId(subject)}`, { body: {} })).fails(
      401,
      'UNAUTHENTICATED',
    )
    anonymous.matches('WWW-Authenticate', anonymous.headers['www-authenticate'], /^Bearer(?!.*error=)/)
    const refused = await kit.send(`GET ${subject.path}`, { headers: { Authorization: 'Bearer x' } })
    refused.fails(401).matches('WWW-Authenticate', refused.headers['www-authenticate'], /error="invalid_token"/)
  })

  define('4.10.10', ['resource'], async ({ kit, subject }) => {
    const headers = { Origin: 'https://origin.invalid' }
    const answer = (await kit.send(`GET ${subject.path}`, { as: subject.creator, headers })).is(200)
    const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
    const isOpen = answer.headers['access-control-allow-origin'] === '*'
    answer.require(isOpen || cors.length === 0, 'no CORS headers for another origin', cors.join(', '))
  })

  define('4.10.12', ['resource'], async ({ kit }) => {
    const answer = await kit.send(`GET ${kit.profile.url}/health`)
    answer.is(200)
  })

  define('4.10.13', ['resource'], async ({ kit, subject }) => {
    const body = JSON.stringify(await subject.input())
    const send = (type: string) => subject.post(JSON.parse(body), { headers: { 'Content-Type': type } })
    ;(await send('application/json; charset=UTF-8; profile="x"')).is(201)
    const other = await kit.send(`POST ${subject.path}`, {
      as: subject.creator,
      text: body,
      headers: { 'Content-Type': 'application/json; charset=latin1' },
    })
    other.fails(415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  define('4.10.14', ['delete'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const headers = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'text/plain' }
    ;(await kit.send(`DELETE ${target}`, { as: subject.creator, headers })).is(204)
  })

  define('4.11.1', ['maxAge'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    for (const as of [null, subject.creator]) {
      const answer = (await kit.send(`GET ${target}`, { as })).is(200)
      answer.has('Cache-Control', answer.headers['cache-control'], `public, max-age=${subject.profile.maxAge}`)
    }
  })

  define('4.11.1', ['hidden'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const answer = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
    answer.has('Cache-Control', answer.headers['cache-control'], 'private, no-cache')
    for (const name of ['Authorization', 'X-API-Key'])
      answer.matches('Vary', answer.headers.vary, new RegExp(`\\b${name}\\b`, 'i'))
  })

  define('4.11.3', ['resource'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const tag = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200).headers.etag!
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await kit.send(`GET ${target}`, { as: subject.creator, headers: { 'If-None-Match': value } })
      answer.is(304).has('body', answer.text, '')
    }
    ;(await kit.send(`GET ${target}`, { as: subject.creator, headers: { 'If-None-Match': '"other"' } })).is(200)
  })

  define('4.11.4', ['change'], async ({ kit, subject }) => {
    const made = await subject.make()
    const body = await kit.fill(subject.profile.change!)
    const changed = (await kit.send(`PATCH ${made.target}`, { as: subject.creator, body })).is(200)
    const read = (await kit.send(`GET ${made.target}`, { as: subject.creator })).is(200)
    read.has('ETag of the read', read.headers.etag, changed.headers.etag)
    const [first, second] = [made.answer, changed].map(({ headers }) => Number(/^"(\d+)/.exec(headers.etag ?? '')?.[1]))
    changed.require(second! > first!, `a version greater than ${first}`, String(second))
  })

  define('4.11.6', ['narrow', 'change'], async ({ kit, subject }) => {
    const made = await subject.make()
    const target = `${subject.path}?${await subject.narrowed()}`
    const tag = (await kit.send(`GET ${target}`, { as: subject.creator })).is(200).headers.etag!
    const headers = { 'If-None-Match': tag }
    ;(await kit.send(`GET ${subject.path}/${made.id}`, { as: subject.creator, headers })).is(200)
    const body = await kit.fill(subject.profile.change!)
    ;(await kit.send(`PATCH ${made.target}`, { as: subject.creator, body })).is(200)
    ;(await kit.send(`GET ${target}`, { as: subject.creator, headers })).is(200)
  })

  define('4.11.8', ['resource'], async ({ kit, subject }) => {
    const plain = (await kit.send(`GET /api/${kit.version}/openapi.json`)).is(200)
    const headers = { 'Accept-Encoding': 'gzip' }
    const packed = (await kit.send(`GET /api/${kit.version}/openapi.json`, { headers })).is(200)
    if (packed.headers['content-encoding'] !== 'gzip') throw new Untestable('answers are not packed')
    packed.matches('ETag', packed.headers.etag, /\+gzip"$/)
    packed.require(packed.headers.etag !== plain.headers.etag, 'an ETag of its own', plain.headers.etag ?? 'nothing')
    const same = { ...headers, 'If-None-Match': packed.headers.etag! }
    ;(await kit.send(`GET /api/${kit.version}/openapi.json`, { headers: same })).is(304)
    ;(await kit.send(`GET ${subject.path}`, { as: subject.creator, headers: same })).is(200)
  })

  define('4.11.10', ['change', 'other', 'hidden'], async ({ kit, subject }) => {
    const made = await subject.make()
    const as = subject.creator
    const tag = made.answer.headers.etag!
    const version = /^"(\d+)/.exec(tag)![1]
    const alike = `"${version}.${'A'.repeat(43)}"`
    ;(await kit.send(`GET ${made.target}`, { as, headers: { 'If-None-Match': alike } })).is(200)
    const body = await kit.fill(subject.profile.change!)
    ;(await kit.send(`PATCH ${made.target}`, { as, body, headers: { 'If-Match': alike } })).is(200)
    const hidden = { as: subject.profile.other!, headers: { 'If-None-Match': tag } }
    ;(await kit.send(`GET ${made.target}`, hidden)).fails(404)
  })

  define('4.11.9', ['text'], async ({ kit, subject }) => {
    const { target } = await subject.make()
    const read = async (fields: string) => (await kit.send(`GET ${target}${fields}`, { as: subject.creator })).is(200)
    const tags = new Map<string, string>()
    for (const fields of ['', '?fields=id', `?fields=id,${subject.profile.text!.field}`]) {
      const answer = await read(fields)
      const tag = answer.matches('ETag', answer.headers.etag, /^"\d+\.[\w-]+"$/).headers.etag!
      answer.require(!tags.has(tag), 'an ETag of its own', `that of ${tags.get(tag)}`)
      tags.set(tag, fields)
    }
  })
}
