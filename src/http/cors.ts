// CORS: which other origins a browser may admit. Cookies are never shared across origins.

import type { Limits } from '../limits.ts'
import type { Exchange, Reply } from './message/exchange.ts'
import type { RequestHeader, ResponseHeader } from './message/headers.ts'
import { varyBy } from './message/vary.ts'

export interface AllowedOrigins {
  /** As browsers write them: `https://app.example.com`, `http://localhost:5173`. */
  readonly origins: ReadonlySet<string>
  /** True if clients use https; the same host under http is then another origin. */
  readonly isSecure: boolean
}

/**
 * Separated by commas. `baseUrl` is the service's own address. Throws an Error that names the variable for an invalid origin,
 * including `*` and `null`. (contract 0.1.1)
 */
export function parseAllowedOrigins(text: string | undefined, baseUrl: string): AllowedOrigins {
  const origins = (text ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '')
  for (const origin of origins) {
    if (!/^https?:\/\//.test(origin) || URL.parse(origin)?.origin !== origin) {
      throw new Error(`ALLOWED_ORIGINS: "${origin}" is not an origin such as https://app.example.com.`)
    }
  }
  return { origins: new Set(origins), isSecure: baseUrl.startsWith('https://') }
}

/** For CORS and the WebSocket upgrade. (contract 0.1.4) */
export function isAllowedOrigin(
  origin: string | undefined,
  host: string | undefined,
  allowed: AllowedOrigins,
): boolean {
  return origin === undefined || isSameOrigin(origin, host, allowed) || allowed.origins.has(origin)
}

export function isSameOrigin(origin: string, host: string | undefined, { isSecure }: AllowedOrigins): boolean {
  if (host === undefined) return false
  const name = host.toLowerCase()
  return origin === `https://${name}` || (!isSecure && origin === `http://${name}`)
}

/**
 * A preflight is answered by the 204 of OPTIONS, whose `Allow` lists the methods. An origin that is not allowed gets no
 * headers.
 */
export function withCors(
  reply: Reply,
  { method, headers }: Pick<Exchange, 'method' | 'headers'>,
  allowed: AllowedOrigins,
  limits: Pick<Limits, 'preflightMaxAgeSeconds'>,
): Reply {
  if (allowed.origins.size === 0) return reply
  const varying = varyBy(reply, 'Origin')
  const { origin } = headers
  if (origin === undefined || !allowed.origins.has(origin)) return varying
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
  const added = isPreflight ? preflightHeaders(reply, limits) : { 'Access-Control-Expose-Headers': exposedHeaders }
  return { ...varying, headers: { ...varying.headers, 'Access-Control-Allow-Origin': origin, ...added } }
}

function preflightHeaders(reply: Reply, limits: Pick<Limits, 'preflightMaxAgeSeconds'>): Record<string, string> {
  const { Allow } = reply.headers
  return {
    ...(typeof Allow === 'string' ? { 'Access-Control-Allow-Methods': Allow } : {}),
    'Access-Control-Allow-Headers': acceptedHeaders,
    'Access-Control-Max-Age': String(limits.preflightMaxAgeSeconds),
  }
}

function headerList<Header extends string>(names: readonly Header[]): string {
  return names.join(', ')
}

/** (contract 4.10.10) */
const acceptedHeaders = headerList<RequestHeader>([
  'Authorization',
  'Content-Type',
  'Accept',
  'If-Match',
  'If-None-Match',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-API-Key',
  'X-Client-Name',
  'X-Idempotency-Key',
  'X-Request-ID',
])

/** (contract 4.10.10) */
const exposedHeaders = headerList<ResponseHeader>([
  'Accept-Query',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-ID',
])
