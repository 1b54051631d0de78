// Turns the result of a route into a reply: JSON parts, or text, bytes or a stream of another media type.

import { isOpen } from '../../custom-route/access.ts'
import type { RouteDefinition } from '../../custom-route/definition.ts'
import { headersOfReply, RouteReply } from '../../custom-route/reply.ts'
import { answerParts, whereOf } from '../../custom-route/run.ts'
import { invariant } from '../../failure/failure.ts'
import type { BodyStream, Exchange, Reply } from '../../http/message/exchange.ts'
import type { Requester } from '../../resource/actor.ts'
import { publicButFresh, vary } from '../route/caching.ts'
import { readReply } from '../route/respond.ts'
import type { Version } from '../route/version.ts'

type ToReply = (answered: unknown, exchange: Exchange, actor: Requester) => Reply

/** A result that contradicts the route's declaration is a bug. (contract 5.5.3) */
export function compileAnswer(definition: RouteDefinition, version: Version): ToReply {
  const { answer } = definition
  const where = whereOf(definition)
  if (answer === undefined)
    return (_, exchange) => ({ status: 204, headers: version.headers(exchange.path), body: null })
  const send = compileSend(definition, version)
  if (typeof answer === 'string') return mediaAnswer(answer, where, send)
  return (answered, exchange, actor) => {
    const data = answerParts(answered, answer, version.vocabulary.part, where)
    return send(JSON.stringify({ data }), {}, exchange, actor)
  }
}

type Send = (
  body: string | Uint8Array | BodyStream,
  headers: Readonly<Record<string, string>>,
  exchange: Exchange,
  actor: Requester,
) => Reply

/** Reads can be cached, and have an ETag unless streamed. */
function compileSend({ method, status = 200, access }: RouteDefinition, version: Version): Send {
  return (body, more, exchange, actor) => {
    const headers = { ...more, ...version.headers(exchange.path) }
    if (method !== 'GET') return { status, headers, body } as Reply
    const cacheControl = actor === null && isOpen(access) ? publicButFresh : 'private, no-cache'
    if (typeof body !== 'string' && !(body instanceof Uint8Array))
      return { status, headers: { 'Cache-Control': cacheControl, Vary: vary, ...headers }, body }
    return { ...readReply(body, { cacheControl }, headers), status }
  }
}

function mediaAnswer(mediaType: string, where: string, send: Send): ToReply {
  const type = mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType
  return (answered, exchange, actor) => {
    const hasHeaders = answered instanceof RouteReply
    const body: unknown = hasHeaders ? answered.body : answered
    const headers = { 'Content-Type': type, ...(hasHeaders ? headersOfReply(answered, where) : {}) }
    invariant(isBody(body), `${where} answers text, bytes or pieces of them`)
    return send(body, headers, exchange, actor)
  }
}

const isBody = (value: unknown): value is string | Uint8Array | BodyStream =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && isBytesOrStream(value))
const isBytesOrStream = (value: object): boolean => value instanceof Uint8Array || Symbol.asyncIterator in value
