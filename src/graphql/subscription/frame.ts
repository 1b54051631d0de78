// Messages of graphql-transport-ws: parsed strictly; printed once for all recipients.

import { type Detail, Failure } from '../../failure/failure.ts'
import type { Json } from '../../json/json.ts'
import { type JsonLimits, readJsonText } from '../../json/read-json.ts'
import type { ErrorEntry } from '../error.ts'

type Members = { readonly [name: string]: Json }
export type ClientFrame =
  | { readonly type: 'connection_init'; readonly payload: Members }
  | { readonly type: 'ping' | 'pong' }
  | { readonly type: 'subscribe'; readonly id: string; readonly payload: Members; readonly failure: Failure | null }
  | { readonly type: 'complete'; readonly id: string }

const idLengthMax = 128

/** Null if malformed. (graphql-transport-ws) */
export function readFrame(text: string, { jsonDepth }: JsonLimits): ClientFrame | null {
  let frame: Json
  try {
    // The payload has the nesting limit of a body.
    frame = readJsonText(text, { jsonDepth: jsonDepth + 1 }, 'The message')
  } catch (error) {
    if (error instanceof Failure) return withWrongPayload(text, error, jsonDepth)
    throw error
  }
  return frameOf(frame)
}

/** A problem inside a request fails its operation; any other ends the connection. (contract 6.2.11) */
function withWrongPayload(text: string, { details }: Failure, depthMax: number): ClientFrame | null {
  const frame = frameOf(parse(text))
  if (frame?.type !== 'subscribe') return null
  const problems = details === undefined ? tooDeepMembers(frame.payload, depthMax) : membersOf(details)
  if (problems.length === 0) return null
  return { ...frame, payload: {}, failure: new Failure('VALIDATION_ERROR', { details: problems }) }
}

/** Relative to the payload; empty if one is outside. */
function membersOf(details: readonly Detail[]): readonly Detail[] {
  const inside = details.filter(({ field }) => field.startsWith(payloadName))
  if (inside.length < details.length) return []
  return inside.map(({ field, message }) => ({ field: field.slice(payloadName.length), message }))
}
const payloadName = 'payload.'

const tooDeepMembers = (payload: Members, depthMax: number): readonly Detail[] =>
  Object.entries(payload).flatMap(([field, value]) =>
    isDeeper(value, depthMax - 1) ? [{ field, message: `A request is nested at most ${depthMax} levels deep.` }] : [],
  )

const isDeeper = (value: Json, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each as Json, levels - 1)))

/** Null if invalid. */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
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

/** Checks only types; the operation reports missing members and problems of extensions. */
const isRequest = ({ query = null, operationName = null, variables = null, extensions = null }: Members): boolean =>
  [query, operationName].every((each) => each === null || typeof each === 'string') &&
  [variables, extensions].every((each) => each === null || isObject(each))

const isObject = (value: Json | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const acknowledged = '{"type":"connection_ack"}'
export const pinging = '{"type":"ping"}'
/** `eventId`: every event up to it has been sent. */
export const ponging = (eventId: string | null): string =>
  eventId === null ? '{"type":"pong"}' : `{"type":"pong","payload":{"eventId":${JSON.stringify(eventId)}}}`
/** `payload` is JSON text. */
export const next = (id: string, payload: string): string =>
  `{"id":${JSON.stringify(id)},"type":"next","payload":${payload}}`
export const failed = (id: string, errors: readonly ErrorEntry[]): string =>
  `{"id":${JSON.stringify(id)},"type":"error","payload":${JSON.stringify(errors)}}`
export const complete = (id: string): string => `{"id":${JSON.stringify(id)},"type":"complete"}`

/** Common clients reconnect after 4403, 4499, 1001 and 1013. (contract 6.2.1) */
export const closing = {
  malformed: [4400, 'The message is malformed.'],
  misplaced: [4400, 'Send a token as Authorization or X-API-Key, in the payload itself.'],
  tooEarly: [4401, 'Subscribe after the connection was acknowledged.'],
  forbidden: [4403, 'The credential is not accepted.'],
  noSubprotocol: [4406, 'Use the subprotocol graphql-transport-ws.'],
  initTimeout: [4408, 'The connection was not initialised in time.'],
  duplicateId: [4409, 'There is an operation with this id already.'],
  secondInit: [4429, 'The connection is initialised already.'],
  idle: [4499, 'No message arrived for too long.'],
  stopping: [1001, 'The service is stopping.'],
  tooSlow: [1013, 'The messages were not read fast enough.'],
} as const satisfies Record<string, readonly [number, string]>
export type Closing = keyof typeof closing
