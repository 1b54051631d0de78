// What logs, metrics and traces see of a request: nothing secret.

import type { FailureCode } from '../failure/failure.ts'

/** Called for every request after its response was handed to the connection. Must not throw. */
export type Watch = (request: WatchedRequest, reply: WatchedReply, durationMs: number) => void

export interface WatchedRequest {
  /** Empty where it could not be read. */
  readonly method: string
  /** As sent, without the query string. Holds ids, so it is no label of a metric. */
  readonly path: string | null
  /** The pattern that its path matches, such as `/api/v2/posts/{id}`; null without one. */
  readonly route: string | null
  readonly requestId: string
  readonly address: string
  readonly principal: Principal | null
  /** Whether the code of a route acted as the service itself. */
  readonly asService?: boolean
  /** Its span, if it is traced. */
  readonly trace?: WatchedTrace | null
  /** When it arrived. */
  readonly now: Date
}
/** In lower-case hex, as `traceparent` has them. */
export interface WatchedTrace {
  readonly traceId: string
  readonly spanId: string
}
/** The authenticated caller: a user, one of a user's API keys, or one that belongs to a tenant. */
export interface Principal {
  /** Null for a key that belongs to a tenant. */
  readonly id: string | null
  readonly tenant?: { readonly id: string }
  readonly credential: { readonly kind: 'bearer' } | { readonly kind: 'apiKey'; readonly keyId: string }
}
export interface WatchedReply {
  /** 0 if the client disconnected before the response. */
  readonly status: number
  readonly failure?: FailureCode | null
  readonly operation?: WatchedOperation | null
}
/** Identifies a GraphQL operation without its text, which may hold secrets. */
export interface WatchedOperation {
  readonly type: 'query' | 'mutation' | 'subscription'
  /** Null for one without a name. */
  readonly name: string | null
  /** Lower-case hex SHA-256 of the document. */
  readonly hash: string
}

/** Calls all of these; undefined, so that nothing is measured, without any. */
export function watchAll(watches: readonly (Watch | undefined)[]): Watch | undefined {
  const [first, second, ...more] = watches.filter((watch) => watch !== undefined)
  if (first === undefined || second === undefined) return first
  const rest = watchAll([second, ...more])!
  return (request, reply, durationMs) => {
    first(request, reply, durationMs)
    rest(request, reply, durationMs)
  }
}
