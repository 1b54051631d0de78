// Bounds what one WebSocket buffers for a slow reader, and accounts for its large answers.

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { type AnswerRoom, ConnectionRoom } from '../../budget/answer-room.ts'
import { type AnswerLimits, AnswerSize } from '../../budget/answer-size.ts'

export interface OutgoingLimits extends AnswerLimits {
  /** Unread bytes per socket. */
  readonly socketBufferBytes: number
}

const drainPollMs = 5
/** The limit on unread bytes covers smaller payloads. */
const largePayload = 65_536

export class Outgoing {
  readonly #socket: WebSocket
  readonly #limits: OutgoingLimits
  readonly #room: ConnectionRoom
  readonly #tooSlow: () => void
  /** Large answers in transit are not counted as unread. */
  #answerBytes = 0
  #answersSince = 0

  /** `tooSlow` ends the connection. */
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

  measure(): AnswerSize {
    return new AnswerSize(this.#limits, this.#room)
  }

  /** An answer may exceed the limit on unread bytes. */
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

  /** Each connection buffers its own copy of a shared text. */
  sendPayload(text: string): void {
    if (text.length < largePayload || this.#isFull) {
      this.send(text)
      return
    }
    const bytes = Buffer.byteLength(text)
    // Without memory, the client is disconnected as a slow reader: it reconnects and resumes.
    if (!this.#room.take(bytes)) this.#tooSlow()
    else this.#socket.send(text, () => this.#room.give(bytes))
  }

  /** Resolves in a later turn, when most is read or the connection has ended. */
  async drained(isOpen: () => boolean): Promise<void> {
    await turn()
    while (isOpen() && this.#socket.bufferedAmount > this.#limits.socketBufferBytes / 2) await pause(drainPollMs)
  }

  isStalled(forMs: number): boolean {
    return this.#answerBytes > 0 && performance.now() - this.#answersSince >= forMs
  }

  end(): void {
    this.#room.close()
  }

  get #isFull(): boolean {
    return this.#socket.bufferedAmount - this.#answerBytes > this.#limits.socketBufferBytes
  }
}
