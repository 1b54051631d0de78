// Which bodies are JSON by their own account.

import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../../failure/failure.ts'

/**
 * UNSUPPORTED_MEDIA_TYPE unless the body says that it is plain `application/json`, in UTF-8 where it names a character
 * set: a form that some browser sends by itself must never be read as JSON. (contract 4.1.5, 4.10.13)
 */
export function requireJsonType(headers: IncomingHttpHeaders): void {
  if (!isJsonType(headers['content-type'])) throw new Failure('UNSUPPORTED_MEDIA_TYPE')
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without a content encoding.' })
  }
}

/** Whether the body says that it is one of these, whatever its parameters; one that is absent says nothing, and is none. */
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

/** The values of `charset` among the parameters. Whatever stands in the quotes of another one is no parameter. (RFC 9110 5.6.6) */
function charsetsOf(parameters: string): readonly string[] {
  return [...parameters.matchAll(parameterForm)]
    .filter(([, name]) => name!.toLowerCase() === 'charset')
    .map(([, , quoted, token]) => (quoted?.replaceAll(/\\(.)/g, '$1') ?? token!).trim().toLowerCase())
}

const parameterForm = /;\s*([^;=\s]*)\s*(?:=\s*)?(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g
