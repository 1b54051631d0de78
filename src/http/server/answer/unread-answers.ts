// Bounds the memory of answers that clients have not read: beyond it, the slowest reader's connection is closed.

import type { Connection } from '../connection.ts'

/** Smaller answers fit into the socket's buffer. */
const countedFromBytes = 16_384

export class UnreadAnswers {
  readonly #bytesMax: number
  #bytes = 0
  /** Oldest first. */
  readonly #unreadSince = new Map<Connection, number>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Counts an answer until it is sent, and closes the slowest connections if the total is too high. Returns the bytes counted. */
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

  endStalled(forMs: number): void {
    const begunBefore = performance.now() - forMs
    for (const [connection, since] of this.#unreadSince) {
      if (since > begunBefore) break
      connection.socket.destroy()
    }
  }

  remove(bytes: number, connection: Connection): void {
    const freedBytes = Math.min(bytes, connection.unreadBytes)
    this.#bytes -= freedBytes
    connection.unreadBytes -= freedBytes
    if (connection.unreadBytes === 0) this.#unreadSince.delete(connection)
  }

  forget(connection: Connection): void {
    this.remove(connection.unreadBytes, connection)
  }
}
