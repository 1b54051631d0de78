// The refresh token in a cookie, accepted only if no other site can have sent it. (contract 4.14)

import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'

const name = 'refresh_token'

/** `Set-Cookie` for a token; null deletes it. Sent only to `/auth` below the base path. (contract 4.14.1) */
export function refreshCookie(
  token: string | null,
  basePath: string,
  limits: Pick<Limits, 'refreshTokenSeconds'>,
): string {
  const maxAge = token === null ? 0 : limits.refreshTokenSeconds
  return `${name}=${token ?? ''}; HttpOnly; Secure; SameSite=Strict; Path=${basePath}/auth; Max-Age=${maxAge}`
}

/** Null without a cookie. VALIDATION_ERROR for two: a sibling host may have set one of them, indistinguishably. (RFC 6265 8.6) */
export function readRefreshCookie({ cookie = '' }: IncomingHttpHeaders): string | null {
  const values = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1).replace(/^"(.*)"$/, '$1'))
  if (values.length > 1) {
    throw new Failure('VALIDATION_ERROR', { details: [{ field: name, message: 'Is sent as two cookies.' }] })
  }
  return values[0] || null
}

/**
 * FORBIDDEN unless the browser confirms the same origin by `Origin`, `Sec-Fetch-Site`, or both. Programs use `/api/auth`. (contract
 * 4.14.3)
 */
export function requireSameOrigin(
  headers: IncomingHttpHeaders,
  isSameOrigin: (headers: IncomingHttpHeaders) => boolean,
): void {
  const { origin, 'sec-fetch-site': site } = headers
  const isElsewhere = (site !== undefined && site !== 'same-origin') || (origin !== undefined && !isSameOrigin(headers))
  if (isElsewhere) throw new Failure('FORBIDDEN', { message: 'Another site may not use the refresh token.' })
  if (site === undefined && origin === undefined) {
    throw new Failure('FORBIDDEN', {
      message: 'The refresh token of a cookie needs the header Origin or Sec-Fetch-Site.',
    })
  }
}
