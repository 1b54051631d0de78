// A subscription: its request, position and unread events. It outlives connections. (contract 6.3.3)

import type { GraphqlErrorEntry } from '../send/error.ts'

export interface EventPayload {
  readonly data?: unknown
  readonly errors?: readonly GraphqlErrorEntry[]
  readonly extensions?: { readonly eventId?: string }
}
/** An event as the application reads it. */
export interface SubscriptionEvent<Data> {
  readonly data: Data
  /** For `resumeAfter` in another process. */
  readonly eventId: string
  /** Fields of the record that could not be read. */
  readonly errors: readonly GraphqlErrorEntry[]
}
/** Iterated once; leaving the loop ends the subscription. */
export interface Stream<T> extends AsyncIterableIterator<T> {
  /** Resolves when the service delivers all later events. Rejects as the iteration does. */
  readonly ready: Promise<void>
}

export interface Subscription {
  /** Evaluated for every connection, as it contains the position. */
  payload(): object
  /** Delivers each event once, however often it is sent. */
  take(payload: EventPayload): void
  reached(eventId: string): void
  readonly isReady: boolean
  /** The buffer is full: ended at the service, and resumed when there is room. */
  readonly isFull: boolean
  fail(error: unknown): void
  complete(): void
}
export interface SubscriptionOptions {
  readonly request: { readonly query: string; readonly variables?: unknown }
  readonly resumeAfter: string | undefined
  readonly bufferMax: number
  readonly drained: () => void
  readonly left: () => void
}

export function createSubscription<T>(
  options: SubscriptionOptions,
  read: (event: SubscriptionEvent<unknown>) => T,
): { readonly subscription: Subscription; readonly stream: Stream<T> } {
  const subscription = new BufferedSubscription(options)
  const stream: Stream<T> = {
    ready: subscription.ready,
    async next() {
      const event = await subscription.next()
      return event === null ? { done: true, value: undefined } : { done: false, value: read(event) }
    },
    async return() {
      subscription.leave()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return { subscription, stream }
}

const rememberedMax = 1_000

class BufferedSubscription implements Subscription {
  isReady = false
  isFull = false
  readonly #options: SubscriptionOptions
  readonly #ready = Promise.withResolvers<void>()
  readonly #waiting: SubscriptionEvent<unknown>[] = []
  readonly #lastIds = new Set<string>()
  #position: string | undefined
  #ending: { readonly error: unknown } | 'complete' | null = null
  #wakeUp = Promise.withResolvers<void>()

  constructor(options: SubscriptionOptions) {
    this.#options = options
    this.#position = options.resumeAfter
    // Failures are also reported by the iteration.
    this.#ready.promise.catch(() => {})
  }

  get ready(): Promise<void> {
    return this.#ready.promise
  }

  payload(): object {
    const { request } = this.#options
    return this.#position === undefined ? request : { ...request, extensions: { resumeAfter: this.#position } }
  }

  take({ data, errors = [], extensions: { eventId = '' } = {} }: EventPayload): void {
    if (this.#ending !== null) return
    if (eventId !== '') {
      if (this.#lastIds.has(eventId)) return
      this.#remember(eventId)
      this.#position = eventId
    }
    this.#settle()
    this.#waiting.push({ data, errors, eventId })
    this.isFull = this.#waiting.length >= this.#options.bufferMax
    this.#wake()
  }

  reached(eventId: string): void {
    this.#position = eventId
    this.#settle()
  }

  /** Null after the last event. Rejects with the error that ended the subscription. */
  async next(): Promise<SubscriptionEvent<unknown> | null> {
    for (;;) {
      const event = this.#waiting.shift()
      if (event !== undefined) {
        this.#makeRoom()
        return event
      }
      if (this.#ending === 'complete') return null
      if (this.#ending !== null) throw this.#ending.error
      await this.#wakeUp.promise
    }
  }

  leave(): void {
    this.#waiting.length = 0
    this.complete()
  }

  fail(error: unknown): void {
    if (this.#ending !== null) return
    this.#ready.reject(error)
    this.#finish({ error })
  }

  complete(): void {
    if (this.#ending !== null) return
    this.#ready.resolve()
    this.#finish('complete')
  }

  #finish(ending: { readonly error: unknown } | 'complete'): void {
    this.#ending = ending
    this.#options.left()
    this.#wake()
  }

  #settle(): void {
    this.isReady = true
    this.#ready.resolve()
  }

  #wake(): void {
    this.#wakeUp.resolve()
    this.#wakeUp = Promise.withResolvers()
  }

  #makeRoom(): void {
    if (!this.isFull || this.#waiting.length > this.#options.bufferMax / 2) return
    this.isFull = false
    this.#options.drained()
  }

  #remember(eventId: string): void {
    this.#lastIds.add(eventId)
    if (this.#lastIds.size > rememberedMax) this.#lastIds.delete(this.#lastIds.values().next().value!)
  }
}
