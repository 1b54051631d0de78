// What the server must remember of one connection between its requests.

import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { HttpExchange } from './http-exchange.ts'

export interface Connection {
  readonly socket: Socket
  /** The address at the other end, as the socket writes it. */
  readonly peer: string
  /** The request that came last; its body may still be on its way. */
  latest: HttpExchange | null
  /** Requests that wait for their answers. */
  waiting: number
  /** True once no further request is taken from it. */
  isEnding: boolean
}

/**
 * Half-closes a connection and reads on for a moment before it is gone: to close with bytes unread would reset it, and
 * the reset could overtake the last answer. (RFC 9112 9.6)
 */
export function endGently(socket: Duplex, lingerMs: number): void {
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}
