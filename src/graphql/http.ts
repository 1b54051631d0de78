// GraphQL over HTTP: methods, media types, statuses, caches. (contract 4.9, 7.3)

import { Failure, type FailureCode } from '../failure/failure.ts'
import { bodyETag } from '../http/message/conditional.ts'
import { type Exchange, originOf, type Reply, type WholeReply } from '../http/message/exchange.ts'
import { negotiateMediaType, qualityOf } from '../http/message/negotiate.ts'
import type { WatchedOperation } from '../observation/watch.ts'
import type { Requester } from '../resource/actor.ts'
import type { Operation } from './document/document.ts'
import { type ErrorEntry, entryOf, Refusal } from './error.ts'
import type { Executed } from './execute/execute.ts'
import type { Caller } from './execute/run-call.ts'
import { createFace, type Face, type GraphqlDependencies, type Permit, type TakeRequests, type Takes } from './face.ts'
import { cacheControl, vary } from './prepare/caching.ts'
import type { PreparedOperation } from './prepare/prepare.ts'
import { type GraphqlRequest, readGetRequest, readRequest } from './prepare/request.ts'
import {
  resumeIdOf,
  type StreamDependencies,
  streamSubscription,
  streamType,
  wholeStream,
} from './subscription/stream.ts'

export interface GraphqlHttpDependencies extends GraphqlDependencies {
  readonly subscriptions?: StreamDependencies
}
export interface GraphqlFace extends Face {
  /** A rejection is a bug. */
  handle(exchange: Exchange, actor: Requester, takes: Takes): Promise<Reply>
  /** Before routing; `accept` is the request header. */
  refuse(failure: Failure, accept?: string): WholeReply
}

const plain = 'application/json'
const strict = 'application/graphql-response+json'
type MediaType = typeof plain | typeof strict | typeof streamType

const methods = 'GET, HEAD, OPTIONS, POST'

/** Throws if the model has no GraphQL schema; the message is one sentence. */
export function createGraphqlFace(dependencies: GraphqlHttpDependencies): GraphqlFace {
  const face = createFace(dependencies)
  const { limits, subscriptions } = dependencies

  async function answer(exchange: Exchange, caller: Caller, takeRequests: TakeRequests): Promise<Reply> {
    const { method, headers } = exchange
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: methods }, body: null }
    const isGet = method === 'GET' || method === 'HEAD'
    if (!isGet && method !== 'POST') throw new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: methods } })
    const body = isGet ? null : await exchange.json(limits.graphqlBodyBytes)
    let request: GraphqlRequest
    try {
      request = isGet ? readGetRequest(exchange, limits, face.takesAnyId) : readRequest(body, face.takesAnyId)
    } catch (error) {
      if (error instanceof Failure) return malformedReply(error, headers.accept)
      throw error
    }
    const isStreamable = subscriptions !== undefined && takesStreams(headers.accept)
    const resumeAfter = isStreamable ? resumeIdOf(exchange, request.resumeAfter ?? null) : null
    const permit = isStreamable ? permitAll : permitAnswers
    const prepared = await face.prepare(request, caller, isGet ? (each) => permitReads(each, permit) : permit)
    if (prepared.operation.type === 'subscription') {
      const subscription = { exchange, actor: caller.actor, resumeAfter }
      const stream = await streamSubscription(prepared, subscription, subscriptions!)
      return { ...stream, operation: prepared.operation.watched }
    }
    const executed = await face.run(prepared, caller, takeRequests)
    const mediaType = negotiate(headers.accept)
    return isGet && mediaType !== streamType
      ? cacheableReply(executed, prepared, mediaType, caller.actor)
      : reply(statusOf(executed, mediaType), executed.body, mediaType, executed.failure, prepared.operation.watched)
  }

  return {
    ...face,
    async handle(exchange, actor, { takeRequests, takeRoute }) {
      const clientName = exchange.headers['x-client-name']
      const { requestId, size } = exchange
      const caller: Caller = {
        actor,
        requestId,
        origin: originOf(exchange),
        requestTime: exchange.now,
        deadline: exchange,
        size,
        clientName,
        request: exchange,
        takeRoute,
      }
      try {
        return await answer(exchange, caller, takeRequests)
      } catch (error) {
        const { accept } = exchange.headers
        if (error instanceof Failure) return refusalOf(error, caller, accept)
        if (error instanceof Refusal) return refusalReply(error.errors, negotiate(accept), caller.operation)
        throw error
      }
    },
    refuse,
  }
}

