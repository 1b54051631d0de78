// The events waiting for one group of subscribers, delivered in order.

import type { Semaphore } from '../concurrency/semaphore.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import { isBeyond, type OutboxEvent, type Position } from './outbox.ts'

export interface DeliveryQueueDependencies {
  /** Rejects with a Failure if it must be retried. */
  readonly deliver: (event: OutboxEvent) => Promise<void>
  /** Events of every kind after this position, in order, up to a limit. */
  readonly after: (position: Position, limit: number) => Promise<readonly OutboxEvent[]>
  readonly concerns: (event: OutboxEvent) => boolean
  readonly semaphore: Semaphore
  readonly log: Pick<Log, 'error'>
  readonly limits: { readonly eventsWaiting: number; readonly eventBatch: number; readonly eventPollMs: number }
}

/** Bounded: further events are read again from the outbox. */
export class DeliveryQueue {
  readonly #dependencies: DeliveryQueueDependencies
  readonly #waiting: OutboxEvent[] = []
  #position: Position
  /** The outbox contains further events for the group. */
  /** Events were left to the outbox since it was last read. */
  #isBehind = false
  #isBehindAgain = false
  #running: Promise<void> | null = null
  #isClosed = false

  constructor(position: Position, dependencies: DeliveryQueueDependencies) {
    this.#position = position
    this.#dependencies = dependencies
  }

  /**
   * The new subscriber has received everything up to this position and everything pushed; an earlier one may have more, from an
   * instance that is ahead.
   */
  join(after: Position): void {
    if (this.#waiting.length === 0 && isBeyond(this.#position, after)) this.#position = after
  }

  get reached(): Position | null {
    return this.#running === null && this.#waiting.length === 0 && !this.#isBehind ? null : this.#position
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

  /** Resolves when everything was delivered, or cannot be for now. */
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
      // Usually the database is unavailable; retried later.
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
      // Retrying would fail again and block later events.
      log.error('An event could not be handed on.', { err: error, eventId: event.id })
    }
    this.#position = event.position
    this.#waiting.shift()
  }
}
