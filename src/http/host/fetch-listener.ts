// Answers fetch requests, for hosts without node:http and tests without a port.

import type { IncomingHttpHeaders } from 'node:http'
import { ConnectionRoom, SharedRoom } from '../../budget/answer-room.ts'
import { clientGone } from '../../budget/deadline.ts'
import { InFlight } from '../../concurrency/in-flight.ts'
import { Failure } from '../../failure/failure.ts'
import type { WatchedReply } from '../../observation/watch.ts'
import { isStreamed, type StreamedReply, type WholeReply } from '../message/exchange.ts'
import { canonicalAddress, createAddressFinder } from '../server/address.ts'
import { type AnswerStream, AnswerStreams, discard } from '../server/answer/answer-stream.ts'
import { blame } from '../server/answer/send-pieces.ts'
import type { ConnectionsOptions } from '../server/connections.ts'
import { HttpExchange } from '../server/http-exchange.ts'
import { createReplier, type Replier } from '../server/replier.ts'
import { findHeadFailure } from '../server/request-head.ts'
import { bare, isBodiless, requestIdFrom } from '../server/respond.ts'
import { targetBelow } from './base-path.ts'
import { WebBody } from './web-body.ts'
import { WebClient } from './web-client.ts'
import { streamedResponse, webResponse, webStream } from './web-response.ts'

/** Determines the client's address. `host` is what the runtime passes along with the request. Null if unknown. */
export type ClientAddress = (request: Request, host: unknown) => string | null

export interface FetchListenerOptions extends Omit<ConnectionsOptions, 'isHosted' | 'upgrade'> {
  readonly basePath: string
  readonly clientAddress: ClientAddress | undefined
}

export class FetchListener {
  readonly #options: FetchListenerOptions
  readonly #replier: Replier
  readonly #bodies: SharedRoom
  readonly #answers: SharedRoom
  readonly #findAddress: (peer: string, forwardedFor: string | undefined) => string
  readonly #streams: AnswerStreams
  readonly #inFlight = new InFlight()
  #stopping: Failure | null = null
  #hasWarned = false

  constructor(options: FetchListenerOptions) {
    const { limits, trustProxy, bodies, answers } = options
    this.#options = options
    this.#replier = createReplier(options)
    this.#bodies = bodies ?? new SharedRoom(limits.bodiesBytes)
    this.#streams = new AnswerStreams(limits)
    this.#answers = answers ?? new SharedRoom(limits.answersBytes)
    // `clientAddress` may already have evaluated the header.
    this.#findAddress = createAddressFinder({ trustProxy, limits, warn: () => undefined })
  }

