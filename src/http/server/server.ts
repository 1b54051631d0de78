// The HTTP server: accepts connections, takes requests off them, and ends them as the contract says.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { SharedRoom } from '../../budget/answer-room.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Watch } from '../../observation/watch.ts'
import type { Reply } from '../message/exchange.ts'
import { createAddressFinder, type TrustProxy } from './address.ts'
import { type ByteBudget, createByteBudget } from './byte-budget.ts'
import { Connection, type ConnectionDependencies, destroyAfter } from './connection.ts'
import { type ConnectionLimit, createConnectionLimit } from './connection-limit.ts'
import { HttpExchange, type ServerExchange } from './http-exchange.ts'
import { createNodeServer } from './node-server.ts'
import {
  isParserError,
  type ParserError,
  parserFailure,
  pathOf,
  requestOfUnknownMethod,
  unknownMethod,
} from './parser-failure.ts'
import { createReplier, type Replier, type ReplierOptions } from './replier.ts'
import { findHeadFailure } from './request-head.ts'
import { requestIdFrom } from './respond.ts'
import { Responder } from './responder.ts'
import { UnreadAnswers } from './unread-answers.ts'

export interface HttpServerOptions extends ReplierOptions {
  readonly limits: Limits
  readonly now: () => Date
  readonly trustProxy: TrustProxy
  /**
   * Takes over a WebSocket upgrade and resolves with null, or refuses it with a reply, after which the connection ends.
   * Without it an upgrade is an ordinary request.
   */
  readonly upgrade?: (exchange: ServerExchange, upgrade: Upgrade) => Promise<Reply | null>
  /** For the large answers of everybody, those over WebSockets too; its own where nobody shares it. (contract 8.4.7) */
  readonly answers?: SharedRoom
  /** Called with every answer. Without it nothing is measured. */
  readonly watch?: Watch | undefined
  /** Finds the route of a path, for whoever watches, where nobody has set it on the way. */
  readonly patternOf?: (path: string) => string | null
}

