// What can be wrong with the head of a request although the parser let it pass. It is looked at before anything else.

import type { IncomingMessage } from 'node:http'
import { Failure, invariant } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'

export type HeadLimits = Pick<Limits, 'urlBytes' | 'headerBytes'>

/**
 * Why this request is refused unread, or null: URI_TOO_LONG, HEADERS_TOO_LARGE, or VALIDATION_ERROR for a malformed
 * version, Host, transfer coding, repeated header or request target. (contract 4 "What wins", RFC 9112)
 */
export function findHeadFailure(request: IncomingMessage, limits: HeadLimits): Failure | null {
  const { url, headers, rawHeaders } = request
  if (url!.length > limits.urlBytes) return new Failure('URI_TOO_LONG')
  return findHeaderFailure(rawHeaders, limits.headerBytes) ?? malformed(findFault(request, url!, headers.host))
}

function findFault(request: IncomingMessage, url: string, host: string | undefined): string | null {
  const { httpVersionMajor, httpVersionMinor, headers, method } = request
  if (httpVersionMajor !== 1) return 'Only HTTP/1.1 is understood here.'
  if (host === undefined ? httpVersionMinor === 1 : !isHost(host)) return 'The header Host is missing or malformed.'
  if (headers['transfer-encoding'] !== undefined && !isChunked(headers['transfer-encoding'], httpVersionMinor)) {
    return 'The only transfer coding that is understood is chunked.'
  }
  return findTargetFault(method!, url)
}

const isChunked = (transferEncoding: string, minorVersion: number): boolean =>
  minorVersion === 1 && transferEncoding.toLowerCase() === 'chunked'

// Where one client, proxy and server could each believe another value, nobody may. All differ in length, by which they
// are found without looking at most other names.
const singleHeaders: readonly (string | undefined)[] = [
  'authorization',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'origin',
  'x-api-key',
  'x-idempotency-key',
].reduce<string[]>((byLength, name) => {
  invariant(byLength[name.length] === undefined, `no other header that must be single is as long as ${name}`)
  byLength[name.length] = name
  return byLength
}, [])

function findHeaderFailure(rawHeaders: readonly string[], headerBytes: number): Failure | null {
  let bytes = 0
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    bytes += name.length + rawHeaders[index + 1]!.length + ': \r\n'.length
    const single = singleHeaders[name.length]
    if (single === undefined || name.toLowerCase() !== single) continue
    const bit = 1 << name.length
    if ((seen & bit) !== 0) return malformed(`The header ${name} appears more than once.`)
    seen |= bit
  }
  return bytes > headerBytes ? new Failure('HEADERS_TOO_LARGE') : null
}

// A name or IPv4 address, or an IPv6 address in brackets, and perhaps a port. (RFC 9110 7.2)
const hostForm = /^(?:[\w.~-]*|\[[0-9a-fA-F:.]+\])(?::\d{0,5})?$/
let lastHost = ''

/** Nearly all requests name the host that the request before them named. */
function isHost(host: string): boolean {
  if (host === lastHost) return true
  if (!hostForm.test(host)) return false
  lastHost = host
  return true
}

// Every visible ASCII character but # and %.
const hasUnusual = /[^!"$&-~]/

/** A path and perhaps a query, whose percent-encoding is that of text without NUL; or `OPTIONS *`. (RFC 9112 3.2) */
function findTargetFault(method: string, url: string): string | null {
  if (url.charCodeAt(0) !== 0x2f && !(method === 'OPTIONS' && url === '*')) return 'The request target is not a path.'
  if (!hasUnusual.test(url)) return null
  if (/[^!-~]/.test(url)) return 'The request target holds a character that must be percent-encoded.'
  if (url.includes('#')) return 'The request target holds a fragment.'
  const path = url.split('?', 1)[0]!
  if (/%[01][0-9a-f]|%7f/i.test(path)) return 'The path holds a control character.'
  if (url.includes('%00')) return 'The query holds NUL.'
  return isPercentEncoding(url) ? null : 'The percent-encoding of the request target is malformed.'
}

function isPercentEncoding(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    // The one way to ask whether escapes are complete and are UTF-8.
    return false
  }
}

function malformed(message: string | null): Failure | null {
  return message === null ? null : new Failure('VALIDATION_ERROR', { message })
}
