// The last step of every REST request: bodies and failures become status, envelope and headers. What every answer has,
// such as `no-store` where nothing else is said, the server adds. (contract 4.2.1, 4.11.2)

import { describeFailure, type NameDetail } from '../failure/description.ts'
import type { Failure } from '../failure/failure.ts'
import { bodyETag, matchesNone } from '../http/message/conditional.ts'
import type { WholeReply } from '../http/message/exchange.ts'
import { vary } from './caching.ts'

type Headers = Readonly<Record<string, string>>

/** A body that may be kept, or 304 where the client has it already. */
export function readReply(
  body: string | Uint8Array,
  { etag = bodyETag(body), cacheControl }: { readonly etag?: string; readonly cacheControl: string },
  ifNoneMatch: string | undefined,
  headers: Headers,
): WholeReply {
  const all = { ETag: etag, 'Cache-Control': cacheControl, Vary: vary, ...headers }
  return ifNoneMatch !== undefined && matchesNone(ifNoneMatch, etag)
    ? { status: 304, headers: all, body: null }
    : { status: 200, headers: all, body }
}

/** The envelope of a failure, its details named as `nameDetail` says, with the headers that belong to its code. (contract 7.2.1) */
export function refusal(failure: Failure, headers: Headers = {}, nameDetail?: NameDetail): WholeReply {
  const { message, details } = describeFailure(failure, nameDetail)
  const { code, status, retryAfterSeconds = status === 503 ? 1 : undefined } = failure
  const body = JSON.stringify({ error: { code, message, ...(details.length === 0 ? {} : { details }) } })
  const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
  return { status, headers: { ...headers, ...challengeOf(failure), ...retry, ...failure.headers }, body, failure: code }
}

/** Without a credential there is nothing to say about one. (RFC 6750 3.1) */
function challengeOf({ code, status }: Failure): Headers {
  if (code === 'UNAUTHENTICATED') return { 'WWW-Authenticate': 'Bearer' }
  if (status === 401) return { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  return code === 'INSUFFICIENT_SCOPE' ? { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' } : {}
}
