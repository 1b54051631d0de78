// A request as read from a body, a query string or a frame.

import { type Detail, Failure } from '../../failure/failure.ts'
import type { Exchange } from '../../http/message/exchange.ts'
import { readQuery } from '../../http/message/query.ts'
import { isObject, type Json, type JsonObject } from '../../json/json.ts'
import { type JsonLimits, readJsonText } from '../../json/read-json.ts'
import type { Variables } from './field-collector.ts'

export interface GraphqlRequest {
  /** Null if only a hash was sent. */
  readonly query: string | null
  readonly operationName: string | null
  readonly variables: Variables
  /** Of the exact text: lower-case hex SHA-256, or any id if the service accepts them. Null if none was sent. */
  readonly hash: string | null
  /** Names a trusted document; null unless any id is accepted. */
  readonly documentId?: string | null
  /** Of a subscription: the last event id that the client received. (contract 6.3.1) */
  readonly resumeAfter?: string | null
}

/** From a body or frame. Ignores unknown members. Fails with VALIDATION_ERROR. (contract 4.9.3, 7.3.4) */
export function readRequest(body: Json, takesAnyId = false): GraphqlRequest {
  if (Array.isArray(body)) refuse('Send one request at a time: batches are not taken.')
  if (!isObject(body)) refuse('The body must be a JSON object.')
  const details: Detail[] = []
  const extensions = object(body, 'extensions', details)
  const request = {
    query: text(body, 'query', details),
    operationName: text(body, 'operationName', details),
    variables: object(body, 'variables', details) ?? {},
    hash: readHash(extensions, takesAnyId, details),
    documentId: takesAnyId ? text(body, 'documentId', details) : null,
    resumeAfter: extensions === null ? null : readResumeAfter(extensions, details),
  }
  if (details.length === 0 && (request.query ?? request.hash ?? request.documentId) === null) {
    details.push({ field: 'query', message: 'Is required.' })
  }
  if (details.length > 0) throw new Failure('VALIDATION_ERROR', { details })
  return request
}

/** From a GET; `variables` and `extensions` are JSON. Fails like `readRequest`. */
export function readGetRequest(
  { query }: Pick<Exchange, 'query'>,
  limits: JsonLimits,
  takesAnyId = false,
): GraphqlRequest {
  const details: Detail[] = []
  const parameters = readQuery(query, details)
  if (details.length > 0) throw new Failure('VALIDATION_ERROR', { details })
  const json = (name: string) => {
    const sent = parameters.get(name)
    return sent === undefined || sent === '' ? null : readJsonText(sent, limits, `The parameter ${name}`)
  }
  return readRequest(
    {
      query: parameters.get('query') ?? null,
      operationName: parameters.get('operationName') ?? null,
      documentId: parameters.get('documentId') ?? null,
      variables: json('variables'),
      extensions: json('extensions'),
    },
    takesAnyId,
  )
}

const member = (body: JsonObject, name: string): Json => (Object.hasOwn(body, name) ? body[name]! : null)

/** Empty text counts as missing. */
function text(body: JsonObject, name: string, details: Detail[]): string | null {
  const value = member(body, name)
  if (value === null || typeof value === 'string') return value === '' ? null : value
  details.push({ field: name, message: 'Must be text.' })
  return null
}

function object(body: JsonObject, name: string, details: Detail[]): JsonObject | null {
  const value = member(body, name)
  if (value === null || isObject(value)) return value
  details.push({ field: name, message: 'Must be an object.' })
  return null
}

function readHash(extensions: JsonObject | null, takesAnyId: boolean, details: Detail[]): string | null {
  const persisted = extensions === null ? null : member(extensions, 'persistedQuery')
  if (persisted === null) return null
  const field = 'extensions.persistedQuery'
  if (!isObject(persisted)) {
    details.push({ field, message: 'Must be an object.' })
    return null
  }
  const [version, hash] = [member(persisted, 'version'), member(persisted, 'sha256Hash')]
  if (version !== null && version !== 1) details.push({ field: `${field}.version`, message: 'Must be 1.' })
  if (typeof hash === 'string' && (takesAnyId || /^[0-9a-f]{64}$/.test(hash))) return hash
  details.push({ field: `${field}.sha256Hash`, message: 'Must be a SHA-256 in lower-case hexadecimal digits.' })
  return null
}

function readResumeAfter(extensions: JsonObject, details: Detail[]): string | null {
  const id = member(extensions, 'resumeAfter')
  if (id === null || typeof id === 'string') return id
  details.push({ field: 'extensions.resumeAfter', message: 'Must be the id of an event.' })
  return null
}

function refuse(message: string): never {
  throw new Failure('VALIDATION_ERROR', { message })
}
