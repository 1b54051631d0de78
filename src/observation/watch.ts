// What logs, metrics and traces see of a request: enough to tell what happened, and nothing that a client keeps secret.

import type { FailureCode } from '../failure/failure.ts'

/** Told of every request that has its answer, after the answer was handed to the connection. Must not throw. */
export type Watch = (request: WatchedRequest, reply: WatchedReply, durationMs: number) => void

export interface WatchedRequest {
  /** Empty where it could not be read. */
  readonly method: string
  /** As sent, without the query string. Holds ids, so it is told to nobody who counts. */
  readonly path: string | null
  /** The pattern that its path fits, such as `/api/v2/posts/{id}`; null where that is not known, or there is none. */
  readonly route: string | null
  readonly requestId: string
  readonly address: string
  readonly principal: Principal | null
  /** Where it is traced. */
  readonly trace?: WatchedTrace | null
  /** When it arrived. */
  readonly now: Date
}
/** In lower-case hex, as `traceparent` has them. */
export interface WatchedTrace {
  readonly traceId: string
  readonly spanId: string
}
/** Whoever was identified: a user, or one of a user's API keys. */
export interface Principal {
  readonly id: string
  readonly credential: { readonly kind: 'bearer' } | { readonly kind: 'apiKey'; readonly keyId: string }
}
export interface WatchedReply {
  /** 0 where the client had gone before there was an answer. */
  readonly status: number
  readonly failure?: FailureCode | null
  readonly operation?: WatchedOperation | null
}
/** A GraphQL operation as people look for it: never its text, which may hold secrets. */
export interface WatchedOperation {
  readonly type: 'query' | 'mutation' | 'subscription'
  /** Null for one without a name. */
  readonly name: string | null
  /** Lower-case hex SHA-256 of the document. */
  readonly hash: string
}

/** One that tells all of these; undefined, so that nothing is measured, where there are none. */
export function watchAll(watches: readonly (Watch | undefined)[]): Watch | undefined {
  const [first, second, ...more] = watches.filter((watch) => watch !== undefined)
  if (first === undefined || second === undefined) return first
  const rest = watchAll([second, ...more])!
  return (request, reply, durationMs) => {
    first(request, reply, durationMs)
    rest(request, reply, durationMs)
  }
}
