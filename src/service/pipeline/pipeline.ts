// The pipeline of every request, in the order of the contract's checks. (contract 4.1)

import { setTimeout as pause } from 'node:timers/promises'
import { authEndpointOf, signInKind } from '../../authentication/auth-path.ts'
import type { Authentication } from '../../authentication/authentication.ts'
import { clientGone } from '../../budget/deadline.ts'
import type { Explorer } from '../../explorer/explorer.ts'
import { Failure } from '../../failure/failure.ts'
import type { Takes } from '../../graphql/face.ts'
import type { GraphqlFace } from '../../graphql/http.ts'
import type { Sockets } from '../../graphql/subscription/sockets.ts'
import { withAccessCode } from '../../http/access-code.ts'
import { type AllowedOrigins, isAllowedOrigin, withCors } from '../../http/cors.ts'
import { type Exchange, originOf, type Reply, type WholeReply } from '../../http/message/exchange.ts'
import { asProblem } from '../../http/problem-details.ts'
import { represent } from '../../http/represent.ts'
import type { Upgrade } from '../../http/server/connections.ts'
import type { ServerExchange } from '../../http/server/http-exchange.ts'
import type { Limits } from '../../limits.ts'
import type { PathKind } from '../../rate-limit/buckets.ts'
import type { RateLimiter, RateState } from '../../rate-limit/rate-limiter.ts'
import { actorIdOf, actorOf, idOfActor, keyLimitOf } from '../../resource/actor.ts'
import { isRoute, type RestFace } from '../../rest/rest-face.ts'
import type { LoadShedder, RefusalThrottle } from './load-shedding.ts'

export interface PipelineParts {
  readonly authentication: Authentication
  readonly limiter: RateLimiter
  readonly shedder: LoadShedder
  readonly throttle: RefusalThrottle
  readonly rest: RestFace
  readonly graphql: GraphqlFace
  readonly sockets: Sockets
  readonly health: (exchange: Exchange) => Promise<Reply>
  readonly wellKnown: (exchange: Exchange) => Reply | null
  readonly explorer: Explorer | null
  readonly paths: ReadonlySet<string>
  readonly allowedOrigins: AllowedOrigins
  readonly takesCodes: boolean
  readonly limits: Limits
  readonly clock: () => Date
}
export interface Pipeline {
  answer(exchange: ServerExchange): Promise<Reply>
  /** Counts a request that is refused for its head. */
  answerRefused(exchange: ServerExchange, failure: Failure): Promise<WholeReply>
  refuse(failure: Failure, path: string | null): WholeReply
  patternOf(path: string): string | null
  /** Returns null if the WebSocket is accepted, otherwise the refusal. (contract 0.1.4, 6.2.6) */
  upgrade(exchange: ServerExchange, upgrade: Upgrade): Promise<WholeReply | null>
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const { throttle, rest, paths, allowedOrigins, takesCodes, limits } = parts
  return {
    refuse: (failure, path) => refuse(parts, failure, path),
    patternOf: (path) => (paths.has(path) ? path : rest.patternOf(path)),
    async upgrade(exchange, upgrade) {
      const reply = await admit(parts, exchange, async () => acceptUpgrade(parts, exchange, upgrade))
      if (reply?.failure === 'SERVICE_UNAVAILABLE') await holdBack(throttle)
      return reply
    },
    async answer(exchange) {
      const reply = await admit(parts, exchange, (state) => dispatch(parts, exchange, state))
      // A client that has left must not delay the refusals of others.
      if (reply.failure === 'SERVICE_UNAVAILABLE' && exchange.ended() !== clientGone) await holdBack(throttle)
      const shared = withCors(described(reply, exchange), exchange, allowedOrigins, limits)
      return represent(takesCodes ? withAccessCode(shared, exchange) : shared, exchange, limits)
    },
    answerRefused: async (exchange, failure) => {
      const reply = await admit(parts, exchange, () => Promise.reject<WholeReply>(failure))
      return described(reply, exchange)
    },
  }
}

const described = <R extends Reply>(reply: R, { headers }: ServerExchange): R =>
  reply.failure == null ? reply : asProblem(reply, headers.accept)

