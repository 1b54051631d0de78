// The events that one group of subscribers is told of: each in its turn, while other groups go on at their own pace.

import type { Slots } from '../concurrency/semaphore.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import { isBeyond, type OutboxEvent, type Position } from './outbox.ts'

export interface LaneGiven {
  /** Tells the group. Rejects with a Failure where it has to be told later. */
  readonly tell: (event: OutboxEvent) => Promise<void>
  /** What happened after this position, of any kind, in order and at most so many. */
  readonly after: (position: Position, limit: number) => Promise<readonly OutboxEvent[]>
  /** Whether the group listens to it. */
  readonly isHeard: (event: OutboxEvent) => boolean
  readonly slots: Slots
  readonly log: Pick<Log, 'error'>
  readonly limits: { readonly eventsWaiting: number; readonly eventBatch: number; readonly eventPollMs: number }
}

/** What waits is bounded: beyond that it is read again from the outbox, once the group has come so far. */
export class Lane {
  readonly #given: LaneGiven
  readonly #waiting: OutboxEvent[] = []
  /** Up to where the group was told, or has nothing to be told. */
  #position: Position
  /** True where the outbox holds more for the group than what waits. */
  #isBehind = false
  /** True where something was left to the outbox since it was read last. */
  #isBehindAgain = false
  #running: Promise<void> | null = null
  #isClosed = false

  constructor(position: Position, given: LaneGiven) {
    this.#position = position
    this.#given = given
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
    if (this.#isBehind || this.#waiting.length >= this.#given.limits.eventsWaiting) {
      this.#isBehind = this.#isBehindAgain = true
      return
    }
    this.#waiting.push(event)
    this.#running ??= this.#run()
  }

  /** Resolves once the group was told of everything, or cannot be told now. */
  async settled(): Promise<void> {
    await this.#running
  }

  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
  }

  async #run(): Promise<void> {
    const { slots, limits } = this.#given
    try {
      while (await this.#hasMore()) {
        await slots.take()
        try {
          await this.#tellNext()
        } finally {
          slots.release()
        }
      }
      this.#running = null
    } catch (error) {
      // Mostly the database is away. Nobody was told, and everybody will be.
      if (!(error instanceof Failure)) this.#given.log.error('Events could not be read again.', { err: error })
      setTimeout(() => {
        this.#running = this.#run()
      }, limits.eventPollMs).unref()
    }
  }

  async #hasMore(): Promise<boolean> {
    const { after, isHeard, limits } = this.#given
    while (this.#waiting.length === 0 && this.#isBehind && !this.#isClosed) {
      this.#isBehindAgain = false
      const events = await after(this.#position, limits.eventBatch)
      this.#waiting.push(...events.filter(isHeard))
      if (this.#waiting.length === 0 && events.length > 0) this.#position = events.at(-1)!.position
      this.#isBehind = events.length === limits.eventBatch || this.#isBehindAgain
    }
    return this.#waiting.length > 0 && !this.#isClosed
  }

  async #tellNext(): Promise<void> {
    const { tell, log } = this.#given
    const [event] = this.#waiting
    if (event === undefined) return
    try {
      await tell(event)
    } catch (error) {
      if (error instanceof Failure) throw error
      // It would fail for ever, and keep back all that came after it.
      log.error('An event could not be handed on.', { err: error, eventId: event.id })
    }
    this.#position = event.position
    this.#waiting.shift()
  }
}
