// The events that wait for one group of subscribers, delivered in order, while other groups go on at their own pace.

import type { Semaphore } from '../concurrency/semaphore.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import { isBeyond, type OutboxEvent, type Position } from './outbox.ts'

export interface DeliveryQueueDependencies {
  /** Hands it to the group. Rejects with a Failure where that has to be done later. */
  readonly deliver: (event: OutboxEvent) => Promise<void>
  /** What happened after this position, of any kind, in order and at most so many. */
  readonly after: (position: Position, limit: number) => Promise<readonly OutboxEvent[]>
  /** Whether the group listens to it. */
  readonly concerns: (event: OutboxEvent) => boolean
  /** How many groups are served at once. */
  readonly semaphore: Semaphore
  readonly log: Pick<Log, 'error'>
  readonly limits: { readonly eventsWaiting: number; readonly eventBatch: number; readonly eventPollMs: number }
}

/** What waits is bounded: beyond that it is read again from the outbox, once the group has come so far. */
export class DeliveryQueue {
  readonly #dependencies: DeliveryQueueDependencies
  readonly #waiting: OutboxEvent[] = []
  /** Up to here everything that concerns the group was delivered. */
  #position: Position
  /** True where the outbox holds more for the group than what waits. */
  #isBehind = false
  /** True where something was left to the outbox since it was read last. */
  #isBehindAgain = false
  #running: Promise<void> | null = null
  #isClosed = false

  constructor(position: Position, dependencies: DeliveryQueueDependencies) {
    this.#position = position
    this.#dependencies = dependencies
  }

  /**
   * Somebody joins who has seen what happened up to here, and everything that was pushed. Whoever came first may have seen
   * more, on an instance that is ahead of this one.
   */
  join(after: Position): void {
    if (this.#waiting.length === 0 && isBeyond(this.#position, after)) this.#position = after
  }

  push(event: OutboxEvent): void {
    if (!isBeyond(event.position, this.#waiting.at(-1)?.position ?? this.#position)) return
    if (this.#isBehind || this.#waiting.length >= this.#dependencies.limits.eventsWaiting) {
      this.#isBehind = this.#isBehindAgain = true
      return
    }
    this.#waiting.push(event)
    this.#running ??= this.#run()
  }

  /** Resolves once everything was delivered, or cannot be now. */
  async settled(): Promise<void> {
    await this.#running
  }

  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
  }

  async #run(): Promise<void> {
    const { semaphore, limits } = this.#dependencies
    try {
      while (await this.#hasMore()) await semaphore.run(() => this.#deliverNext())
      this.#running = null
    } catch (error) {
      // Mostly the database is away: what was not delivered now is, later.
      if (!(error instanceof Failure)) this.#dependencies.log.error('Events could not be read again.', { err: error })
      setTimeout(() => {
        this.#running = this.#run()
      }, limits.eventPollMs).unref()
    }
  }

  async #hasMore(): Promise<boolean> {
    const { after, concerns, limits } = this.#dependencies
    while (this.#waiting.length === 0 && this.#isBehind && !this.#isClosed) {
      this.#isBehindAgain = false
      const events = await after(this.#position, limits.eventBatch)
      this.#waiting.push(...events.filter(concerns))
      if (this.#waiting.length === 0 && events.length > 0) this.#position = events.at(-1)!.position
      this.#isBehind = events.length === limits.eventBatch || this.#isBehindAgain
    }
    return this.#waiting.length > 0 && !this.#isClosed
  }

  async #deliverNext(): Promise<void> {
    const { deliver, log } = this.#dependencies
    const [event] = this.#waiting
    if (event === undefined) return
    try {
      await deliver(event)
    } catch (error) {
      if (error instanceof Failure) throw error
      // It would fail for ever, and keep back all that came after it.
      log.error('An event could not be handed on.', { err: error, eventId: event.id })
    }
    this.#position = event.position
    this.#waiting.shift()
  }
}
