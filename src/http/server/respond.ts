// Writes replies, with the headers of every answer. (contract 4.10)

import { randomFillSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { http } from '../../dependency/node-http.ts'
import { describeFailure } from '../../failure/description.ts'
import type { Failure } from '../../failure/failure.ts'
import { isStreamed, type Reply, type StreamedReply, type WholeReply } from '../message/exchange.ts'

export interface Envelope {
  readonly requestId: string
  readonly added: readonly string[]
  readonly endsConnection: boolean
}

export const bare = ({ requestId, endsConnection }: Envelope): Envelope => ({ requestId, endsConnection, added: [] })

/**
 * In one write. HEAD, 204, 304 and streamed replies have no body here. `finished` is called when the answer has been sent, or
 * cannot be.
 */
export function respond(response: ServerResponse, reply: Reply, envelope: Envelope, finished?: () => void): void {
  if (isStreamed(reply)) {
    respondHead(response, reply, envelope)
    if (finished !== undefined) response.once('finish', finished)
    response.end()
    return
  }
  const { status, body } = reply
  const bytes = body === null ? 0 : Buffer.byteLength(body)
  // node:http has no phrase for it.
  if (status === partialSuccess) response.statusMessage = 'Partial Success'
  response.writeHead(status, headersOf(reply, bytes, envelope))
  // Not the callback of `end`: a host's wrapper may drop it.
  if (finished !== undefined) response.once('finish', finished)
  // For HEAD sends the headers alone, including the body's length. (RFC 9110 9.3.2)
  if (body === null || isBodiless(status)) response.end()
  // Copied without conversion.
  else if (bytes === body.length) response.end(body, 'latin1')
  else response.end(body)
}

/** Of unknown length, followed by chunks. (RFC 9112 7.1) */
export function respondHead(response: ServerResponse, reply: StreamedReply, envelope: Envelope): void {
  response.writeHead(reply.status, headersOf(reply, null, envelope))
}

/** Sends on a connection without a parser, and half-closes it. */
export function respondRaw(socket: Duplex, reply: WholeReply, envelope: Envelope): void {
  const bytes = reply.body === null ? 0 : Buffer.byteLength(reply.body)
  const headers = headersOf(reply, bytes, { ...envelope, endsConnection: true })
  let head = `HTTP/1.1 ${reply.status} ${http.STATUS_CODES[reply.status]}\r\nDate: ${new Date().toUTCString()}\r\n`
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index]!, headers[index + 1]!]
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    head += `${name}: ${value}\r\n`
  }
  socket.cork()
  socket.write(`${head}\r\n`, 'latin1')
  socket.end(reply.body)
}

/** The client's `X-Request-ID` if well-formed, otherwise a new one. (contract 4.10.3) */
export function requestIdFrom(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && requestIdForm.test(sent) ? sent : randomId()
}

// A counter would reveal the traffic of others. Random text for many ids at once takes a tenth of the time.
const idChars = 20
const pool = Buffer.allocUnsafeSlow((256 * idChars * 3) / 4)
let text = ''
let used = 0

function randomId(): string {
  if (used === text.length) {
    text = randomFillSync(pool).toString('base64url')
    used = 0
  }
  const id = text.slice(used, used + idChars)
  used += idChars
  return id
}

const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/

/** `{ "error": { code, message, details? } }`, with the status and headers of the failure. (contract 7.2.1) */
export function failureReply(failure: Failure): WholeReply {
  const { code, status, headers, retryAfterSeconds } = failure
  const { message, details } = describeFailure(failure)
  const error = details.length === 0 ? { code, message } : { code, message, details }
  return {
    status,
    headers:
      retryAfterSeconds === undefined ? (headers ?? {}) : { ...headers, 'Retry-After': String(retryAfterSeconds) },
    body: JSON.stringify({ error }),
    failure: code,
  }
}

/** Of GraphQL over HTTP: data with errors. (contract 7.3.10) */
const partialSuccess = 294

export const isBodiless = (status: number): boolean => status === 204 || status === 304

export function headersOf(
  reply: Reply,
  bytes: number | null,
  { requestId, added, endsConnection }: Envelope,
): string[] {
  const { status, body } = reply
  const headers = [...securityHeaders, 'X-Request-ID', requestId, ...added]
  let isTyped = false
  let isCacheable = false
  let hasPolicy = false
  for (const name in reply.headers) {
    const value = reply.headers[name]!
    if (typeof value === 'string') headers.push(name, value)
    else for (const each of value) headers.push(name, each)
    if (name === 'Content-Type') isTyped = true
    else if (name === 'Cache-Control') isCacheable = true
    else if (name === 'Content-Security-Policy') hasPolicy = true
  }
  if (!isCacheable) headers.push('Cache-Control', 'no-store')
  if (!hasPolicy) headers.push('Content-Security-Policy', "default-src 'none'")
  if (!isBodiless(status)) {
    if (body !== null && !isTyped) headers.push('Content-Type', 'application/json; charset=utf-8')
    if (bytes !== null) headers.push('Content-Length', String(bytes))
  }
  if (endsConnection) headers.push('Connection', 'close')
  return headers
}

// For browsers, besides the content security policy. (contract 4.10.2)
const securityHeaders = [
  'Strict-Transport-Security',
  'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
]
