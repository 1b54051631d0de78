// Maps parser errors of node:http to failures; Node's own messages are never sent.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { http } from '../../dependency/node-http.ts'
import { Failure } from '../../failure/failure.ts'
import { originForm } from './request-target.ts'

export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** False for socket errors, after which no answer is possible. */
export const isParserError = ({ code }: ParserError): boolean =>
  code === 'ERR_HTTP_REQUEST_TIMEOUT' || code?.startsWith('HPE_') === true

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** (contract 4.10.5) */
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

export function pathOf(error: ParserError): string | null {
  const before = parsed(error)
  const head = before.slice(before.lastIndexOf('\r\n\r\n') + 1).trimStart()
  const [, target] = /^[\w-]{1,64} ([^\s?]{1,8192})[? ]/.exec(head) ?? knownLine(error) ?? []
  return target === undefined ? null : originForm('', target).target
}

/**
 * A request whose method failed to parse, as far as the packet contains its head, to be counted; null for other errors. Its method
 * is empty, as it may be any word.
 */
export function requestOfUnknownMethod(error: ParserError, socket: Socket): IncomingMessage | null {
  const line = error.code === 'HPE_INVALID_METHOD' ? knownLine(error) : null
  if (line === null) return null
  const request = new http.IncomingMessage(socket)
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

function knownLine({ rawPacket, bytesParsed = 0 }: ParserError): RegExpExecArray | null {
  if (rawPacket === undefined) return null
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  return requestLine.exec(rawPacket.toString('latin1', start, start + 16_384))
}

const requestLine = /^[!#$%&'*+.^_`|~\w-]{1,64} ([^\s?]{1,8192})(\?\S*)? HTTP\/1\.[01]\r\n/

function endsInTarget(error: ParserError): boolean {
  const before = parsed(error)
  return /^[A-Z-]{1,32} \S*$/.test(before.slice(before.lastIndexOf('\n') + 1))
}

const parsed = ({ rawPacket, bytesParsed }: ParserError): string => rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
