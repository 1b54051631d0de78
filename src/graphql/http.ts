// GraphQL over HTTP: methods, media types, statuses, caches. (contract 4.9, 7.3)

import { Failure, type FailureCode } from '../failure/failure.ts'
import { bodyETag } from '../http/message/conditional.ts'
import { type Exchange, originOf, type WholeReply } from '../http/message/exchange.ts'
import { negotiateMediaType } from '../http/message/negotiate.ts'
import type { WatchedOperation } from '../observation/watch.ts'
import type { Requester } from '../resource/actor.ts'
import type { Operation } from './document/document.ts'
import { type ErrorEntry, entryOf, Refusal } from './error.ts'
import type { Executed } from './execute/execute.ts'
import type { Caller } from './execute/run-call.ts'
import { createFace, type Face, type GraphqlDependencies, type TakeRequests } from './face.ts'
import { cacheControl, vary } from './prepare/caching.ts'
import type { PreparedOperation } from './prepare/prepare.ts'
import { readGetRequest, readRequest } from './prepare/request.ts'

export interface GraphqlFace extends Face {
  /** Answers `/graphql`. Failures become replies; a rejection is a bug. */
  handle(exchange: Exchange, actor: Requester, takeRequests: TakeRequests): Promise<WholeReply>
  /** The reply to a failure before routing; `accept` is the request header. */
  refuse(failure: Failure, accept?: string): WholeReply
}

const plain = 'application/json'
const strict = 'application/graphql-response+json'
type MediaType = typeof plain | typeof strict

const methods = 'GET, HEAD, OPTIONS, POST'

/** Throws if the model has no GraphQL schema; the message is one sentence. */
export function createGraphqlFace(dependencies: GraphqlDependencies): GraphqlFace {
  const face = createFace(dependencies)
  const { limits } = dependencies

  async function answer(exchange: Exchange, caller: Caller, takeRequests: TakeRequests): Promise<WholeReply> {
    const { method, headers } = exchange
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: methods }, body: null }
    const isGet = method === 'GET' || method === 'HEAD'
    if (!isGet && method !== 'POST') throw new Failure('METHOD_NOT_ALLOWED', { headers: { Allow: methods } })
    const request = isGet
      ? readGetRequest(exchange, limits, face.takesAnyId)
      : readRequest(await exchange.json(limits.graphqlBodyBytes), face.takesAnyId)
    const prepared = await face.prepare(request, caller, isGet ? permitQueries : permitAnswers)
    const executed = await face.run(prepared, caller, takeRequests)
    const mediaType = negotiate(headers.accept)
    return isGet
      ? cacheableReply(executed, prepared, mediaType, caller.actor)
      : watchedReply(reply(200, executed.body, mediaType), executed.failure, prepared.operation.watched)
  }

  return {
    ...face,
    async handle(exchange, actor, takeRequests) {
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
        redaction: exchange,
      }
      try {
        return await answer(exchange, caller, takeRequests)
      } catch (error) {
        const { accept } = exchange.headers
        if (error instanceof Failure) return watchedReply(refuse(error, accept), error.code, caller.operation)
        if (error instanceof Refusal)
          return watchedReply(refusalReply(error.errors, negotiate(accept)), codeOf(error), caller.operation)
        throw error
      }
    },
    refuse,
  }
}

/** GET is safe. (contract 4.9.1) */
function permitQueries(operation: Operation): void {
  permitAnswers(operation)
  if (operation.type === 'query') return
  throw new Failure('METHOD_NOT_ALLOWED', { message: 'Send mutations by POST.', headers: { Allow: 'POST' } })
}

/** HTTP has a single answer. (contract 6.2.7) */
function permitAnswers({ type }: Operation): void {
  if (type !== 'subscription') return
  const message = 'Subscribe over a WebSocket, with the subprotocol graphql-transport-ws.'
  throw new Refusal([entryOf(new Failure('VALIDATION_ERROR', { message }))])
}

const negotiate = (accept: string | undefined): MediaType => negotiateMediaType(accept, [plain, strict]) ?? plain

const reply = (
  status: number,
  body: string,
  mediaType: MediaType,
  headers: WholeReply['headers'] = {},
): WholeReply => ({
  status,
  headers: { 'Content-Type': `${mediaType}; charset=utf-8`, ...headers },
  body,
})

const watchedReply = (
  { status, headers, body }: WholeReply,
  failure: FailureCode | null,
  operation: WatchedOperation | null = null,
): WholeReply => ({ status, headers, body, failure, operation })

const codeOf = ({ errors }: Refusal): FailureCode => errors[0]!.extensions.code

/** For a well-formed GraphQL request. */
const refusalReply = (errors: readonly ErrorEntry[], mediaType: MediaType): WholeReply =>
  reply(mediaType === strict ? 400 : 200, JSON.stringify({ errors }), mediaType)

/** For anything that is not a GraphQL request, and earlier failures. Only a refused credential may get 200. */
function refuse(failure: Failure, accept?: string): WholeReply {
  const mediaType = negotiate(accept)
  const { status, headers, retryAfterSeconds = status === 503 ? 1 : undefined } = failure
  const isQuiet = status === 401 && mediaType === plain
  const refusal = reply(isQuiet ? 200 : status, JSON.stringify({ errors: [entryOf(failure)] }), mediaType, {
    ...(status === 401 && !isQuiet ? { 'WWW-Authenticate': 'Bearer error="invalid_token"' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...headers,
  })
  return watchedReply(refusal, failure.code)
}

function cacheableReply(
  { body, failure }: Executed,
  prepared: PreparedOperation,
  mediaType: MediaType,
  actor: Requester,
): WholeReply {
  if (failure !== null)
    return watchedReply(reply(200, body, mediaType, { Vary: vary }), failure, prepared.operation.watched)
  const etag = bodyETag(mediaType === plain ? body : `${mediaType} ${body}`)
  const headers = { ETag: etag, 'Cache-Control': cacheControl(prepared, actor), Vary: vary }
  return watchedReply(reply(200, body, mediaType, headers), null, prepared.operation.watched)
}
