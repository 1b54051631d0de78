// A request on its way in and a reply on its way out, as the faces and the authentication endpoints see them.

import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerSize } from '../../budget/answer-size.ts'
import type { Deadline } from '../../budget/deadline.ts'
import type { FailureCode } from '../../failure/failure.ts'
import type { WatchedOperation } from '../../observation/watch.ts'

/** What a strictly read JSON body can be. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * One request. Bytes have been read as far as the headers; everything here is checked for form. It is the deadline of
 * whatever runs for it: `executionTimeoutMs` after it has arrived.
 */
export interface Exchange extends Deadline {
  readonly method: string
  /** As sent, without the query string: percent-encoding is intact and known to be well-formed. */
  readonly path: string
  /** As sent, without the `?`; empty where there was none. */
  readonly query: string
  readonly headers: IncomingHttpHeaders
  /** The client's address behind all trusted proxies, in canonical form. */
  readonly address: string
  readonly requestId: string
  /** The moment the request arrived. */
  readonly now: Date
  /** Counts the answer while it is made, beyond what REST and GraphQL add around it. (contract 8.4.6) */
  readonly size: AnswerSize
  /** Aborts when the deadline ends, for code that has to be told. Made when first asked for. */
  readonly signal: AbortSignal
  /**
   * Reads the body as strict JSON. `UNSUPPORTED_MEDIA_TYPE` unless it is `application/json`, `PAYLOAD_TOO_LARGE`,
   * `VALIDATION_ERROR` where it is malformed or absent, `REQUEST_TIMEOUT`. (contract 7.2.5, 8.4.1)
   */
  json(maxBytes: number): Promise<Json>
  /**
   * Reads the body as it was sent, of whatever media type; empty where there is none. `json` may still be asked afterwards.
   * `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`. (contract 8.4.1)
   */
  bytes(maxBytes: number): Promise<Uint8Array>
  /** True where the client announced a body. */
  readonly hasBody: boolean
  /** Set where the code of a route acts as the service itself, for whoever watches. */
  asService: boolean
  /** Whatever it says that is to stay secret: for the log of a bug, whose message may quote it. */
  readonly secrets?: () => readonly string[]
}

/** What goes out. Request id, security and rate-limit headers are added by the server, never by a face. */
export type Reply = WholeReply | StreamedReply

interface ReplyHead {
  readonly status: number
  /** Header names in their usual spelling, such as `Cache-Control`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** What it tells a client has failed, for whoever watches: of several the first. */
  readonly failure?: FailureCode | null
  /** Which GraphQL operation it answers, for whoever watches. */
  readonly operation?: WatchedOperation | null
}
export interface WholeReply extends ReplyHead {
  /** Null where there is no body. */
  readonly body: string | Uint8Array | null
}
/** Its body is made while it is sent. */
export interface StreamedReply extends ReplyHead {
  readonly body: BodyStream
}
/**
 * The pieces of a body, in order. One is asked for when the reader has room for it. Where nobody reads on, `return` is
 * called; where nobody reads at all, as with HEAD, before anything else.
 */
export type BodyStream = AsyncIterable<string | Uint8Array>

export const isStreamed = (reply: Reply): reply is StreamedReply =>
  typeof reply.body === 'object' && reply.body !== null && !(reply.body instanceof Uint8Array)
