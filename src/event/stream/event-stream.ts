// One stream of server-sent events: what waits for its reader, keep-alives, and its end. (contract 6.4)

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { type AnswerRoom, ConnectionRoom } from '../../budget/answer-room.ts'
import { clientGone } from '../../budget/deadline.ts'
import type { BodyStream } from '../../http/message/exchange.ts'
import type { LiveConnection } from './live-connections.ts'

export interface EventStreamDependencies {
  readonly answers: AnswerRoom
  readonly limits: { readonly socketBufferBytes: number; readonly socketPingMs: number }
  /** The text that keeps the connection open. */
  readonly keepAlive: () => string
  /** Ends the stream if the credential is no longer accepted. */
  readonly recheck: (now: Date) => void
  /** Called once at the end. */
  readonly ended: () => void
}

const drainPollMs = 5
/** The limit on unread bytes covers smaller texts. */
const largeText = 65_536

export class EventStream implements LiveConnection {
  readonly kind = 'stream'
  readonly body: BodyStream = {
    [Symbol.asyncIterator]: () => ({
      next: () => this.#next(),
      return: async () => {
        this.cutOff()
        return { done: true, value: undefined }
      },
    }),
  }
  readonly #dependencies: EventStreamDependencies
  readonly #room: ConnectionRoom
  #texts: string[] = []
  #waitingChars = 0
  #sendingChars = 0
  #largeBytes = 0
  #sendingLargeBytes = 0
  #pulledAt = performance.now()
  #sentAt = performance.now()
  #wake: (() => void) | null = null
  #isOver = false
  /** Why it was cut off; null for a regular end, after which waiting texts are sent. */
  #reason: unknown = null

  constructor(dependencies: EventStreamDependencies) {
    this.#dependencies = dependencies
    this.#room = new ConnectionRoom(dependencies.answers)
  }

  get unreadBytes(): number {
    return this.#waitingChars + this.#sendingChars
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** A client that reads too slowly is disconnected: it reconnects and resumes. (contract 6.2.8) */
  send(text: string): void {
    if (this.#isOver) return
    const isFull = this.unreadBytes > this.#dependencies.limits.socketBufferBytes
    const largeBytes = text.length < largeText ? 0 : Buffer.byteLength(text)
    if (isFull || !this.#room.take(largeBytes)) {
      this.cutOff()
      return
    }
    this.#largeBytes += largeBytes
    this.#texts.push(text)
    this.#waitingChars += text.length
    this.#sentAt = performance.now()
    this.#wake?.()
  }

  /** Resolves in a later turn, when most of what was sent is read; false once the stream has ended. */
  async hasRead(): Promise<boolean> {
    await turn()
    const most = this.#dependencies.limits.socketBufferBytes / 2
    while (!this.#isOver && this.unreadBytes > most) await pause(drainPollMs)
    return !this.#isOver
  }

  tick(now: Date): void {
    this.#dependencies.recheck(now)
    if (performance.now() - this.#sentAt >= this.#dependencies.limits.socketPingMs)
      this.send(this.#dependencies.keepAlive())
  }

  close(): void {
    this.#finish(null)
  }

  cutOff(): void {
    this.#drop()
    this.#room.close()
    this.#finish(clientGone)
  }

  cutOffIfStalled(forMs: number): void {
    const holds = this.#largeBytes + this.#sendingLargeBytes > 0
    if (holds && performance.now() - this.#pulledAt >= forMs) this.cutOff()
  }

  async #next(): Promise<IteratorResult<string>> {
    this.#pulledAt = performance.now()
    this.#room.give(this.#sendingLargeBytes)
    this.#sendingLargeBytes = 0
    this.#sendingChars = 0
    while (this.#texts.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = null
    }
    if (this.#reason !== null) throw this.#reason
    if (this.#texts.length === 0) {
      this.#room.close()
      return { done: true, value: undefined }
    }
    const value = this.#texts.join('')
    this.#sendingChars = this.#waitingChars
    this.#sendingLargeBytes = this.#largeBytes
    this.#drop()
    return { done: false, value }
  }

  #drop(): void {
    this.#texts = []
    this.#largeBytes = 0
    this.#waitingChars = 0
  }

  #finish(reason: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#reason = reason
    this.#dependencies.ended()
    this.#wake?.()
  }
}