/** Every answer has the headers of the counters passed. */
async function admit<T>(
  parts: PipelineParts,
  exchange: ServerExchange,
  work: (state: RateState) => Promise<T>,
): Promise<T | WholeReply> {
  const { limiter, shedder, limits } = parts
  const { path, method, address, now } = exchange
  const state = limiter.begin()
  try {
    const kind = pathKind(method, path, parts.authentication.endpoints.countsSteps)
    const counting = limiter.takeAddress(state, address, kind, now) //                      429
    if (counting !== undefined) await counting
    // Health checks are never shed.
    if (!shedder.admit() && kind !== 'health') throw tooBusy(limits) //                     503
    return await work(state)
  } catch (error) {
    // Formatted here, where the path's form is known; bugs go on to the server.
    if (error instanceof Failure) return refuse(parts, error, path, exchange.headers.accept)
    throw error
  } finally {
    const headers = limiter.headers(state)
    for (const name in headers)
      if (name !== 'Retry-After') exchange.addHeader(name, headers[name as keyof typeof headers]!)
  }
}

async function dispatch(parts: PipelineParts, exchange: ServerExchange, state: RateState): Promise<Reply> {
  const { authentication, limiter, rest, graphql, health, wellKnown, explorer } = parts
  const { path, method, address, now } = exchange
  if (path === '/health' || path.startsWith('/health/')) return health(exchange)
  const page = wellKnown(exchange) ?? explorer?.answer(exchange) ?? null
  if (page !== null) return page
  const endpoint = authentication.endpoints.route(method, path)
  if (endpoint !== null)
    return endpoint(exchange, {
      takeMail: (email) => limiter.takeForgotPassword(state, email, now),
      takeStep: (step) => limiter.takeStep(state, address, step, now),
    })
  const identification = authentication.identify(exchange.headers, now, exchange) //        401
  const requester = identification instanceof Promise ? await identification : identification
  const actor = actorOf(requester)
  exchange.principal = actor
  const counting = actor === null ? undefined : limiter.takeUser(state, idOfActor(actor), now, keyLimitOf(actor)) //   429
  if (counting !== undefined) await counting
  if (path === '/graphql') {
    const id = actorIdOf(actor)
    const takes: Takes = {
      takeRequests: async (count) => limiter.takeMore(state, address, id, count, now, keyLimitOf(actor)),
      takeRoute: async (limits) => limiter.takeRoute(state, limits, address, id, now),
    }
    return await graphql.handle(exchange, requester, takes)
  }
  const route = rest.route(exchange) //                                                     404, 405
  if (!isRoute(route)) return route
  exchange.route = route.pattern
  if (route.limits.length > 0) await limiter.takeRoute(state, route.limits, address, actorIdOf(actor), now) //        429
  return await route.handle(exchange, requester)
}

/** Fails with NOT_FOUND and FORBIDDEN. */
function acceptUpgrade(parts: PipelineParts, exchange: ServerExchange, upgrade: Upgrade): null {
  const { limiter, shedder, throttle, sockets, allowedOrigins, limits, clock } = parts
  const { path, headers, address, requestId } = exchange
  if (path !== '/graphql') throw new Failure('NOT_FOUND')
  if (!isAllowedOrigin(headers.origin, headers.host, allowedOrigins)) {
    throw new Failure('FORBIDDEN', { message: 'This origin is not let in.' })
  }
  sockets.accept(upgrade, {
    requestId,
    address,
    agent: originOf(exchange).agent,
    takes: (requester) => ({
      async takeRequests(count) {
        const actor = actorOf(requester)
        await limiter.takeMore(limiter.begin(), address, actorIdOf(actor), count, clock(), keyLimitOf(actor))
        if (shedder.admit()) return
        await holdBack(throttle)
        throw tooBusy(limits)
      },
      takeRoute: async (its) => limiter.takeRoute(limiter.begin(), its, address, actorIdOf(requester), clock()),
    }),
  })
  return null
}

function refuse({ graphql, rest }: PipelineParts, failure: Failure, path: string | null, accept?: string): WholeReply {
  if (path === '/graphql') return graphql.refuse(failure, accept)
  const reply = rest.refuse(failure, path)
  // They ignore the Authorization header, so the challenge must not describe its content. (contract 4.10.8)
  const isAuth = failure.status === 401 && path !== null && authEndpointOf(path) !== null
  return isAuth ? { ...reply, headers: { ...reply.headers, 'WWW-Authenticate': 'Bearer' } } : reply
}

const tooBusy = ({ busyRetrySeconds }: Limits): Failure =>
  new Failure('SERVICE_UNAVAILABLE', {
    message: 'The service is too busy at the moment.',
    retryAfterSeconds: busyRetrySeconds,
  })

async function holdBack(throttle: RefusalThrottle): Promise<void> {
  const waitMs = throttle()
  if (waitMs > 0) await pause(waitMs)
}

function pathKind(method: string, path: string, countsSteps: boolean): PathKind {
  if (path.startsWith('/health') && (path.length === 7 || path[7] === '/')) return 'health'
  const kind = signInKind(method, path) ?? 'other'
  return kind === 'login' && countsSteps ? 'other' : kind
}
