// Answers that their clients have not read yet: how much they may hold of this process, and who goes when it is too much.

import type { Connection } from './connection.ts'

/** Smaller answers are not worth the counting: a connection holds few of them, and its socket takes them at once. */
const countedFromBytes = 16_384

export class UnreadAnswers {
  readonly #bytesMax: number
  #bytes = 0
  /** Since when; those that wait to read the longest come first. */
  readonly #behind = new Map<Connection, number>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Holds an answer for this client, and lets the slowest go where all of them hold too much. Answers what was counted. */
  add(body: string | Uint8Array | null, connection: Connection): number {
    if (body === null || body.length < countedFromBytes) return 0
    const bytes = Buffer.byteLength(body)
    this.#bytes += bytes
    connection.unreadBytes += bytes
    if (!this.#behind.has(connection)) this.#behind.set(connection, performance.now())
    for (const slowest of this.#behind.keys()) {
      if (this.#bytes <= this.#bytesMax || slowest === connection) break
      slowest.socket.destroy()
      this.forget(slowest)
    }
    return bytes
  }

  /** Ends the connections that have left an answer unread for so long: others need the room that they hold. */
  letStalledGo(forMs: number): void {
    const begunBefore = performance.now() - forMs
    for (const [connection, since] of this.#behind) {
      if (since > begunBefore) break
      connection.socket.destroy()
    }
  }

  /** So many bytes have left. */
  remove(bytes: number, connection: Connection): void {
    // None where the connection was forgotten meanwhile.
    const held = Math.min(bytes, connection.unreadBytes)
    this.#bytes -= held
    connection.unreadBytes -= held
    if (connection.unreadBytes === 0) this.#behind.delete(connection)
  }

  /** The connection is gone, with all that it has not read. */
  forget(connection: Connection): void {
    this.remove(connection.unreadBytes, connection)
  }
}
