// Checks the head of a request for what node:http's parser accepts.

import type { IncomingMessage } from 'node:http'
import { Failure, invariant } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { findTargetFault, isHost } from './request-target.ts'

export type CheckedHead = Pick<
  IncomingMessage,
  'method' | 'headers' | 'rawHeaders' | 'httpVersionMajor' | 'httpVersionMinor'
>
export type HeadLimits = Pick<Limits, 'urlBytes' | 'headerBytes'>

/**
 * Why the request is refused unread, or null: URI_TOO_LONG, HEADERS_TOO_LARGE, or VALIDATION_ERROR for a malformed version, Host,
 * transfer coding, repeated header or target. (contract 4.1; RFC 9112)
 */
export function findHeadFailure(request: CheckedHead, target: string, limits: HeadLimits): Failure | null {
  const { headers, rawHeaders } = request
  if (target.length > limits.urlBytes) return new Failure('URI_TOO_LONG')
  return findHeaderFailure(rawHeaders, limits.headerBytes) ?? malformed(findFault(request, target, headers.host))
}

function findFault(request: CheckedHead, target: string, host: string | undefined): string | null {
  const { httpVersionMajor, httpVersionMinor, headers, method } = request
  if (httpVersionMajor !== 1) return 'Only HTTP/1.1 is understood here.'
  if (host === undefined ? httpVersionMinor === 1 : !isHost(host)) return 'The header Host is missing or malformed.'
  if (headers['transfer-encoding'] !== undefined && !isChunked(headers['transfer-encoding'], httpVersionMinor)) {
    return 'The only transfer coding that is understood is chunked.'
  }
  return findTargetFault(method!, target)
}

const isChunked = (transferEncoding: string, minorVersion: number): boolean =>
  minorVersion === 1 && transferEncoding.toLowerCase() === 'chunked'

// Client, proxy and server could each use a different one of two values, so these must not repeat. All differ in length, so that
// other names are mostly skipped without a comparison.
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
  let headerBits = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    bytes += name.length + rawHeaders[index + 1]!.length + ': \r\n'.length
    const single = singleHeaders[name.length]
    if (single === undefined || name.toLowerCase() !== single) continue
    const bit = 1 << name.length
    if ((headerBits & bit) !== 0) return malformed(`The header ${name} appears more than once.`)
    headerBits |= bit
  }
  return bytes > headerBytes ? new Failure('HEADERS_TOO_LARGE') : null
}

function malformed(message: string | null): Failure | null {
  return message === null ? null : new Failure('VALIDATION_ERROR', { message })
}