  /** Never rejects. */
  async fetch(request: Request, host: unknown): Promise<Response> {
    this.#inFlight.begin()
    const client = new WebClient(request)
    const { limits } = this.#options
    const body = await WebBody.of(request, { budget: this.#bodies, limits })
    const { exchange, failure } = this.#exchangeOf(request, body, host, client)
    const reply = failure === null ? await this.#replier.reply(exchange) : this.#replier.refuse(failure, exchange.path)
    exchange.body?.release()
    return isStreamed(reply) ? this.#stream(reply, exchange, client) : this.#send(reply, exchange, client)
  }

  /** Refuses new requests; resolves when earlier ones are answered, or after `drainMs`. */
  async close(): Promise<void> {
    this.#stopping = new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
    await this.#inFlight.settled(this.#options.limits.drainMs)
  }

  #send(reply: WholeReply, exchange: WebExchange, client: WebClient): Response {
    let sent = reply
    let response: Response
    try {
      response = webResponse(reply, exchange, exchange.method)
    } catch (thrown) {
      // A header that cannot be written, such as one with a line break.
      sent = this.#replier.toThrown(exchange, thrown)
      response = webResponse(sent, bare(exchange), exchange.method)
    }
    this.#finish(exchange, client, sent)
    return response
  }

  async #stream(reply: StreamedReply, exchange: WebExchange, client: WebClient): Promise<Response> {
    const report = (thrown: unknown): void => void this.#replier.toThrown(exchange, thrown)
    if (exchange.method === 'HEAD' || isBodiless(reply.status)) {
      void discard(reply.body, report)
      this.#finish(exchange, client, reply)
      return streamedResponse(reply, null, exchange)
    }
    const { isEndless = false } = reply
    exchange.beginStream(isEndless ? Number.POSITIVE_INFINITY : this.#options.limits.streamTimeoutMs)
    const { promise: end, resolve: ended } = Promise.withResolvers<unknown>()
    let stream: AnswerStream
    let response: Response
    try {
      stream = await this.#streams.open(reply.body, { signal: exchange.signal, report, ended, isEndless })
    } catch (thrown) {
      return this.#send(this.#replier.toThrown(exchange, thrown), exchange, client)
    }
    try {
      response = streamedResponse(reply, webStream(stream, end), exchange)
    } catch (thrown) {
      // As in `#send`.
      stream.stop(thrown)
      return this.#send(this.#replier.toThrown(exchange, thrown), exchange, client)
    }
    if (isEndless) this.#replier.report(exchange, reply)
    void end.then((reason) => {
      const outcome = isEndless ? null : { ...reply, ...this.#streamEnd(reason, exchange) }
      this.#finish(exchange, client, outcome)
    })
    return response
  }

  #streamEnd(reason: unknown, exchange: WebExchange): Partial<WatchedReply> {
    if (reason === null) return {}
    return reason === clientGone ? { status: 0 } : { failure: blame(reason, { exchange, replier: this.#replier }) }
  }

  /** `reply`: null if it was reported before. */
  #finish(exchange: WebExchange, client: WebClient, reply: WatchedReply | null): void {
    exchange.releaseAnswer()
    client.close()
    this.#inFlight.end()
    if (reply !== null) this.#replier.report(exchange, reply)
  }

  #exchangeOf(request: Request, body: WebBody | null, host: unknown, client: WebClient) {
    const { limits, now, watch, basePath } = this.#options
    const { headers, rawHeaders } = headersOf(request)
    const { method } = request
    const sent = targetOf(request.url)
    headers.host ??= sent.host
    const target = targetBelow(basePath, sent.target) ?? nowhere
    const head = { method, headers, rawHeaders, httpVersionMajor: 1, httpVersionMinor: 1 }
    const failure = findHeadFailure(head, target, limits) ?? this.#stopping
    const exchange = new HttpExchange<WebBody>(head, {
      target,
      body,
      response: null,
      client,
      address: this.#addressOf(request, host, headers['x-forwarded-for'] as string | undefined),
      requestId: requestIdFrom(headers['x-request-id']),
      now: now(),
      begunMs: watch === undefined ? 0 : performance.now(),
      limits,
      room: new ConnectionRoom(this.#answers),
    })
    return { exchange, failure }
  }

  #addressOf(request: Request, host: unknown, forwardedFor: string | undefined): string {
    const text = this.#options.clientAddress?.(request, host) ?? null
    const address = text === null ? null : canonicalAddress(text)
    if (address !== null) return this.#findAddress(address, forwardedFor)
    if (!this.#hasWarned) {
      this.#hasWarned = true
      this.#options.log.warn(
        {},
        'A request came by fetch without an address: all of these share one rate limit. Pass clientAddress to createHandler.',
      )
    }
    return unknownAddress
  }
}

type WebExchange = HttpExchange<WebBody>

const unknownAddress = 'unknown'
const nowhere = '/'

/** Headers as in node:http: lower-case names, repeated values joined. */
function headersOf(request: Request): { headers: IncomingHttpHeaders; rawHeaders: string[] } {
  const headers: IncomingHttpHeaders = {}
  const rawHeaders: string[] = []
  for (const [name, value] of request.headers) {
    headers[name] = value
    rawHeaders.push(name, value)
  }
  return { headers, rawHeaders }
}

function targetOf(url: string): { readonly target: string; readonly host: string } {
  const hostStart = url.indexOf('//') + 2
  const pathStart = url.indexOf('/', hostStart)
  const hash = url.indexOf('#', pathStart)
  return {
    host: url.slice(hostStart, pathStart),
    target: hash === -1 ? url.slice(pathStart) : url.slice(pathStart, hash),
  }
}
