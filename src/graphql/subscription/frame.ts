// The messages of graphql-transport-ws: read strictly, written as text that is made once for all who get the same.

import { Failure } from '../../failure/failure.ts'
import type { Json } from '../../http/message/exchange.ts'
import { type JsonLimits, readJsonText } from '../../http/message/read-json.ts'
import type { ErrorEntry } from '../error.ts'

type Members = { readonly [name: string]: Json }
export type ClientFrame =
  | { readonly type: 'connection_init'; readonly payload: Members }
  | { readonly type: 'ping' | 'pong' }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: Json }
  | { readonly type: 'complete'; readonly id: string }

const idLengthMax = 128

/** A client's message; null where it is none. (graphql-transport-ws) */
export function readFrame(text: string, limits: JsonLimits): ClientFrame | null {
  let frame: Json
  try {
    frame = readJsonText(text, limits, 'The message')
  } catch (error) {
    // Whatever is wrong with its JSON, a malformed message ends the connection with one code.
    if (error instanceof Failure) return null
    throw error
  }
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
      return hasId && isObject(payload) ? { type, id, payload } : null
    case 'complete':
      return hasId ? { type, id } : null
    default:
      return null
  }
}

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
