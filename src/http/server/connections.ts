// The connections of one server, ours or a host's.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { SharedRoom } from '../../budget/answer-room.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Watch } from '../../observation/watch.ts'
import type { WholeReply } from '../message/exchange.ts'
import { createAddressFinder, type TrustProxy } from './address.ts'
import { AnswerStreams } from './answer/answer-stream.ts'
import { UnreadAnswers } from './answer/unread-answers.ts'
import { Connection, type ConnectionDependencies } from './connection.ts'
import { HttpExchange, type ServerExchange, waitsToSend } from './http-exchange.ts'
import { unknownMethod } from './parser-failure.ts'
import { createReplier, type Replier, type ReplierOptions } from './replier.ts'
import { bodyTaken, RequestBody } from './request-body.ts'
import { findHeadFailure } from './request-head.ts'
import { requestIdFrom } from './respond.ts'
import { Responder } from './responder.ts'

export interface ConnectionsOptions extends ReplierOptions {
  readonly limits: Limits
  readonly now: () => Date
  readonly trustProxy: TrustProxy
  /** Accepts an upgrade and resolves with null, or refuses it with a reply. Without it an upgrade is an ordinary request. */
  readonly upgrade?: (exchange: ServerExchange, upgrade: Upgrade) => Promise<WholeReply | null>
  /** For large answers of all servers, WebSockets included; by default its own. (contract 8.4.7) */
  readonly answers?: SharedRoom
  readonly bodies?: SharedRoom
  /** A host answers `Expect`, may have read a body, and does not limit the time of reading. */
  readonly isHosted?: boolean
}

export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

export interface Reception {
  readonly target?: string
  /** The failure that answers all requests while stopping. */
  readonly stopping?: Failure | null
}

export class Connections {
  readonly #options: ConnectionsOptions
  readonly #limits: Limits
  readonly #watch: Watch | undefined
  readonly #replier: Replier
  readonly #findAddress: (peer: string, forwardedFor: string | undefined) => string
  readonly #connections = new Map<Duplex, Connection>()
  readonly #dependencies: ConnectionDependencies
  readonly #responder: Responder
  readonly #bodies: SharedRoom
  readonly #unread: UnreadAnswers

  constructor(options: ConnectionsOptions) {
    const { limits, trustProxy, log } = options
    this.#options = options
    this.#limits = limits
    this.#watch = options.watch
    this.#replier = createReplier(options)
    this.#bodies = options.bodies ?? new SharedRoom(limits.bodiesBytes)
    this.#unread = new UnreadAnswers(limits.unreadAnswersBytes)
    this.#findAddress = createAddressFinder({ trustProxy, limits, warn: (message) => log.warn({}, message) })
    this.#responder = new Responder({
      limits,
      replier: this.#replier,
      unread: this.#unread,
      streams: new AnswerStreams(limits),
      watch: options.watch,
      now: options.now,
      findAddress: this.#findAddress,
    })
    const answers = options.answers ?? new SharedRoom(limits.answersBytes)
    answers.onFull(() => this.#unread.endStalled(limits.stalledReaderMs))
    this.#dependencies = {
      limits,
      answers,
      carryOut: (exchange, failure, connection) => {
        if (failure === null) void this.#responder.answer(exchange, connection)
        else this.#responder.refuse(failure, exchange, connection)
      },
    }
  }

  get size(): number {
    return this.#connections.size
  }

  of(socket: Duplex): Connection | undefined {
    return this.#connections.get(socket)
  }

  make(socket: Socket): Connection {
    return new Connection(socket, this.#dependencies)
  }

  /** Keeps the connection until it closes; then calls `left`. */
  add(connection: Connection, left?: () => void): void {
    const { socket } = connection
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      this.#connections.delete(socket)
      left?.()
      this.#unread.forget(connection)
      connection.close()
    })
  }

  drain(): void {
    for (const connection of this.#connections.values()) connection.endsSoon = true
  }

  destroy(which: (connection: Connection) => boolean): void {
    for (const connection of this.#connections.values()) if (which(connection)) connection.socket.destroy()
  }

  receive(
    request: IncomingMessage,
    response: ServerResponse,
    connection: Connection,
    { target = request.url!, stopping = null }: Reception = {},
  ): void {
    if (connection.isEnding) return
    // An absolute target replaces the Host header, which must be well-formed anyway.
    const failure = findHeadFailure(request, target, this.#limits) ?? stopping
    connection.receive(this.#exchangeOf({ request, response, target }, connection), failure)
  }

  async upgrade(
    upgrade: Upgrade,
    connection: Connection,
    { target = upgrade.request.url!, stopping = null }: Reception = {},
  ): Promise<void> {
    const { request, socket } = upgrade
    const headFailure = findHeadFailure(request, target, this.#limits)
    const exchange = this.#exchangeOf({ request, response: null, target }, connection)
    connection.endAfter(exchange)
    const failure = exchange.hasBody ? new Failure('VALIDATION_ERROR', { message: 'An upgrade has no body.' }) : null
    const malformed = headFailure ?? failure ?? stopping
    await this.#responder.answerRaw(exchange, socket, async () =>
      malformed === null ? this.#options.upgrade!(exchange, upgrade) : this.#replier.refuse(malformed, exchange.path),
    )
  }

  refuseRaw(connection: Connection, failure: Failure, path: string | null): void {
    this.#responder.refuseRaw(connection, failure, path)
  }

  /** For a request whose method no route can have. */
  refuseMethod(request: IncomingMessage, connection: Connection): void {
    const exchange = this.#exchangeOf({ request, response: null, target: request.url! }, connection)
    connection.endAfter(exchange)
    void this.#responder.answerRaw(exchange, connection.socket, () =>
      this.#replier.replyToRefused(exchange, unknownMethod()),
    )
  }

  #exchangeOf({ request, response, target }: Incoming, { peer, room }: Connection): HttpExchange {
    const { headers, socket } = request
    return new HttpExchange(request, {
      target,
      body: RequestBody.isAnnounced(request) ? this.#bodyOf(request, response) : null,
      response,
      client: socket,
      address: this.#findAddress(peer, headers['x-forwarded-for'] as string | undefined),
      requestId: requestIdFrom(headers['x-request-id']),
      now: this.#options.now(),
      begunMs: this.#watch === undefined ? 0 : performance.now(),
      limits: this.#limits,
      room,
    })
  }

  #bodyOf(request: IncomingMessage, response: ServerResponse | null): RequestBody {
    const { isHosted = false } = this.#options
    const waiting = !isHosted && waitsToSend(request) ? response : null
    const body = new RequestBody(request, waiting, this.#bodies, isHosted ? this.#limits.requestTimeoutMs : null)
    if (isHosted && (request.readableDidRead || request.readableEnded)) body.breakOff(bodyTaken)
    return body
  }
}

interface Incoming {
  readonly request: IncomingMessage
  readonly response: ServerResponse | null
  readonly target: string
}
