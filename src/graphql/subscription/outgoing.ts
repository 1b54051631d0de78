// What leaves on one WebSocket: how much of it may wait for a slow reader, and what its large answers hold until they left.

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { type AnswerRoom, ConnectionRoom } from '../../budget/answer-room.ts'
import { type AnswerLimits, AnswerSize } from '../../budget/answer-size.ts'

export interface OutgoingLimits extends AnswerLimits {
  /** What may wait to be read by a slow client, in bytes. */
  readonly socketBufferBytes: number
}

const drainPollMs = 5
/** Smaller payloads are bounded by what one connection may leave unread. */
const largePayload = 65_536

export class Outgoing {
  readonly #socket: WebSocket
  readonly #limits: OutgoingLimits
  readonly #room: ConnectionRoom
  readonly #tooSlow: () => void
  /** Of large answers on their way, which do not count as unread, and since when there are any. */
  #answerBytes = 0
  #answersSince = 0

  /** `tooSlow` ends a connection whose reader leaves too much unread. */
  constructor(socket: WebSocket, limits: OutgoingLimits, room: AnswerRoom, tooSlow: () => void) {
    this.#socket = socket
    this.#limits = limits
    this.#room = new ConnectionRoom(room)
    this.#tooSlow = tooSlow
  }

  send(text: string): void {
    if (this.#isFull) this.#tooSlow()
    else this.#socket.send(text)
  }

  /** Counts an answer that will be sent here. */
  measure(): AnswerSize {
    return new AnswerSize(this.#limits, this.#room)
  }

  /** What the client asked for may be larger than what it may leave unread. */
  sendAnswer(text: string, size: AnswerSize): void {
    const bytes = size.heldBytes
    if (bytes === 0 || this.#isFull) {
      size.release()
      this.send(text)
      return
    }
    if (this.#answerBytes === 0) this.#answersSince = performance.now()
    this.#answerBytes += bytes
    this.#socket.send(text, () => {
      this.#answerBytes -= bytes
      size.release()
    })
  }

  /** One text is told to many at once, and each connection holds the bytes of it anew. */
  sendPayload(text: string): void {
    if (text.length < largePayload || this.#isFull) {
      this.send(text)
      return
    }
    const size = this.measure()
    try {
      size.hold(Buffer.byteLength(text))
    } catch {
      // Without room it is ended like a reader who is too slow: it comes back, and is told of what it missed.
      this.#tooSlow()
      return
    }
    this.#socket.send(text, () => size.release())
  }

  /** Resolves, in a later turn, when most of what was sent is read, or nothing will be any more. */
  async drained(isOpen: () => boolean): Promise<void> {
    await turn()
    while (isOpen() && this.#socket.bufferedAmount > this.#limits.socketBufferBytes / 2) await pause(drainPollMs)
  }

  /** True where a large answer has been left unread for so long. */
  isStalled(forMs: number): boolean {
    return this.#answerBytes > 0 && performance.now() - this.#answersSince >= forMs
  }

  /** The connection is gone, with all that it has not read. */
  end(): void {
    this.#room.close()
  }

  get #isFull(): boolean {
    return this.#socket.bufferedAmount - this.#answerBytes > this.#limits.socketBufferBytes
  }
}
