// Answers fetch requests: for hosts without node:http, and for tests without a port.

import type { IncomingHttpHeaders } from 'node:http'
import { ConnectionRoom, SharedRoom } from '../../budget/answer-room.ts'
import { clientGone } from '../../budget/deadline.ts'
import { InFlight } from '../../concurrency/in-flight.ts'
import { Failure } from '../../failure/failure.ts'
import type { WatchedReply } from '../../observation/watch.ts'
import { isStreamed, type Reply, type StreamedReply, type WholeReply } from '../message/exchange.ts'
import { canonicalAddress, createAddressFinder } from '../server/address.ts'
import { type AnswerStream, AnswerStreams, discard } from '../server/answer-stream.ts'
import { type ByteBudget, createByteBudget } from '../server/byte-budget.ts'
import type { ConnectionsOptions } from '../server/connections.ts'
import { HttpExchange } from '../server/http-exchange.ts'
import { createReplier, type Replier } from '../server/replier.ts'
import { findHeadFailure } from '../server/request-head.ts'
import { isBodiless, requestIdFrom } from '../server/respond.ts'
import { blame } from '../server/send-pieces.ts'
import { targetBelow } from './base-path.ts'
import { WebBody } from './web-body.ts'
import { WebClient } from './web-client.ts'
import { streamedResponse, webResponse, webStream } from './web-response.ts'

/** Tells who has sent a request: `host` is whatever the runtime hands over beside it. Null where nobody can tell. */
export type ClientAddress = (request: Request, host: unknown) => string | null

export interface FetchDoorOptions extends Omit<ConnectionsOptions, 'isHosted' | 'upgrade'> {
  readonly basePath: string
  readonly clientAddress: ClientAddress | undefined
}

export class FetchDoor {
  readonly #options: FetchDoorOptions
  readonly #replier: Replier
  readonly #bodies: ByteBudget
  readonly #answers: SharedRoom
  readonly #findAddress: (peer: string, forwardedFor: string | undefined) => string
  readonly #streams: AnswerStreams
  readonly #inFlight = new InFlight()
  #stopping: Failure | null = null
  #hasWarned = false

  constructor(options: FetchDoorOptions) {
    const { limits, trustProxy, bodies, answers } = options
    this.#options = options
    this.#replier = createReplier(options)
    this.#bodies = bodies ?? createByteBudget(limits.bodiesBytes)
    this.#streams = new AnswerStreams(limits)
    this.#answers = answers ?? new SharedRoom(limits.answersBytes)
    // Whoever is asked for the address may have looked at the header.
    this.#findAddress = createAddressFinder({ trustProxy, limits, warn: () => undefined })
  }

  /** Never rejects. */
  async fetch(request: Request, host: unknown): Promise<Response> {
    this.#inFlight.begin()
    const client = new WebClient(request)
    const { limits } = this.#options
    const body = await WebBody.of(request, { budget: this.#bodies, limits })
    const { exchange, failure } = this.#exchangeOf(request, body, host, client)
    const reply = await this.#replyTo(exchange, failure)
    exchange.body?.release()
    return isStreamed(reply) ? this.#stream(reply, exchange, client) : this.#send(reply, exchange, client)
  }

  /** Refuses what comes from now on, and resolves when everything before has its answer, or after `drainMs`. */
  async close(): Promise<void> {
    this.#stopping = new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
    await this.#inFlight.settled(this.#options.limits.drainMs)
  }

  async #replyTo(exchange: WebExchange, failure: Failure | null): Promise<Reply> {
    if (failure !== null) return this.#replier.refuse(failure, exchange.path)
    try {
      return await this.#replier.ask(exchange)
    } catch (thrown) {
      // Last line of defence: what a host makes of an exception is no answer of ours.
      return this.#replier.toThrown(exchange, thrown)
    }
  }

  #send(reply: WholeReply, exchange: WebExchange, client: WebClient): Response {
    let sent = reply
    let response: Response
    try {
      response = webResponse(reply, exchange, exchange.method)
    } catch (thrown) {
      // A header that cannot be written, such as one with a line break in it.
      sent = this.#replier.toThrown(exchange, thrown)
      const { requestId, endsConnection, method } = exchange
      response = webResponse(sent, { requestId, endsConnection, added: [] }, method)
    }
    // From here on it is the host's.
    this.#finish(exchange, client, sent)
    return response
  }

  /** Answers with what is made while the host sends it. */
  async #stream(reply: StreamedReply, exchange: WebExchange, client: WebClient): Promise<Response> {
    const report = (thrown: unknown): void => void this.#replier.toThrown(exchange, thrown)
    if (exchange.method === 'HEAD' || isBodiless(reply.status)) {
      void discard(reply.body, report)
      this.#finish(exchange, client, reply)
      return streamedResponse(reply, null, exchange)
    }
    exchange.beginStream(this.#options.limits.streamTimeoutMs)
    const { promise: end, resolve: ended } = Promise.withResolvers<unknown>()
    let stream: AnswerStream
    let response: Response
    try {
      stream = await this.#streams.open(reply.body, { signal: exchange.signal, report, ended })
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
    void end.then((reason) => this.#finish(exchange, client, { ...reply, ...this.#streamEnd(reason, exchange) }))
    return response
  }

  /** What whoever watches is told in addition: nothing where all was taken. */
  #streamEnd(reason: unknown, exchange: WebExchange): Partial<WatchedReply> {
    if (reason === null) return {}
    return reason === clientGone ? { status: 0 } : { failure: blame(reason, { exchange, replier: this.#replier }) }
  }

  #finish(exchange: WebExchange, client: WebClient, reply: WatchedReply): void {
    exchange.releaseAnswer()
    client.close()
    this.#inFlight.end()
    const { watch, patternOf } = this.#options
    if (watch === undefined) return
    exchange.route ??= patternOf?.(exchange.path) ?? null
    watch(exchange, reply, performance.now() - exchange.begunMs)
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
    return anybody
  }
}

type WebExchange = HttpExchange<WebBody>

/** Whom all requests without an address are counted as. */
const anybody = 'unknown'
/** Leads nowhere, and is counted like everything that does. */
const nowhere = '/'

/** As node:http has them: small letters, what is repeated joined, as the runtime has done already. */
function headersOf(request: Request): { headers: IncomingHttpHeaders; rawHeaders: string[] } {
  const headers: IncomingHttpHeaders = {}
  const rawHeaders: string[] = []
  for (const [name, value] of request.headers) {
    headers[name] = value
    rawHeaders.push(name, value)
  }
  return { headers, rawHeaders }
}

/** What a URL asks for, and of whom. A fragment never leaves its client. */
function targetOf(url: string): { readonly target: string; readonly host: string } {
  const hostStart = url.indexOf('//') + 2
  const pathStart = url.indexOf('/', hostStart)
  const hash = url.indexOf('#', pathStart)
  return {
    host: url.slice(hostStart, pathStart),
    target: hash === -1 ? url.slice(pathStart) : url.slice(pathStart, hash),
  }
}
