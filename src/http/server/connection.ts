// One connection: which of its pipelined requests may run, how much of its answers is unread, and when it ends.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type AnswerRoom, ConnectionRoom } from '../../budget/answer-room.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import type { HttpExchange } from './http-exchange.ts'

export interface ConnectionDependencies {
  readonly limits: Pick<Limits, 'pipelinedRequests' | 'pipelinedAtOnce' | 'unreadAnswerBytes'>
  /** For the answers of everybody. */
  readonly answers: AnswerRoom
  /** Carries out a request, or answers what its head failed with. It calls `answered` in the end. */
  readonly carryOut: (exchange: HttpExchange, failure: Failure | null, connection: Connection) => void
}

export class Connection {
  readonly socket: Socket
  /** The address at the other end, as the socket writes it. */
  readonly peer: string
  /** Held by its answers, from when they grow large until they have left. */
  readonly room: ConnectionRoom
  /** The request that came last, while it waits for its answer or its body is still on its way. */
  latest: HttpExchange | null = null
  /** Bytes of large answers that the client has not read. */
  unreadBytes = 0
  /** True once it ends with the answer to its last request. */
  endsSoon = false
  /** True once no further request is taken from it. */
  isEnding = false
  /** Called when an answer has left. An idle connection then keeps nothing of its last request: 4 kB, ten thousand times. */
  readonly finished: () => void
  readonly #dependencies: ConnectionDependencies
  /** Requests without an answer, and those of them that run. */
  #waiting = 0
  #running = 0
  /** True while a request runs that may change something: it runs alone. */
  #runsUnsafe = false
  /** Requests that may not run yet; null where there are none. */
  #queue: QueuedRequest[] | null = null
  /** Answers whose turn had not come when their requests did; null where nothing was pipelined. */
  #later: Set<ServerResponse> | null = null

  constructor(socket: Socket, dependencies: ConnectionDependencies) {
    this.socket = socket
    // None for a Unix domain socket, or where the client has left already.
    this.peer = socket.remoteAddress ?? ''
    this.room = new ConnectionRoom(dependencies.answers)
    this.#dependencies = dependencies
    this.finished = () => {
      if (this.#waiting === 0 && this.latest?.body?.isComing !== true) this.latest = null
    }
  }

  /** True while a request has no answer yet. */
  get isWaiting(): boolean {
    return this.#waiting > 0
  }

  /** Takes a request, and runs it now or when those before it let it; `failure`: what its head failed with. */
  receive(exchange: HttpExchange, failure: Failure | null): void {
    this.latest = exchange
    this.#waiting++
    if (exchange.response?.socket === null) this.#keepForLater(exchange.response)
    if (failure !== null || this.#waiting >= this.#dependencies.limits.pipelinedRequests) this.endAfter(exchange)
    if (this.#queue !== null) this.#queue.push({ exchange, failure })
    else if (this.#mayStart(exchange)) this.#start(exchange, failure)
    else this.#queue = [{ exchange, failure }]
  }

  /** To be called when a request has its answer, or needs none; `startQueued` then runs those behind it. */
  answered(): void {
    this.#waiting--
    this.#running--
  }

  /** Runs what may run by now. To be called after an answer, and when the client has read one. */
  startQueued(): void {
    while (this.#queue !== null && this.#mayStart(this.#queue[0]!.exchange)) {
      const { exchange, failure } = this.#queue.shift()!
      if (this.#queue.length === 0) this.#queue = null
      this.#start(exchange, failure)
    }
  }

  /** The connection ends with the answer to this request, and no other is taken from it. */
  endAfter(exchange: HttpExchange): void {
    this.isEnding = true
    exchange.endsConnection = true
  }

  /** The socket is closed: what waits is for nobody. */
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

  /** Safe requests run beside each other. Any other runs alone, so that each finds what those before it left. (RFC 9112 9.3.2) */
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

/** Before version 26, Node tells only the answer whose turn it is that the connection has closed. */
function closeAnswer(response: ServerResponse): void {
  response.destroy()
  response.emit('close')
}

interface QueuedRequest {
  readonly exchange: HttpExchange
  readonly failure: Failure | null
}

/** As RFC 9110 9.2.1 has it. A method that is not known to be safe is not. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Half-closes a connection and reads on for a moment before it is gone: to close with bytes unread would reset it, and
 * the reset could overtake the last answer. (RFC 9112 9.6)
 */
export function endGently(socket: Duplex, lingerMs: number): void {
  socket.end()
  socket.resume()
  destroyAfter(socket, lingerMs)
}

/** Gives a connection so long to end by itself. */
export function destroyAfter(socket: Duplex, waitMs: number): void {
  const timer = setTimeout(() => socket.destroy(), waitMs)
  socket.once('close', () => clearTimeout(timer))
}
