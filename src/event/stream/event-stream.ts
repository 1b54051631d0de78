// Event streams for both faces: a subscription, what waits for its reader, keep-alives, and the credential that keeps it open.
// (contract 6.4)

import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { type AnswerRoom, ConnectionRoom } from '../../budget/answer-room.ts'
import { clientGone } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import type { BodyStream, Exchange, StreamedReply } from '../../http/message/exchange.ts'
import type { Requester } from '../../resource/actor.ts'
import type { Subscription, SubscriptionContext } from '../subscription.ts'
import { isRefused, type LiveConnection, type LiveConnections } from './live-connections.ts'
import { retryBlock } from './server-sent-events.ts'

export interface StreamForm {
  /** Fails as the subscription is refused; then there is no stream. */
  subscribe(stream: Pick<EventStream, 'send' | 'end' | 'hasRead'>): Promise<Subscription>
  /** `id`: every event up to it was sent. */
  keepAlive(id: string): string
}
export interface EventStreamsDependencies {
  /** False in processes that deliver no events. */
  readonly isServed: boolean
  readonly connections: LiveConnections
  readonly answers: AnswerRoom
  readonly resumeIds: SubscriptionContext['resumeIds']
  /** Fails as for the request. */
  readonly identify: (exchange: Exchange, now: Date) => Promise<Requester>
  readonly limits: { readonly socketBufferBytes: number; readonly socketPingMs: number }
  readonly random: () => number
}

export type EventStreams = ReturnType<typeof createEventStreams>

export const createEventStreams = (dependencies: EventStreamsDependencies) => ({
  /** Fails with NOT_FOUND where other processes serve subscriptions, and as `form.subscribe`. */
  async open(exchange: Exchange, form: StreamForm): Promise<StreamedReply> {
    if (!dependencies.isServed) throw new Failure('NOT_FOUND', { message: servedElsewhere })
    const stream = new EventStream(exchange, form, dependencies)
    await stream.begin()
    return { status: 200, headers: streamHeaders, body: stream.body, isEndless: true }
  },
})

/** An empty one counts as absent. */
export function lastEventId({ headers }: Pick<Exchange, 'headers'>): string | null {
  const id = headers['last-event-id']
  return id === undefined || id === '' ? null : String(id)
}

/** Clients of a stopped service return one after the other. */
const [retryMinMs, retryMaxMs] = [1_000, 5_000]
const drainPollMs = 5
/** The limit on unread bytes covers smaller texts. */
const largeText = 65_536

/** Texts on their way, and the bytes of the large ones. */
interface Texts {
  readonly all: string[]
  chars: number
  largeBytes: number
}
const noTexts = (): Texts => ({ all: [], chars: 0, largeBytes: 0 })

class EventStream implements LiveConnection {
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
  readonly #exchange: Exchange
  readonly #form: StreamForm
  readonly #dependencies: EventStreamsDependencies
  readonly #room: ConnectionRoom
  #subscription: Subscription | null = null
  #remove = () => {}
  #waiting = noTexts()
  #sending = noTexts()
  #pulledAt = performance.now()
  #sentAt = performance.now()
  #wake: (() => void) | null = null
  #isOver = false
  /** Why it was cut off; null for a regular end, after which waiting texts are sent. */
  #reason: unknown = null

  constructor(exchange: Exchange, form: StreamForm, dependencies: EventStreamsDependencies) {
    this.#exchange = exchange
    this.#form = form
    this.#dependencies = dependencies
    this.#room = new ConnectionRoom(dependencies.answers)
  }

  /** Resolves when it is subscribed. */
  async begin(): Promise<void> {
    const { connections, random } = this.#dependencies
    this.send(retryBlock(retryMinMs + Math.floor(random() * (retryMaxMs - retryMinMs))))
    this.#subscription = await this.#form.subscribe(this)
    this.#remove = connections.add(this)
    this.#subscription.start().then(
      // Names an id to resume after, before anything has happened.
      () => this.#keepAlive(),
      // Resumed by the client, like every stream that ends early.
      () => this.close(),
    )
  }

  get unreadBytes(): number {
    return this.#waiting.chars + this.#sending.chars
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
    this.#waiting.all.push(text)
    this.#waiting.chars += text.length
    this.#waiting.largeBytes += largeBytes
    this.#sentAt = performance.now()
    this.#wake?.()
  }

  end(text: string): void {
    this.send(text)
    this.close()
  }

  /** Resolves in a later turn, when most of what was sent is read; false once the stream has ended. */
  async hasRead(): Promise<boolean> {
    await turn()
    const most = this.#dependencies.limits.socketBufferBytes / 2
    while (!this.#isOver && this.unreadBytes > most) await pause(drainPollMs)
    return !this.#isOver
  }

  tick(now: Date): void {
    const { identify, limits } = this.#dependencies
    void isRefused(identify(this.#exchange, now)).then((refused) => refused && this.close())
    if (performance.now() - this.#sentAt >= limits.socketPingMs) this.#keepAlive()
  }

  close(): void {
    this.#finish(null)
  }

  cutOff(): void {
    this.#waiting = noTexts()
    this.#room.close()
    this.#finish(clientGone)
  }

  cutOffIfStalled(forMs: number): void {
    const holds = this.#waiting.largeBytes + this.#sending.largeBytes > 0
    if (holds && performance.now() - this.#pulledAt >= forMs) this.cutOff()
  }

  #keepAlive(): void {
    this.send(this.#form.keepAlive(this.#dependencies.resumeIds.ofProgress(this.#subscription!.reached)))
  }

  async #next(): Promise<IteratorResult<string>> {
    this.#pulledAt = performance.now()
    this.#room.give(this.#sending.largeBytes)
    this.#sending = noTexts()
    while (this.#waiting.all.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = null
    }
    if (this.#reason !== null) throw this.#reason
    if (this.#waiting.all.length === 0) {
      this.#room.close()
      return { done: true, value: undefined }
    }
    this.#sending = this.#waiting
    this.#waiting = noTexts()
    return { done: false, value: this.#sending.all.splice(0).join('') }
  }

  #finish(reason: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#reason = reason
    this.#subscription?.stop()
    this.#remove()
    this.#wake?.()
  }
}

const servedElsewhere = 'Subscriptions are served by other processes than this one.'

/** Proxies neither buffer nor compress it. */
const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}
