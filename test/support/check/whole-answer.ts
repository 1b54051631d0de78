// What every answer of the service carries, whatever was asked and whatever went wrong. (contract 4.10.1, 7.2.7)

import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import { catalogue, isCatalogueCode } from '../../../src/failure/failure.ts'
import type { Answer } from '../client/http-client.ts'

export interface Asked {
  readonly method: string
  /** With its query string. */
  readonly path: string
  /** Whether any rate limit is on. */
  readonly limited: boolean
  /** Whether the path is under a version that has a successor. */
  readonly deprecated: boolean
  /** Whether any action of the service is deprecated. */
  readonly leaves: boolean
  /** What resources of the service say in place of NOT_FOUND. */
  readonly ownCodes: readonly string[]
  readonly requestId?: string
  /** Whether an access code was shown to a service whose rules ask for one. */
  readonly showsCode?: boolean
}

/** Fails with a sentence where something is missing or something internal shows. */
export function assertWhole(answer: Answer, question: Asked): void {
  const { status, headers } = answer
  const has = (name: string, form: RegExp) => assert.match(headers[name]?.toString() ?? '(none)', form, `${name}`)
  has('x-request-id', /^[A-Za-z0-9._-]{1,128}$/)
  if (question.requestId !== undefined) assert.equal(headers['x-request-id'], question.requestId)
  has('strict-transport-security', /^max-age=\d{8}/)
  has('x-content-type-options', /^nosniff$/)
  has('x-frame-options', /^DENY$/)
  has('content-security-policy', /default-src 'none'/)
  has('referrer-policy', /^no-referrer$/)
  has('cache-control', cacheForms(question, status))
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    if (question.limited) has(name, /^\d+$/)
    else assert.equal(headers[name], undefined, `${name} is absent where no limit is on`)
  }
  if (status === 401 && question.path !== '/graphql')
    has('www-authenticate', /^Bearer( error="\w+"(, max_age="\d+")?)?$/)
  if (status === 405) has('allow', /^[A-Z]+(, [A-Z]+)*$/)
  if (status === 429 || status === 503) has('retry-after', /^[1-9]\d*$/)
  assertBody(answer, question)
  if (question.path.startsWith('/api/v')) assertRest(answer, question)
  assertNothingInternal(answer)
}

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY'])

function cacheForms({ method, path, showsCode = false }: Asked, status: number): RegExp {
  // A bug is answered by the server, which knows of no codes: `no-store` says enough.
  if (showsCode && status !== 500) return /^private, no-store$/
  const isRead = readMethods.has(method) && (status === 200 || status === 304)
  if (!isRead || path.startsWith('/auth') || path.startsWith('/api/auth') || path.startsWith('/health'))
    return /^no-store$/
  return path.startsWith('/graphql')
    ? /^((private, )?no-store|public, max-age=\d+|(public|private), no-cache)$/
    : /^(public, max-age=\d+|(public|private), no-cache)$/
}

function assertBody({ status, headers, text, body }: Answer, { method, path, ownCodes }: Asked): void {
  if (status === 204 || status === 304 || method === 'HEAD') {
    assert.equal(text, '', `${status} to ${method} has no body`)
    return
  }
  if (text === '') {
    assert(status === 301, `${status} has a body`)
    return
  }
  const isProblem = headers['content-type'] === 'application/problem+json'
  if (!isProblem && path !== '/.well-known/api-catalog')
    assert.match(headers['content-type'] ?? '(none)', /^application\/(json|graphql-response\+json); charset=utf-8$/)
  assert.notEqual(body, undefined, `the body is JSON: ${text.slice(0, 200)}`)
  if (path.startsWith('/graphql')) assertGraphql(body, status, ownCodes)
  else if (isProblem) assertProblem(body, status, ownCodes)
  else if (status >= 400) assertEnvelope(body, status, ownCodes)
}

function assertProblem(body: Answer['body'], status: number, ownCodes: readonly string[]): void {
  const { type, title, detail: message, status: reported, ...members } = body
  assert.deepEqual([type, title, reported], ['about:blank', STATUS_CODES[status], status])
  assertEnvelope({ error: { code: members.code, message, ...members } }, status, ownCodes)
}

/** The status of a code that the service may answer; undefined where it may not. */
const statusOf = (code: string, ownCodes: readonly string[]): number | undefined =>
  ownCodes.includes(code) ? 404 : isCatalogueCode(code) ? catalogue[code].status : undefined

