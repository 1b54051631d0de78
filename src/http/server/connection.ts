// A connection: schedules its pipelined requests, counts unread answers, and decides its end.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type AnswerRoom, ConnectionRoom } from '../../budget/answer-room.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { HttpExchange } from './http-exchange.ts'

export interface ConnectionDependencies {
  readonly limits: Pick<Limits, 'pipelinedRequests' | 'pipelinedAtOnce' | 'unreadAnswerBytes'>
  readonly answers: AnswerRoom
  /** Runs a request, or answers the failure of its head. Must call `answered`. */
  readonly carryOut: (exchange: HttpExchange, failure: Failure | null, connection: Connection) => void
}

export class Connection {
  readonly socket: Socket
  readonly peer: string
  readonly room: ConnectionRoom
  /** While it is unanswered or its body is arriving. */
  latest: HttpExchange | null = null
  unreadBytes = 0
  endsSoon = false
  isEnding = false
  /** Frees the last request of an idle connection: 4 kB for each of ten thousand. */
  readonly finished: () => void
  readonly #dependencies: ConnectionDependencies
  #waiting = 0
  #running = 0
  #runsUnsafe = false
  #queue: QueuedRequest[] | null = null
  /** Pipelined answers waiting for earlier ones; null without pipelining. */
  #later: Set<ServerResponse> | null = null

  constructor(socket: Socket, dependencies: ConnectionDependencies) {
    this.socket = socket
    // Empty for a Unix domain socket, or if the client has left.
    this.peer = socket.remoteAddress ?? ''
    this.room = new ConnectionRoom(dependencies.answers)
    this.#dependencies = dependencies
    this.finished = () => {
      if (this.#waiting === 0 && this.latest?.body?.isComing !== true) this.latest = null
    }
  }

  get isWaiting(): boolean {
    return this.#waiting > 0
  }

  /** Now, or after earlier ones. `failure`: of its head. */
  receive(exchange: HttpExchange, failure: Failure | null): void {
    this.latest = exchange
    this.#waiting++
    if (exchange.response?.socket === null) this.#keepForLater(exchange.response)
    if (failure !== null || this.#waiting >= this.#dependencies.limits.pipelinedRequests) this.endAfter(exchange)
    if (this.#queue !== null) this.#queue.push({ exchange, failure })
    else if (this.#mayStart(exchange)) this.#start(exchange, failure)
    else this.#queue = [{ exchange, failure }]
  }

  /** Also for a request that needs no answer; `startQueued` then runs the next. */
  answered(): void {
    this.#waiting--
    this.#running--
  }

  /** To be called after an answer, and when the client has read one. */
  startQueued(): void {
    while (this.#queue !== null && this.#mayStart(this.#queue[0]!.exchange)) {
      const { exchange, failure } = this.#queue.shift()!
      if (this.#queue.length === 0) this.#queue = null
      this.#start(exchange, failure)
    }
  }

  endAfter(exchange: HttpExchange): void {
    this.isEnding = true
    exchange.endsConnection = true
  }

  close(): void {
    this.room.close()
    this.#queue = null
    this.#later?.forEach(closeAnswer)
  }

  #keepForLater(response: ServerResponse): void {
    this.#later ??= new Set()
    this.#later.add(response)
    response.once('close', () => this.#later!.delete(response))
  }

  /** Safe requests run concurrently; others run alone, so that each sees the result of those before. (RFC 9112 9.3.2) */
  #mayStart({ method }: HttpExchange): boolean {
    const { pipelinedAtOnce, unreadAnswerBytes } = this.#dependencies.limits
    if (this.#running > 0 && (this.#runsUnsafe || this.#running >= pipelinedAtOnce || !isSafe(method))) return false
    return this.unreadBytes <= unreadAnswerBytes
  }

  #start(exchange: HttpExchange, failure: Failure | null): void {
    this.#running++
    this.#runsUnsafe = !isSafe(exchange.method)
    this.#dependencies.carryOut(exchange, failure, this)
  }
}

/** Before version 26, Node emits 'close' only for the answer being sent. */
function closeAnswer(response: ServerResponse): void {
  response.destroy()
  response.emit('close')
}

interface QueuedRequest {
  readonly exchange: HttpExchange
  readonly failure: Failure | null
}

/** (RFC 9110 9.2.1, RFC 10008 2) */
const isSafe = (method: string): boolean => safeMethods.has(method)
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY'])

/**
 * Half-closes, and reads on for a moment: closing with unread bytes resets the connection, which may overtake the last answer.
 * (RFC 9112 9.6)
 */
export function endGently(socket: Duplex, lingerMs: number): void {
  socket.end()
  socket.resume()
  destroyAfter(socket, lingerMs)
}

export function destroyAfter(socket: Duplex, waitMs: number): void {
  const timer = setTimeout(() => socket.destroy(), waitMs)
  socket.once('close', () => clearTimeout(timer))
}
