// Maps parser errors of node:http to our failures; Node's own messages are never sent to clients.

import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '../../failure/failure.ts'
import { originForm } from './request-target.ts'

/** The error of the server's `clientError` event. */
export interface ParserError extends Error {
  readonly code?: string
  /** What came last from the socket, as far as the error and beyond. */
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** False for the errors of the socket itself, after which there is nobody to answer. */
export const isParserError = ({ code }: ParserError): boolean =>
  code === 'ERR_HTTP_REQUEST_TIMEOUT' || code?.startsWith('HPE_') === true

/** The methods that some route may have; what else there is in HTTP has none here. */
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** METHOD_NOT_ALLOWED for a method that no route can have. (contract 4.10.5) */
export const unknownMethod = (): Failure => new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: methods } })

/** REQUEST_TIMEOUT, HEADERS_TOO_LARGE, URI_TOO_LONG, PAYLOAD_TOO_LARGE or VALIDATION_ERROR. (contract 7.2.7) */
export function parserFailure(error: ParserError): Failure {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Failure('REQUEST_TIMEOUT')
    case 'HPE_HEADER_OVERFLOW':
      return new Failure(endsInTarget(error) ? 'URI_TOO_LONG' : 'HEADERS_TOO_LARGE')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Failure('PAYLOAD_TOO_LARGE', { message: 'The chunk extensions are too large.' })
    default:
      return malformed()
  }
}

const malformed = (): Failure =>
  new Failure('VALIDATION_ERROR', { message: 'The request is not well-formed HTTP/1.1.' })

/** The path of the request in which the parser stopped, where the packet still shows it. */
export function pathOf(error: ParserError): string | null {
  const before = parsed(error)
  const head = before.slice(before.lastIndexOf('\r\n\r\n') + 1).trimStart()
  const [, target] = /^[\w-]{1,64} ([^\s?]{1,8192})[? ]/.exec(head) ?? knownLine(error) ?? []
  return target === undefined ? null : originForm('', target).target
}

/**
 * The request in whose method the parser stopped, as far as the packet shows its head, so that it can be counted; null where
 * the parser stopped in something else. Its method is empty, for it may be any word.
 */
export function requestOfUnknownMethod(error: ParserError, socket: Socket): IncomingMessage | null {
  const line = error.code === 'HPE_INVALID_METHOD' ? knownLine(error) : null
  if (line === null) return null
  const request = new IncomingMessage(socket)
  request.method = ''
  request.url = line[1]! + (line[2] ?? '')
  const end = line.input.indexOf('\r\n\r\n')
  for (const [, name, value] of line.input.slice(line[0].length, end === -1 ? undefined : end).matchAll(headerLine)) {
    const lowered = name!.toLowerCase()
    const before = request.headers[lowered]
    request.headers[lowered] = before === undefined ? value! : `${String(before)}, ${value}`
  }
  return request
}

const headerLine = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([^\r\n]*?)[ \t]*\r?$/gm

/** The line in which the parser stopped, where it begins a request as HTTP/1.1 would have it, with its path and its query. */
function knownLine({ rawPacket, bytesParsed = 0 }: ParserError): RegExpExecArray | null {
  if (rawPacket === undefined) return null
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  return requestLine.exec(rawPacket.toString('latin1', start, start + 16_384))
}

const requestLine = /^[!#$%&'*+.^_`|~\w-]{1,64} ([^\s?]{1,8192})(\?\S*)? HTTP\/1\.[01]\r\n/

/** True where the parser stopped within the target of a request line that this packet began. */
function endsInTarget(error: ParserError): boolean {
  const before = parsed(error)
  return /^[A-Z-]{1,32} \S*$/.test(before.slice(before.lastIndexOf('\n') + 1))
}

const parsed = ({ rawPacket, bytesParsed }: ParserError): string => rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