function assertEnvelope(body: Answer['body'], status: number, ownCodes: readonly string[]): void {
  assert.deepEqual(Object.keys(body), ['error'], 'a failure is an envelope of `error` alone')
  const { error } = body
  assert.deepEqual(Object.keys(error), [
    ...['code', 'message'],
    ...(error.details === undefined ? [] : ['details']),
    ...(error.code === 'SECOND_FACTOR_REQUIRED' ? ['challenge'] : []),
  ])
  assert.equal(statusOf(error.code, ownCodes), status, `${error.code} has the status ${status}`)
  assert.match(error.message, /^(?:.+: )?[A-Z].*\.$/s, 'the message is a sentence')
  assertDetails(error.details)
}

function assertDetails(details: unknown): void {
  if (details === undefined) return
  assert(Array.isArray(details) && details.length > 0, 'details are a list of some')
  for (const detail of details) {
    assert.deepEqual(Object.keys(detail), ['field', 'message'])
    assert.match(detail.message, /^[A-Z].*\.$/s, `the message of ${detail.field} is a sentence`)
  }
}

function assertGraphql(body: Answer['body'], status: number, ownCodes: readonly string[]): void {
  for (const name of Object.keys(body)) assert(['data', 'errors', 'extensions'].includes(name), `unexpected ${name}`)
  if (status !== 200 && status !== 294) assert(!('data' in body), 'a request that was refused has no data')
  if (body.errors === undefined) return
  assert(body.errors.length > 0, 'an empty list of errors is left out')
  for (const { message, path, extensions } of body.errors) {
    assert(typeof message === 'string' && message !== '', 'an error has a message')
    assert(statusOf(extensions?.code, ownCodes) !== undefined, `${extensions?.code} is a code of this service`)
    assert(path === undefined || Array.isArray(path), 'a path is a list')
    assertDetails(extensions.details)
  }
}

function assertRest({ status, headers, body }: Answer, { method, path, deprecated, leaves }: Asked): void {
  for (const name of leaves ? ['link'] : ['deprecation', 'sunset', 'link'])
    assert.equal(headers[name] !== undefined, deprecated, `${name} under ${path}`)
  if (status >= 300 && status !== 304) return
  const isRead = readMethods.has(method)
  if (isRead) {
    assert.match(headers.vary ?? '(none)', /Authorization, X-API-Key/)
    assert.match(headers.etag ?? '(none)', /^"[\w.-]+"$/)
  }
  if (method === 'OPTIONS') assert.match(headers['allow'] ?? '(none)', /OPTIONS/)
  if (body === null) return
  for (const name of Object.keys(body))
    assert(['data', 'meta', 'next_cursor', 'has_more'].includes(name), `unexpected ${name}`)
  assert('data' in body || countsOnly(body.meta), 'an answer without data tells how many there are')
  if (status === 201 && !Array.isArray(body.data))
    assert.equal(headers.location, `${collectionOf(path)}/${body.data.id}`, 'Location names what was made')
  if (!isRead && typeof body.data?.id === 'string')
    assert.match(headers.etag ?? '(none)', /^"\d+\.[\w-]{43}"$/, 'a written record has its ETag')
}

/** Such as `{ "updated": 3 }`. (contract 13.7) */
const countsOnly = (meta: object | undefined): boolean =>
  meta !== undefined &&
  Object.entries(meta).every(
    ([name, count]) => ['updated', 'deleted', 'matched'].includes(name) && Number.isInteger(count),
  )

/** What only somebody inside may see. Secrets by name, since no answer but a sign-in's has any. */
const internal =
  /\bat \S+ \(|node_modules|\.[cm]?[jt]s:\d|sqlite|postgres|SQLSTATE|\bselect\b.*\bfrom\b|insert into|\brelation "|constraint|argon2|Invariant|TypeError|ReferenceError|\[object |deleted_at|password_hash|"password(?:_hash)?":/i

/** Texts that clients wrote: what records hold, and the names that they sent. */
const theirs =
  /"(?:title|content|text|body|name|bio|field)":"(?:[^"\\]|\\.)*"|"message":"(?:[^"\\]|\\.)*: There is no such field\."/g

function assertNothingInternal({ text }: Answer): void {
  const match = internal.exec(text.replace(theirs, ''))
  assert.equal(match?.[0], undefined, `nothing internal in ${text.slice(0, 300)}`)
}

/** `/api/v2/customers` of `/api/v2/organizations/org_1/customers/by/external_id/42` as well. */
const collectionOf = (path: string): string =>
  path.split(/\?|\/by\//)[0]!.replace(/^(\/api\/\w+)\/[^/]+\/[^/]+(\/[^/]+)$/, '$1$2')
