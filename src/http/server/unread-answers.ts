// Bounds the memory of answers that clients have not read yet: beyond it, the slowest reader's connection is closed.

import type { Connection } from './connection.ts'

/** Smaller answers are not worth the counting: a connection holds few of them, and its socket takes them at once. */
const countedFromBytes = 16_384

export class UnreadAnswers {
  readonly #bytesMax: number
  #bytes = 0
  /** Since when each connection has unread answers; the longest comes first. */
  readonly #unreadSince = new Map<Connection, number>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Counts an answer until it has left, and closes the slowest connections where all hold too much. Answers the bytes counted. */
  add(body: string | Uint8Array | null, connection: Connection): number {
    if (body === null || body.length < countedFromBytes) return 0
    const bytes = Buffer.byteLength(body)
    this.#bytes += bytes
    connection.unreadBytes += bytes
    if (!this.#unreadSince.has(connection)) this.#unreadSince.set(connection, performance.now())
    for (const slowest of this.#unreadSince.keys()) {
      if (this.#bytes <= this.#bytesMax || slowest === connection) break
      slowest.socket.destroy()
      this.forget(slowest)
    }
    return bytes
  }

  /** Ends the connections that have left an answer unread for so long: others need the memory. */
  endStalled(forMs: number): void {
    const begunBefore = performance.now() - forMs
    for (const [connection, since] of this.#unreadSince) {
      if (since > begunBefore) break
      connection.socket.destroy()
    }
  }

  /** So many bytes have left. */
  remove(bytes: number, connection: Connection): void {
    // None where the connection was forgotten meanwhile.
    const freedBytes = Math.min(bytes, connection.unreadBytes)
    this.#bytes -= freedBytes
    connection.unreadBytes -= freedBytes
    if (connection.unreadBytes === 0) this.#unreadSince.delete(connection)
  }

  /** The connection is gone, with all that it has not read. */
  forget(connection: Connection): void {
    this.remove(connection.unreadBytes, connection)
  }
}
