// The refresh token in a cookie: written, read, and accepted only if no other site can have sent it. (contract 4.14)

import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'

const name = 'refresh_token'

/** `Set-Cookie` for a new token, or to forget it (null); sent to `/auth` below the base path only. (contract 4.14.1) */
export function refreshCookie(
  token: string | null,
  basePath: string,
  limits: Pick<Limits, 'refreshTokenSeconds'>,
): string {
  const maxAge = token === null ? 0 : limits.refreshTokenSeconds
  return `${name}=${token ?? ''}; HttpOnly; Secure; SameSite=Strict; Path=${basePath}/auth; Max-Age=${maxAge}`
}

/**
 * The token of the cookie; null where there is none. VALIDATION_ERROR where two have its name: a sibling host may have
 * set one of them, and nothing tells which. (RFC 6265 8.6)
 */
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
 * FORBIDDEN unless a browser says that this very origin sent the request: in `Origin`, in `Sec-Fetch-Site`, or in both alike.
 * Programs that are no browsers have `/api/auth`. (contract 4.14.3)
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
