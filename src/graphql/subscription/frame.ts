// The messages of graphql-transport-ws: read strictly, written as text that is made once for all who get the same.

import { type Detail, Failure } from '../../failure/failure.ts'
import type { Json } from '../../http/message/exchange.ts'
import { type JsonLimits, readJsonText } from '../../http/message/read-json.ts'
import type { ErrorEntry } from '../error.ts'

type Members = { readonly [name: string]: Json }
export type ClientFrame =
  | { readonly type: 'connection_init'; readonly payload: Members }
  | { readonly type: 'ping' | 'pong' }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: Members; readonly failure: Failure | null }
  | { readonly type: 'complete'; readonly id: string }

const idLengthMax = 128

/** A client's message; null where it is none. (graphql-transport-ws) */
export function readFrame(text: string, limits: JsonLimits): ClientFrame | null {
  let frame: Json
  try {
    frame = readJsonText(text, limits, 'The message')
  } catch (error) {
    if (error instanceof Failure) return error.details === undefined ? null : withWrongVariables(text, error.details)
    throw error
  }
  return frameOf(frame)
}

/** What is wrong inside of variables is their operation's alone; whatever else is, ends the connection. (contract 6.2.11) */
function withWrongVariables(text: string, details: readonly Detail[]): ClientFrame | null {
  if (!details.every(({ field }) => field.startsWith('payload.variables.'))) return null
  const frame = frameOf(JSON.parse(text) as Json)
  if (frame?.type !== 'subscribe') return null
  const relative = details.map((detail) => ({ ...detail, field: detail.field.slice('payload.'.length) }))
  return { ...frame, failure: new Failure('VALIDATION_ERROR', { details: relative }) }
}

function frameOf(frame: Json): ClientFrame | null {
  if (!isObject(frame)) return null
  const { type, id, payload = null } = frame
  const hasId = typeof id === 'string' && id !== '' && id.length <= idLengthMax
  switch (type) {
    case 'connection_init':
      return payload === null ? { type, payload: {} } : isObject(payload) ? { type, payload } : null
    case 'ping':
    case 'pong':
      return payload === null || isObject(payload) ? { type } : null
    case 'subscribe':
      return hasId && isObject(payload) && isRequest(payload) ? { type, id, payload, failure: null } : null
    case 'complete':
      return hasId ? { type, id } : null
    default:
      return null
  }
}

/** Of the right types, or absent; what is missing, and what extensions say, is the operation's to be told of. */
const isRequest = ({ query = null, operationName = null, variables = null, extensions = null }: Members): boolean =>
  [query, operationName].every((each) => each === null || typeof each === 'string') &&
  [variables, extensions].every((each) => each === null || isObject(each))

const isObject = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const acknowledged = '{"type":"connection_ack"}'
export const pinging = '{"type":"ping"}'
/** `eventId`: all that this connection listens to has been told up to here. */
export const ponging = (eventId: string | null): string =>
  eventId === null ? '{"type":"pong"}' : `{"type":"pong","payload":{"eventId":${JSON.stringify(eventId)}}}`
/** `payload` is JSON text. */
export const next = (id: string, payload: string): string =>
  `{"id":${JSON.stringify(id)},"type":"next","payload":${payload}}`
export const failed = (id: string, errors: readonly ErrorEntry[]): string =>
  `{"id":${JSON.stringify(id)},"type":"error","payload":${JSON.stringify(errors)}}`
export const complete = (id: string): string => `{"id":${JSON.stringify(id)},"type":"complete"}`

/** Why a connection ends. The widespread client comes back after 4403, 4499, 1001 and 1013. (contract 6.2.1) */
export const closing = {
  malformed: [4400, 'The message is malformed.'],
  tooEarly: [4401, 'Subscribe after the connection was acknowledged.'],
  forbidden: [4403, 'The credential is not accepted.'],
  noSubprotocol: [4406, 'Speak graphql-transport-ws.'],
  initTimeout: [4408, 'The connection was not initialised in time.'],
  duplicateId: [4409, 'There is an operation with this id already.'],
  secondInit: [4429, 'The connection is initialised already.'],
  idle: [4499, 'Nothing was heard for too long.'],
  stopping: [1001, 'The service is stopping.'],
  tooSlow: [1013, 'The messages were not read fast enough.'],
} as const satisfies Record<string, readonly [number, string]>
export type Closing = keyof typeof closing
