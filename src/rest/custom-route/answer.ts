// From what the code of a route answers to a reply: the parts of `data`, text and bytes of another media type, or pieces of them.

import { invariant } from '../../failure/failure.ts'
import type { BodyStream, Exchange, Reply } from '../../http/message/exchange.ts'
import { writeParts } from '../../program/write-value.ts'
import type { Requester } from '../../resource/actor.ts'
import type { PartName } from '../../resource/field/field.ts'
import { kindOf } from '../../resource/field/registry.ts'
import { publicButFresh, vary } from '../caching.ts'
import { readReply } from '../respond.ts'
import type { Version } from '../version.ts'
import { isOpen } from './access.ts'
import type { RouteDefinition, Specs } from './definition.ts'
import { headersOfReply, RouteReply } from './reply.ts'

type ToReply = (answered: unknown, exchange: Exchange, actor: Requester) => Reply

/** A value that does not fit what the route declares is its author's bug, not the client's. (contract 5.5.3) */
export function compileAnswer(definition: RouteDefinition, version: Version): ToReply {
  const { answer, method, path } = definition
  const where = `${method} ${path}`
  if (answer === undefined)
    return (_, exchange) => ({ status: 204, headers: version.headers(exchange.path), body: null })
  const send = compileSend(definition, version)
  if (typeof answer === 'string') return mediaAnswer(answer, where, send)
  return (answered, exchange, actor) => {
    const data = printed(answered, answer, version.vocabulary.part, where)
    return send(JSON.stringify({ data }), {}, exchange, actor)
  }
}

type Send = (
  body: string | Uint8Array | BodyStream,
  headers: Readonly<Record<string, string>>,
  exchange: Exchange,
  actor: Requester,
) => Reply

/** What is read may be kept, and is not sent again to who has it; what is made while it is sent has no ETag. */
function compileSend({ method, status = 200, access }: RouteDefinition, version: Version): Send {
  return (body, more, exchange, actor) => {
    const headers = { ...more, ...version.headers(exchange.path) }
    if (method !== 'GET') return { status, headers, body } as Reply
    const cacheControl = actor === null && isOpen(access) ? publicButFresh : 'private, no-cache'
    if (typeof body !== 'string' && !(body instanceof Uint8Array))
      return { status, headers: { 'Cache-Control': cacheControl, Vary: vary, ...headers }, body }
    const reply = readReply(body, { cacheControl }, exchange.headers['if-none-match'], headers)
    if (reply.status !== 304) return { ...reply, status }
    const { 'Content-Type': _, ...kept } = reply.headers
    return { ...reply, headers: kept }
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

/** As the document says it. */
function printed(answered: unknown, answer: Specs, partName: PartName, where: string): object {
  invariant(typeof answered === 'object' && answered !== null, `${where} answers an object`)
  const data = writeParts(answer, answered as Readonly<Record<string, unknown>>, partName)
  for (const [name, spec] of Object.entries(answer)) {
    const wire = partName(name, spec)
    if (data[wire] === null && spec.optional) continue
    kindOf(spec).check(
      spec,
      data[wire],
      (path, message) => invariant(false, `${where} answers what its ${name}${path} can be: ${message}`),
      partName,
    )
  }
  return data
}
