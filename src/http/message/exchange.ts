// Requests and replies, as the faces and the authentication endpoints see them.

import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerSize } from '../../budget/answer-size.ts'
import type { Deadline } from '../../budget/deadline.ts'
import type { FailureCode } from '../../failure/failure.ts'
import type { Json } from '../../json/json.ts'
import type { WatchedOperation } from '../../observation/watch.ts'

/** A request whose head has been read and checked for form. As a deadline, it ends `executionTimeoutMs` after arrival. */
export interface Exchange extends Deadline {
  readonly method: string
  /** Percent-encoding is intact and well-formed. */
  readonly path: string
  /** Without the `?`. Of a QUERY, its body in this form, once read. */
  query: string
  readonly headers: IncomingHttpHeaders
  /** The client's address behind all trusted proxies, in canonical form. */
  readonly address: string
  readonly requestId: string
  readonly now: Date
  /** Counts the answer, without what faces add around it. (contract 8.4.6) */
  readonly size: AnswerSize
  /** Aborts at the deadline. Created on first use. */
  readonly signal: AbortSignal
  /**
   * Reads the body as strict JSON. `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `VALIDATION_ERROR` if malformed or absent,
   * `REQUEST_TIMEOUT`. `roundsNumbers` accepts numbers that lose digits. (contract 7.2.5, 7.2.9, 8.4.1)
   */
  json(maxBytes: number, roundsNumbers?: boolean): Promise<Json>
  /** The same; undefined without a body, or for a chunked one without a byte, whatever its media type. (contract 4.10.14) */
  jsonIfSent(maxBytes: number, roundsNumbers?: boolean): Promise<Json | undefined>
  /**
   * Reads the raw body of any media type; empty without one. `json` may be called afterwards. `PAYLOAD_TOO_LARGE`,
   * `REQUEST_TIMEOUT`. (contract 8.4.1)
   */
  bytes(maxBytes: number): Promise<Uint8Array>
  readonly hasBody: boolean
  /** A route's code acted as the service. */
  asService: boolean
  /** Secrets in the request, to be removed from logged error messages. */
  readonly secrets?: () => readonly string[]
}

export const originOf = ({ requestId, address, headers }: Pick<Exchange, 'requestId' | 'address' | 'headers'>) => ({
  id: requestId,
  address,
  agent: headers['user-agent'] ?? null,
})

/** The server adds request id, security and rate-limit headers; faces must not. */
export type Reply = WholeReply | StreamedReply

interface ReplyHead {
  readonly status: number
  /** Names in their usual spelling, such as `Cache-Control`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly failure?: FailureCode | null
  readonly operation?: WatchedOperation | null
}
export interface WholeReply extends ReplyHead {
  readonly body: string | Uint8Array | null
}
export interface StreamedReply extends ReplyHead {
  readonly body: BodyStream
  /** It lasts until either side ends it: without limits, and reported when it begins. */
  readonly isEndless?: boolean
}
/**
 * Pulled when the reader has room. `return` is called if the client stops reading, or at once if nothing is read, as with HEAD.
 */
export type BodyStream = AsyncIterable<string | Uint8Array>

export const isStreamed = (reply: Reply): reply is StreamedReply =>
  typeof reply.body === 'object' && reply.body !== null && !(reply.body instanceof Uint8Array)
