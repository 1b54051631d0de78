// The HTTP server: accepts connections, takes requests off them, and ends them as the contract says.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { type Connection, destroyAfter } from './connection.ts'
import { type ConnectionLimit, createConnectionLimit } from './connection-limit.ts'
import { Connections, type ConnectionsOptions, type Upgrade } from './connections.ts'
import type { HttpExchange } from './http-exchange.ts'
import { createNodeServer } from './node-server.ts'
import { isParserError, type ParserError, parserFailure, pathOf, requestOfUnknownMethod } from './parser-failure.ts'

export class HttpServer {
  readonly #options: ConnectionsOptions
  readonly #limits: Limits
  readonly #server: Server
  readonly #connections: Connections
  readonly #connectionLimit: ConnectionLimit
  #isClosing = false

  constructor(options: ConnectionsOptions) {
    const { limits, trustProxy } = options
    this.#options = options
    this.#limits = limits
    this.#connections = new Connections(options)
    this.#connectionLimit = createConnectionLimit({ limits, trustProxy })
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
    this.#connections.drain()
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
      () => this.#connections.destroy(({ latest, isEnding }) => latest === null && !isEnding),
      Math.max(idleMs, this.#limits.lingerMs),
    )
    const force = setTimeout(() => this.#connections.destroy(() => true), this.#limits.drainMs)
    await closed
    for (const timer of [idle, mute, force]) clearTimeout(timer)
    // It also ends the timer that looks for requests that come too slowly.
    this.#server.close()
  }

  #connect(socket: Socket): void {
    const connection = this.#connections.make(socket)
    if (this.#connectionLimit.enter(connection.peer))
      this.#connections.add(connection, () => this.#connectionLimit.leave(connection.peer))
    else this.#turnAway(connection)
  }

  /** What it sends is a request of no known connection, and nothing happens. */
  #turnAway(connection: Connection): void {
    const { socket } = connection
    socket.on('error', () => socket.destroy())
    const failure = new Failure('SERVICE_UNAVAILABLE', {
      message: 'There are too many connections at the moment.',
      retryAfterSeconds: this.#limits.busyRetrySeconds,
    })
    this.#connections.refuseRaw(connection, failure, null)
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.of(request.socket)
    if (connection !== undefined) this.#connections.receive(request, response, connection)
  }

  #failParsing(error: ParserError, socket: Socket): void {
    const connection = this.#connections.of(socket)
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
        ? this.#connections.refuseRaw(connection, parserFailure(error), pathOf(error))
        : this.#connections.refuseMethod(request, connection)
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
    const connection = this.#connections.of(request.socket)
    socket.on('error', () => socket.destroy())
    // Answers that are still to come would be written into the upgraded connection.
    if (connection === undefined || connection.isEnding || connection.isWaiting) return void socket.destroy()
    const stopping = this.#isClosing ? new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 }) : null
    await this.#connections.upgrade(upgrade, connection, { stopping })
  }

  #refuseConnect(request: IncomingMessage, socket: Duplex): void {
    const connection = this.#connections.of(request.socket)
    socket.on('error', () => socket.destroy())
    // As in #upgrade.
    if (connection === undefined || connection.isEnding || connection.isWaiting) socket.destroy()
    else this.#connections.refuseMethod(request, connection)
  }
}

/** As many as Linux lets wait unless it is told otherwise; a client beyond them tries again in seconds. */
const connectionsWaiting = 4_096
