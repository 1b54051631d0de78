// Recognises JSON bodies by their media type.

import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../failure/failure.ts'

/**
 * UNSUPPORTED_MEDIA_TYPE unless it is plain `application/json`, in UTF-8 if a charset is given: a form that browsers send on their
 * own must not be read as JSON. (contract 4.1.5, 4.10.13)
 */
export function requireJsonType(headers: IncomingHttpHeaders): void {
  if (!isJsonType(headers['content-type'])) throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without a content encoding.' })
  }
}

export function isMediaType(headers: IncomingHttpHeaders, mediaTypes: readonly string[]): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  return mediaTypes.includes(type.trim().toLowerCase())
}

function isJsonType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  if (contentType === 'application/json') return true
  const [, type, parameters] = /^([^;]*)(.*)$/s.exec(contentType)!
  return type!.trim().toLowerCase() === 'application/json' && charsetsOf(parameters!).every((name) => name === 'utf-8')
}

/** The values of `charset`. Text quoted in another parameter is not one. (RFC 9110 5.6.6) */
function charsetsOf(parameters: string): readonly string[] {
  return [...parameters.matchAll(parameterForm)]
    .filter(([, name]) => name!.toLowerCase() === 'charset')
    .map(([, , quoted, token]) => (quoted?.replaceAll(/\\(.)/g, '$1') ?? token!).trim().toLowerCase())
}

const parameterForm = /;\s*([^;=\s]*)\s*(?:=\s*)?(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g
