// What logs, metrics and traces observe of a request, without secrets.

import type { FailureCode } from '../failure/failure.ts'

/** After its response was passed to the connection. Must not throw. */
export type Watch = (request: WatchedRequest, reply: WatchedReply, durationMs: number) => void

export interface WatchedRequest {
  readonly method: string
  /** Without the query string. Contains ids, so it is no metric label. */
  readonly path: string | null
  /** The matching pattern, such as `/api/v2/posts/{id}`; null without one. */
  readonly route: string | null
  readonly requestId: string
  readonly address: string
  readonly principal: Principal | null
  readonly asService?: boolean
  readonly trace?: WatchedTrace | null
  readonly now: Date
}
/** In lower-case hex, as in `traceparent`. */
export interface WatchedTrace {
  readonly traceId: string
  readonly spanId: string
}
/** The authenticated caller: a user, an API key of a user, or a tenant's key. */
export interface Principal {
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
/** Without its text, which may contain secrets. */
export interface WatchedOperation {
  readonly type: 'query' | 'mutation' | 'subscription'
  readonly name: string | null
  /** Lower-case hex SHA-256 of the document. */
  readonly hash: string
}

/** Calls all of these; undefined if there are none, so that nothing is measured. */
export function watchAll(watches: readonly (Watch | undefined)[]): Watch | undefined {
  const [first, second, ...more] = watches.filter((watch) => watch !== undefined)
  if (first === undefined || second === undefined) return first
  const rest = watchAll([second, ...more])!
  return (request, reply, durationMs) => {
    first(request, reply, durationMs)
    rest(request, reply, durationMs)
  }
}
