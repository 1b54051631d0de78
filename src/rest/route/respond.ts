// Adds status, envelope and headers. The server adds the headers of every answer, such as a default `no-store`. (contract 4.2.1,
// 4.11.2)

import { describeFailure, type NameDetail } from '../../failure/description.ts'
import type { Failure, FailureChallenge } from '../../failure/failure.ts'
import { bodyETag } from '../../http/message/conditional.ts'
import type { WholeReply } from '../../http/message/exchange.ts'
import { vary } from './caching.ts'

type Headers = Readonly<Record<string, string>>

export const readReply = (
  body: string | Uint8Array,
  { etag = bodyETag(body), cacheControl }: { readonly etag?: string; readonly cacheControl: string },
  headers: Headers,
): WholeReply => ({
  status: 200,
  headers: { ETag: etag, 'Cache-Control': cacheControl, Vary: vary, ...headers },
  body,
})

/** The envelope and headers of a failure. (contract 7.2.1) */
export function refusal(failure: Failure, headers: Headers = {}, nameDetail?: NameDetail): WholeReply {
  const { message, details } = describeFailure(failure, nameDetail)
  const { code, status, challenge, retryAfterSeconds = status === 503 ? 1 : undefined } = failure
  const error = { code, message, ...(details.length === 0 ? {} : { details }), ...(challenge && wordsOf(challenge)) }
  const body = JSON.stringify({ error })
  const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
  return { status, headers: { ...headers, ...challengeOf(failure), ...retry, ...failure.headers }, body, failure: code }
}

const wordsOf = ({ token, methods, expiresInSeconds }: FailureChallenge) => ({
  challenge: { token, methods, expires_in: expiresInSeconds },
})

/** Without a credential, no `error` is reported. (RFC 6750 3.1, RFC 9470 3) */
function challengeOf({ code, status, maxAgeSeconds }: Failure): Headers {
  if (code === 'UNAUTHENTICATED') return { 'WWW-Authenticate': 'Bearer' }
  if (code === 'REAUTHENTICATION_REQUIRED')
    return { 'WWW-Authenticate': `Bearer error="insufficient_user_authentication", max_age="${maxAgeSeconds}"` }
  if (status === 401) return { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  return code === 'INSUFFICIENT_SCOPE' ? { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' } : {}
}