/** What a WebSocket server needs to take over. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #limits: Limits
  readonly #watch: Watch | undefined
  readonly #replier: Replier
  readonly #findAddress: (peer: string, forwardedFor: string | undefined) => string
  readonly #server: Server
  readonly #connections = new Map<Duplex, Connection>()
  readonly #connectionLimit: ConnectionLimit
  readonly #connectionDependencies: ConnectionDependencies
  readonly #responder: Responder
  readonly #bodies: ByteBudget
  readonly #unread: UnreadAnswers
  #isClosing = false

  constructor(options: HttpServerOptions) {
    const { limits, trustProxy, log } = options
    this.#options = options
    this.#limits = limits
    this.#watch = options.watch
    this.#replier = createReplier(options)
    this.#connectionLimit = createConnectionLimit({ limits, trustProxy })
    this.#bodies = createByteBudget(limits.bodiesBytes)
    this.#unread = new UnreadAnswers(limits.unreadAnswersBytes)
    this.#findAddress = createAddressFinder({ trustProxy, limits, warn: (message) => log.warn({}, message) })
    this.#responder = new Responder({
      limits,
      replier: this.#replier,
      unread: this.#unread,
      watch: options.watch,
      patternOf: options.patternOf,
      now: options.now,
      findAddress: this.#findAddress,
    })
    const answers = options.answers ?? new SharedRoom(limits.answersBytes)
    answers.onFull(() => this.#unread.endStalled(limits.stalledReaderMs))
    this.#connectionDependencies = {
      limits,
      answers,
      carryOut: (exchange, failure, connection) => {
        if (failure === null) void this.#responder.answer(exchange, connection)
        else this.#responder.refuse(failure, exchange, connection)
      },
    }
    const receive = (request: IncomingMessage, response: ServerResponse): void => this.#receive(request, response)
    this.#server = createNodeServer(limits, options.upgrade !== undefined)
      .on('connection', (socket) => this.#connect(socket))
      .on('request', receive)
      .on('checkContinue', receive)
      .on('checkExpectation', receive)
      .on('clientError', (error: ParserError, socket) => this.#failParsing(error, socket as Socket))
      .on('connect', (request, socket) => this.#refuseConnect(request, socket))
      .on('upgrade', (request, socket, head) => this.#upgrade({ request, socket, head }))
  }

  /** Open at this moment, WebSockets among them. */
  get connections(): number {
    return this.#connections.size
  }

  /** Starts listening, on any free port for 0. Rejects where the address cannot be had. */
  async listen(port: number, host: string): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      // Those who come while a turn takes its time wait here: Node lets one in with each turn.
      this.#server.listen({ port, host, backlog: connectionsWaiting }, () => {
        this.#server.off('error', reject)
        // A connection that cannot be accepted, for the process has no file left, is not the end of the others.
        this.#server.once('error', (err) => this.#options.log.warn({ err }, 'A connection could not be accepted.'))
        this.#server.on('error', () => undefined)
        resolve()
      })
    })
    return this.#server.address() as AddressInfo
  }

  /**
   * From now on each connection that is open ends with its next answer, so that its client comes back by another way. Those
   * that are opened later come from a balancer that does not know: they stay, since otherwise it would go on opening
   * connections to the very end, and the last of them would be lost. (contract 0.3.1)
   */
  drain(): void {
    for (const connection of this.#connections.values()) connection.endsSoon = true
  }

  /**
   * Stops accepting, lets running requests finish, closes what is idle after `idleMs`, and resolves when every connection is
   * closed: after `drainMs` by force. Every answer ends its connection. Whoever has not sent a whole head by `lingerMs` has
   * asked for nothing. Connections that were upgraded are their owner's to close until then. (contract 0.3.1)
   */
  async close(idleMs = 0): Promise<void> {
    this.drain()
    this.#isClosing = true
    // That of node:http would close what is idle at once, and reset whoever sends a request at this moment.
    const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(this.#server, () => resolve()))
    const idle = setTimeout(() => this.#server.closeIdleConnections(), idleMs)
    const mute = setTimeout(
      () => this.#destroy(({ latest, isEnding }) => latest === null && !isEnding),
      Math.max(idleMs, this.#limits.lingerMs),
    )
    const force = setTimeout(() => this.#destroy(() => true), this.#limits.drainMs)
    await closed
    for (const timer of [idle, mute, force]) clearTimeout(timer)
    // It also ends the timer that looks for requests that come too slowly.
    this.#server.close()
  }

  #destroy(which: (connection: Connection) => boolean): void {
    for (const connection of this.#connections.values()) if (which(connection)) connection.socket.destroy()
  }

  #connect(socket: Socket): void {
    const connection = new Connection(socket, this.#connectionDependencies)
    if (!this.#connectionLimit.enter(connection.peer)) {
      this.#turnAway(connection)
      return
    }
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      this.#connections.delete(socket)
      this.#connectionLimit.leave(connection.peer)
      this.#unread.forget(connection)
      connection.close()
    })
  }

  /** What it sends is a request of no known connection, and nothing happens. */
  #turnAway(connection: Connection): void {
    const { socket } = connection
    socket.on('error', () => socket.destroy())
    const failure = new Failure('SERVICE_UNAVAILABLE', {
      message: 'There are too many connections at the moment.',
      retryAfterSeconds: this.#limits.busyRetrySeconds,
    })
    this.#responder.refuseRaw(connection, failure, null)
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket)
    // What follows the last request of a connection is not carried out, for it could have no answer.
    if (connection === undefined || connection.isEnding) return
    // Before the exchange: an absolute target takes the place of the header Host, which must be well-formed all the same.
    const failure = findHeadFailure(request, this.#limits)
    connection.receive(this.#exchangeOf(request, response, connection), failure)
  }

  #exchangeOf(request: IncomingMessage, response: ServerResponse | null, { peer, room }: Connection): HttpExchange {
    const { headers } = request
    return new HttpExchange(request, response, {
      address: this.#findAddress(peer, headers['x-forwarded-for'] as string | undefined),
      requestId: requestIdFrom(headers['x-request-id']),
      now: this.#options.now(),
      begunMs: this.#watch === undefined ? 0 : performance.now(),
      limits: this.#limits,
      bodies: this.#bodies,
      room,
    })
  }

  #failParsing(error: ParserError, socket: Socket): void {
    const connection = this.#connections.get(socket)
    const isReadable = isParserError(error) && socket.writable
    if (connection === undefined || !isReadable) socket.destroy()
    else if (!connection.isEnding) this.#endWith(error, connection)
  }

  /** Nothing more can be read from this connection: its last answer says why. */
  #endWith(error: ParserError, connection: Connection): void {
    connection.isEnding = true
    const { latest, socket } = connection
    // What still arrives would count as a sign of life, for as long as an answer waits to be read.
    destroyAfter(socket, this.#server.timeout)
    const request = requestOfUnknownMethod(error, socket)
    const refuse = (): void =>
      request === null
        ? this.#responder.refuseRaw(connection, parserFailure(error), pathOf(error))
        : this.#refuseMethod(request, connection)
    if (latest === null) refuse()
    else if (latest.body?.isComing) this.#breakOff(latest, parserFailure(error), connection)
    else if (latest.response!.writableFinished) refuse()
    // Unless that answer ends the connection itself, as its request asked.
    else latest.response!.once('finish', () => socket.writable && refuse())
  }

  /** The request whose body cannot be read to its end fails, unless it has its answer already. */
  #breakOff(exchange: HttpExchange, failure: Failure, connection: Connection): void {
    if (exchange.response!.writableEnded) connection.socket.destroySoon()
    connection.endAfter(exchange)
    exchange.body!.breakOff(failure)
  }

  async #upgrade(upgrade: Upgrade): Promise<void> {
    const { request, socket } = upgrade
    const connection = this.#connections.get(request.socket)
    socket.on('error', () => socket.destroy())
    // Answers that are still to come would be written into the upgraded connection.
    if (connection === undefined || connection.isEnding || connection.isWaiting) return void socket.destroy()
    const headFailure = findHeadFailure(request, this.#limits)
    const exchange = this.#exchangeOf(request, null, connection)
    connection.endAfter(exchange)
    const failure = exchange.hasBody ? new Failure('VALIDATION_ERROR', { message: 'An upgrade has no body.' }) : null
    const stopping = this.#isClosing ? new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }) : null
    const malformed = headFailure ?? failure ?? stopping
    await this.#responder.answerRaw(exchange, socket, async () =>
      malformed === null ? this.#options.upgrade!(exchange, upgrade) : this.#replier.refuse(malformed, exchange.path),
    )
  }

  #refuseConnect(request: IncomingMessage, socket: Duplex): void {
    const connection = this.#connections.get(request.socket)
    socket.on('error', () => socket.destroy())
    // As in #upgrade.
    if (connection === undefined || connection.isEnding || connection.isWaiting) socket.destroy()
    else this.#refuseMethod(request, connection)
  }

  #refuseMethod(request: IncomingMessage, connection: Connection): void {
    const exchange = this.#exchangeOf(request, null, connection)
    connection.endAfter(exchange)
    void this.#responder.answerRaw(exchange, connection.socket, () =>
      this.#replier.askRefused(exchange, unknownMethod()),
    )
  }
}

/** As many as Linux lets wait unless it is told otherwise; a client beyond them tries again in seconds. */
const connectionsWaiting = 4_096
