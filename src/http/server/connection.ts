// What the server must remember of one connection between its requests.

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type AnswerRoom, ConnectionRoom } from '../../budget/answer-room.ts'
import type { Failure } from '../../failure/failure.ts'
import type { HttpExchange } from './http-exchange.ts'

export interface Connection {
  readonly socket: Socket
  /** The address at the other end, as the socket writes it. */
  readonly peer: string
  /** The request that came last, while it waits for its answer or its body is still on its way. */
  latest: HttpExchange | null
  /** Requests that wait for their answers, and those of them that are being carried out. */
  waiting: number
  running: number
  /** True while a request runs that may change something: it runs alone. */
  runsUnsafe: boolean
  /**
   * Requests that have not begun, for those before them are too many, may change something or leave too much unread; null
   * where there are none.
   */
  queue: QueuedRequest[] | null
  /** Bytes of large answers that the client has not read. */
  unreadBytes: number
  /** True once it ends with the answer to its last request. */
  endsSoon: boolean
  /** Held by its answers, from when they grow large until they have left. */
  readonly room: ConnectionRoom
  /** True once no further request is taken from it. */
  isEnding: boolean
  /** Called when an answer has left. An idle connection then keeps nothing of its last request: 4 kB, ten thousand times. */
  readonly finished: () => void
}

export interface QueuedRequest {
  readonly exchange: HttpExchange
  /** What its head failed with, if it did. */
  readonly failure: Failure | null
}

/** `room`: for the answers of everybody. */
export function createConnection(socket: Socket, room: AnswerRoom): Connection {
  const connection: Connection = {
    socket,
    // None for a Unix domain socket, or where the client has left already.
    peer: socket.remoteAddress ?? '',
    latest: null,
    waiting: 0,
    running: 0,
    runsUnsafe: false,
    queue: null,
    unreadBytes: 0,
    endsSoon: false,
    room: new ConnectionRoom(room),
    isEnding: false,
    finished: () => {
      if (connection.waiting === 0 && connection.latest?.body?.isComing !== true) connection.latest = null
    },
  }
  return connection
}

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
