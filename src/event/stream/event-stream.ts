// One stream of server-sent events: what waits for its reader, keep-alives, and its end. (contract 6.4)

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { type AnswerRoom, ConnectionRoom } from '../../budget/answer-room.ts'
import { type AnswerLimits, AnswerSize } from '../../budget/answer-size.ts'
import { clientGone } from '../../budget/deadline.ts'
import type { BodyStream } from '../../http/message/exchange.ts'
import type { LiveConnection } from './live-connections.ts'

export interface EventStreamDependencies {
  readonly answers: AnswerRoom
  readonly limits: AnswerLimits & { readonly socketBufferBytes: number; readonly socketPingMs: number }
  /** The text that keeps the connection open. */
  /** Ends the stream if the credential is no longer accepted. */
  /** Called once at the end. */
  readonly keepAlive: () => string
  readonly recheck: (now: Date) => void
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
  #large: AnswerSize[] = []
  #sendingLarge: AnswerSize[] = []
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
    if (isFull || (text.length >= largeText && !this.#hold(text))) {
      this.cutOff()
      return
    }
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
    const holds = this.#large.length + this.#sendingLarge.length > 0
    if (holds && performance.now() - this.#pulledAt >= forMs) this.cutOff()
  }

  #hold(text: string): boolean {
    const size = new AnswerSize(this.#dependencies.limits, this.#room)
    try {
      size.hold(Buffer.byteLength(text))
    } catch {
      return false
    }
    this.#large.push(size)
    return true
  }

  async #next(): Promise<IteratorResult<string>> {
    this.#pulledAt = performance.now()
    for (const size of this.#sendingLarge) size.release()
    this.#sendingLarge = []
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
    this.#sendingLarge = this.#large
    this.#drop()
    return { done: false, value }
  }

  #drop(): void {
    this.#texts = []
    this.#large = []
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
