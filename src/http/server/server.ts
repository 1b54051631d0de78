// The HTTP server: takes requests off connections, has them answered, and ends connections as the contract says.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { SharedRoom } from '../../budget/answer-room.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { Watch, WatchedReply } from '../../observation/watch.ts'
import type { Reply } from '../message/exchange.ts'
import { createAddressFinder, type TrustProxy } from './address.ts'
import { type ByteBudget, createByteBudget } from './byte-budget.ts'
import { type Connection, createConnection, destroyAfter, endGently } from './connection.ts'
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
import { type Envelope, requestIdFrom, respond, respondRaw } from './respond.ts'
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
  /** Told of every answer. Without it nothing is measured. */
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
  readonly #room: ConnectionLimit
  readonly #bodies: ByteBudget
  readonly #unread: UnreadAnswers
  #isClosing = false
  readonly #answers: SharedRoom

  constructor(options: HttpServerOptions) {
    const { limits, trustProxy, log } = options
    this.#options = options
    this.#limits = limits
    this.#watch = options.watch
    this.#replier = createReplier(options)
    this.#room = createConnectionLimit({ limits, trustProxy })
    this.#bodies = createByteBudget(limits.bodiesBytes)
    this.#unread = new UnreadAnswers(limits.unreadAnswersBytes)
    this.#answers = options.answers ?? new SharedRoom(limits.answersBytes)
    this.#answers.onFull(() => this.#unread.letStalledGo(limits.stalledReaderMs))
    this.#findAddress = createAddressFinder({ trustProxy, limits, warn: (message) => log.warn({}, message) })
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
    const connection = createConnection(socket, this.#answers)
    if (!this.#room.enter(connection.peer)) {
      this.#turnAway(connection)
      return
    }
    this.#connections.set(socket, connection)
    socket.once('close', () => {
      this.#connections.delete(socket)
      this.#room.leave(connection.peer)
      this.#unread.forget(connection)
      connection.room.close()
      connection.queue = null
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
    this.#refuseRaw(connection, failure, null)
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket)
    // What follows the last request of a connection is not carried out, for nobody could be told.
    if (connection === undefined || connection.isEnding) return
    // Before the exchange: an absolute target takes the place of the header Host, which must be well-formed all the same.
    const failure = findHeadFailure(request, this.#limits)
    const exchange = this.#exchangeOf(request, response, connection)
    connection.latest = exchange
    connection.waiting++
    if (failure !== null || connection.waiting >= this.#limits.pipelinedRequests) endAfter(exchange, connection)
    if (connection.queue === null && this.#mayStart(exchange, connection)) this.#start(exchange, failure, connection)
    else if (connection.queue === null) connection.queue = [{ exchange, failure }]
    else connection.queue.push({ exchange, failure })
  }

  /** Safe requests run beside each other. Any other runs alone, so that each finds what those before it left. (RFC 9112 9.3.2) */
  #mayStart({ method }: HttpExchange, { running, runsUnsafe, unreadBytes }: Connection): boolean {
    if (running > 0 && (runsUnsafe || running >= this.#limits.pipelinedAtOnce || !isSafe(method))) return false
    return unreadBytes <= this.#limits.unreadAnswerBytes
  }

  #start(exchange: HttpExchange, failure: Failure | null, connection: Connection): void {
    connection.running++
    connection.runsUnsafe = !isSafe(exchange.method)
    if (failure === null) void this.#answer(exchange, connection)
    else this.#send(this.#replier.refuse(failure, exchange.path), exchange, connection)
  }

  #startQueued(connection: Connection): void {
    while (connection.queue !== null && this.#mayStart(connection.queue[0]!.exchange, connection)) {
      const { exchange, failure } = connection.queue.shift()!
      if (connection.queue.length === 0) connection.queue = null
      this.#start(exchange, failure, connection)
    }
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

  async #answer(exchange: HttpExchange, connection: Connection): Promise<void> {
    let reply: Reply
    try {
      reply = await this.#replier.ask(exchange)
    } catch (thrown) {
      // The last place where anything can be caught: behind it there is only the process.
      reply = this.#replier.toThrown(exchange, thrown)
    }
    this.#send(reply, exchange, connection)
  }

  #send(reply: Reply, exchange: HttpExchange, connection: Connection): void {
    connection.waiting--
    connection.running--
    exchange.body?.release()
    const response = exchange.response!
    if (response.destroyed || connection.socket.destroyed) {
      exchange.releaseAnswer()
      // Nobody was told of a failure. A bug is one whoever listens.
      const failure = reply.failure === 'INTERNAL_ERROR' ? reply.failure : null
      this.#tell(exchange, { ...reply, status: 0, failure })
      return
    }
    const leavesBytes = exchange.body?.endsConnection(this.#limits.unreadBodyBytes) ?? false
    // Not before the last one that was taken: those behind it are carried out, and must be told how they ended.
    if (leavesBytes || (connection.endsSoon && exchange === connection.latest)) endAfter(exchange, connection)
    if (leavesBytes) {
      // What node:http calls after the last answer of a connection.
      connection.socket.destroySoon = () => endGently(connection.socket, this.#limits.lingerMs)
    }
    let sent = reply
    try {
      respond(response, reply, exchange, this.#finishing(reply, exchange, connection))
    } catch (thrown) {
      // A header that cannot be written, such as one with a line break in it. Nothing has been sent.
      exchange.releaseAnswer()
      sent = this.#replier.toThrown(exchange, thrown)
      respond(response, sent, plain(exchange), connection.finished)
    }
    if (leavesBytes) exchange.body!.discard()
    this.#tell(exchange, sent)
    if (connection.queue !== null) this.#startQueued(connection)
  }

  /** The answer has been handed to the connection: whoever watches takes no time from it. */
  #tell(exchange: HttpExchange, reply: WatchedReply): void {
    if (this.#watch === undefined) return
    const durationMs = performance.now() - exchange.begunMs
    exchange.route ??= this.#options.patternOf?.(exchange.path) ?? null
    this.#watch(exchange, reply, durationMs)
  }

  /** What to do when this answer has left. */
  #finishing({ body }: Reply, exchange: HttpExchange, connection: Connection): () => void {
    const bytes = this.#unread.add(body, connection)
    if (bytes === 0) {
      // One that grew large, and was refused or compressed.
      exchange.releaseAnswer()
      return connection.finished
    }
    return () => {
      exchange.releaseAnswer()
      this.#unread.remove(bytes, connection)
      connection.finished()
      this.#startQueued(connection)
    }
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
        ? this.#refuseRaw(connection, parserFailure(error), pathOf(error))
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
    endAfter(exchange, connection)
    exchange.body!.breakOff(failure)
  }

  async #upgrade(upgrade: Upgrade): Promise<void> {
    const { request, socket } = upgrade
    const connection = this.#connections.get(request.socket)
    socket.on('error', () => socket.destroy())
    // Answers that are still to come would be written into the upgraded connection.
    if (connection === undefined || connection.isEnding || connection.waiting > 0) return void socket.destroy()
    const headFailure = findHeadFailure(request, this.#limits)
    const exchange = this.#exchangeOf(request, null, connection)
    endAfter(exchange, connection)
    const failure = exchange.hasBody ? new Failure('VALIDATION_ERROR', { message: 'An upgrade has no body.' }) : null
    const stopping = this.#isClosing ? new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }) : null
    const malformed = headFailure ?? failure ?? stopping
    await this.#answerRaw(exchange, socket, async () =>
      malformed === null ? this.#options.upgrade!(exchange, upgrade) : this.#replier.refuse(malformed, exchange.path),
    )
  }

  #refuseConnect(request: IncomingMessage, socket: Duplex): void {
    const connection = this.#connections.get(request.socket)
    socket.on('error', () => socket.destroy())
    // As in #upgrade.
    if (connection === undefined || connection.isEnding || connection.waiting > 0) socket.destroy()
    else this.#refuseMethod(request, connection)
  }

  #refuseMethod(request: IncomingMessage, connection: Connection): void {
    const exchange = this.#exchangeOf(request, null, connection)
    endAfter(exchange, connection)
    void this.#answerRaw(exchange, connection.socket, () => this.#replier.askRefused(exchange, unknownMethod()))
  }

  /** Answers on the bare socket, and ends the connection; unless `ask` resolves with null, for somebody has taken it over. */
  async #answerRaw(exchange: HttpExchange, socket: Duplex, ask: () => Promise<Reply | null>): Promise<void> {
    let reply: Reply | null
    try {
      reply = await ask()
    } catch (thrown) {
      // As in #answer.
      reply = this.#replier.toThrown(exchange, thrown)
    }
    if (reply === null) {
      this.#tell(exchange, switching)
      return
    }
    try {
      this.#sendRaw(socket, reply, exchange)
    } catch (thrown) {
      // As in #send.
      reply = this.#replier.toThrown(exchange, thrown)
      this.#sendRaw(socket, reply, plain(exchange))
    }
    this.#tell(exchange, reply)
  }

  /** Answers what never became an exchange. */
  #refuseRaw({ socket, peer }: Connection, failure: Failure, path: string | null): void {
    const requestId = requestIdFrom(undefined)
    const reply = this.#replier.refuse(failure, path)
    this.#sendRaw(socket, reply, { requestId, added: [], endsConnection: true })
    const address = this.#findAddress(peer, undefined)
    const unread = { method: '', path, route: null, requestId, address, principal: null, now: this.#options.now() }
    this.#watch?.(unread, reply, 0)
  }

  /** Answers on the bare socket, where node:http has no response to offer, and ends the connection. */
  #sendRaw(socket: Duplex, reply: Reply, envelope: Envelope): void {
    respondRaw(socket, reply, envelope)
    endGently(socket, this.#limits.lingerMs)
  }
}

/** As many as Linux lets wait unless it is told otherwise; a client beyond them tries again in seconds. */
const connectionsWaiting = 4_096

/** As RFC 9110 9.2.1 has it. A method that is not known to be safe is not. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

function endAfter(exchange: HttpExchange, connection: Connection): void {
  connection.isEnding = true
  exchange.endsConnection = true
}

/** Without what the pipeline added. */
const plain = ({ requestId, endsConnection }: HttpExchange): Envelope => ({ requestId, endsConnection, added: [] })

/** What an upgrade that was let in is told. */
const switching: WatchedReply = { status: 101 }