/** GET is safe. (contract 4.9.1) */
function permitReads(operation: Operation, permit: Permit): void {
  permit(operation)
  if (operation.type !== 'mutation') return
  throw new Failure('METHOD_NOT_ALLOWED', { message: 'Send mutations by POST.', headers: { Allow: 'POST' } })
}

const permitAll: Permit = () => {}

/** JSON is a single answer. (contract 6.2.7) */
function permitAnswers({ type }: Operation): void {
  if (type !== 'subscription') return
  const message =
    'Subscribe over a WebSocket, with the subprotocol graphql-transport-ws, or accept the media type text/event-stream.'
  throw new Refusal([entryOf(new Failure('VALIDATION_ERROR', { message }))])
}

const negotiate = (accept: string | undefined): MediaType =>
  negotiateMediaType(accept, takesStreams(accept) ? [plain, strict, streamType] : [plain, strict]) ?? plain

/** By name: a client that accepts anything expects JSON. */
const takesStreams = (accept: string | undefined): boolean =>
  accept?.toLowerCase().includes(streamType) === true && qualityOf(streamType, accept) > 0

const reply = (
  status: number,
  body: string,
  mediaType: MediaType,
  failure: FailureCode | null,
  operation: WatchedOperation | null = null,
  headers: WholeReply['headers'] = {},
): WholeReply => ({
  status,
  headers: { 'Content-Type': `${mediaType}; charset=utf-8`, ...headers },
  body: mediaType === streamType ? wholeStream(body) : body,
  failure,
  operation,
})

/** A partial success has a status of its own. (contract 7.3.10) */
const statusOf = ({ failure }: Executed, mediaType: MediaType): number =>
  mediaType === strict && failure !== null ? 294 : 200

function refusalReply(errors: readonly ErrorEntry[], mediaType: MediaType, operation?: WatchedOperation): WholeReply {
  const { code } = errors[0]!.extensions
  const status = mediaType === strict ? refusedStatus(code) : 200
  return reply(status, JSON.stringify({ errors }), mediaType, code, operation)
}

/** A text that is no trusted document is forbidden. */
function refusedStatus(code: FailureCode): number {
  if (code === 'FORBIDDEN') return 403
  return code === 'GRAPHQL_PARSE_FAILED' ? 400 : 422
}

/** To what is no request of GraphQL. */
const malformedReply = (failure: Failure, accept: string | undefined): WholeReply => {
  const refusal = refuse(failure, accept)
  return negotiate(accept) === strict ? { ...refusal, status: 422 } : refusal
}

/** A refused operation is part of the stream; EVENTS_GONE and temporary failures are statuses. (contract 6.4) */
function refusalOf(failure: Failure, { operation }: Caller, accept: string | undefined): WholeReply {
  const isStreamed = operation?.type === 'subscription' && takesStreams(accept)
  const isOwn = failure.status >= 500 || [405, 410, 429].includes(failure.status)
  if (isStreamed && !isOwn) return refusalReply([entryOf(failure)], streamType, operation)
  return { ...refuse(failure, accept), operation: operation ?? null }
}

/** And for earlier failures. Only a refused credential may get 200. */
function refuse(failure: Failure, accept?: string): WholeReply {
  const negotiated = negotiate(accept)
  const isQuiet = failure.status === 401 && negotiated === plain
  // A stream that does not begin is no stream.
  const mediaType = negotiated === streamType ? plain : negotiated
  const { status, headers, retryAfterSeconds = status === 503 ? 1 : undefined } = failure
  return reply(isQuiet ? 200 : status, JSON.stringify({ errors: [entryOf(failure)] }), mediaType, failure.code, null, {
    ...(status === 401 && !isQuiet ? { 'WWW-Authenticate': 'Bearer error="invalid_token"' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...headers,
  })
}

function cacheableReply(
  executed: Executed,
  prepared: PreparedOperation,
  mediaType: MediaType,
  actor: Requester,
): WholeReply {
  const { body, failure } = executed
  const { watched } = prepared.operation
  if (failure !== null) return reply(statusOf(executed, mediaType), body, mediaType, failure, watched, { Vary: vary })
  const etag = bodyETag(mediaType === plain ? body : `${mediaType} ${body}`)
  const headers = { ETag: etag, 'Cache-Control': cacheControl(prepared, actor), Vary: vary }
  return reply(200, body, mediaType, null, watched, headers)
}
