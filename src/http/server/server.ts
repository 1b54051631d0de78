// The HTTP server: accepts, serves and ends connections as the contract requires.

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
  #accepted = 0

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

  get connections(): number {
    return this.#connections.size
  }

  /** Port 0 selects any free port. Rejects if the address is not available. */
  async listen(port: number, host: string): Promise<AddressInfo> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      // Node accepts one connection per event-loop turn; the others wait in the backlog.
      this.#server.listen({ port, host, backlog: connectionsWaiting }, () => {
        this.#server.off('error', reject)
        // A lack of file descriptors must not affect other connections.
        this.#server.once('error', (err) => this.#options.log.warn({ err }, 'A connection could not be accepted.'))
        this.#server.on('error', () => undefined)
        resolve()
      })
    })
    return this.#server.address() as AddressInfo
  }

  /**
   * Open connections end with their next answer, so that clients reconnect elsewhere. Later ones stay open: an uninformed
   * balancer would otherwise keep opening them, and lose the last ones. (contract 0.3.1)
   */
  drain(): void {
    this.#connections.drain()
  }

  /**
   * Stops listening, finishes running requests, closes idle connections after `idleMs`, all by force after `drainMs`, and those
   * without a complete head by `lingerMs`. Upgraded ones are closed by their owner. (contract 0.3.1, 0.3.5)
   */
  async close(idleMs = 0): Promise<void> {
    this.drain()
    this.#isClosing = true
    const force = setTimeout(() => this.#connections.destroy(() => true), this.#limits.drainMs)
    await this.#catchUp()
    this.drain()
    // node:http's own close would reset clients that are just sending a request.
    const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(this.#server, () => resolve()))
    const idle = setTimeout(() => this.#catchUp().then(() => this.#server.closeIdleConnections()), idleMs)
    const mute = setTimeout(
      () => this.#catchUp().then(() => this.#connections.destroy(isMute)),
      Math.max(idleMs, this.#limits.lingerMs),
    )
    await closed
    for (const timer of [idle, mute, force]) clearTimeout(timer)
    // Also stops the timer for slow requests.
    this.#server.close()
  }

  /**
   * Resolves when everything that has arrived is read, or after `catchUpMs`. Node accepts one connection per turn and runs
   * timers before reading; the system resets a connection closed before that. Input that arrives during a turn is seen in the
   * next, so the last must be quick. (contract 0.3.5)
   */
  async #catchUp(): Promise<void> {
    const endsAt = performance.now() + this.#limits.catchUpMs
    let isCaughtUp = false
    // This turn may already have read.
    await turn()
    while (!isCaughtUp) {
      const [accepted, begunAt] = [this.#accepted, performance.now()]
      await turn()
      const now = performance.now()
      isCaughtUp = now > endsAt || (this.#accepted === accepted && now - begunAt < quickTurnMs)
    }
  }

  #connect(socket: Socket): void {
    this.#accepted++
    const connection = this.#connections.make(socket)
    if (this.#connectionLimit.enter(connection.peer))
      this.#connections.add(connection, () => this.#connectionLimit.leave(connection.peer))
    else this.#turnAway(connection)
  }

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

  /** Nothing more can be read; the last answer has the reason. */
  #endWith(error: ParserError, connection: Connection): void {
    connection.isEnding = true
    const { latest, socket } = connection
    // Further input would count as activity.
    destroyAfter(socket, this.#server.timeout)
    const request = requestOfUnknownMethod(error, socket)
    const refuse = (): void =>
      request === null
        ? this.#connections.refuseRaw(connection, parserFailure(error), pathOf(error))
        : this.#connections.refuseMethod(request, connection)
    if (latest === null) refuse()
    else if (latest.body?.isComing) this.#breakOff(latest, parserFailure(error), connection)
    else if (latest.response!.writableFinished) refuse()
    // Unless that answer already ends the connection.
    else latest.response!.once('finish', () => socket.writable && refuse())
  }

  /** Fails the request whose body cannot be completed, unless it is answered. */
  #breakOff(exchange: HttpExchange, failure: Failure, connection: Connection): void {
    if (exchange.response!.writableEnded) connection.socket.destroySoon()
    connection.endAfter(exchange)
    exchange.body!.breakOff(failure)
  }

  async #upgrade(upgrade: Upgrade): Promise<void> {
    const { request, socket } = upgrade
    const connection = this.#connections.of(request.socket)
    socket.on('error', () => socket.destroy())
    // Pending answers would be written into the upgraded connection.
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

/** Resolves when this turn has accepted a connection and read the input. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const quickTurnMs = 1

const isMute = ({ latest, isEnding }: Connection): boolean => latest === null && !isEnding

/** Linux's default maximum; further clients retry after seconds. */
const connectionsWaiting = 4_096
