// Polls the outbox and delivers each event once, in order. (contract 6.1.4)

import { WakeLoop } from '../concurrency/wake-loop.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import { Outage } from '../observation/outage.ts'
import type { Outbox, OutboxEvent, Position } from './outbox.ts'

export interface Feed {
  /** To be called after a commit, and on notifications. */
  wake(): void
  /** Every event up to here was delivered, or is being delivered. */
  readonly position: Position
  /** Every event up to here was delivered to those who subscribed before it. */
  readonly deliveryPosition: Position
  settled(): Promise<void>
  close(): Promise<void>
}
export interface FeedOptions {
  readonly outbox: Outbox
  readonly deliver: (events: readonly OutboxEvent[]) => Promise<void> | void
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly pollMs: number
  /** The first pause for an event held back by an older transaction; doubles up to `pollMs`. */
  readonly heldBackMs: number
  readonly batch: number
}

/** Starts at the current end. A Failure is retried; an event that fails otherwise is logged and skipped. */
export const openFeed = async (options: FeedOptions): Promise<Feed> =>
  new OutboxFeed(options, await options.outbox.end())

/** Stays at the current end. */
export async function idleFeed(outbox: Pick<Outbox, 'end'>): Promise<Feed> {
  const position = await outbox.end()
  const nothing = (): Promise<void> => Promise.resolve()
  return { wake: () => undefined, position, deliveryPosition: position, settled: nothing, close: nothing }
}

class OutboxFeed implements Feed {
  readonly #options: FeedOptions
  readonly #loop: WakeLoop
  #position: Position
  #deliveryPosition: Position
  #again: NodeJS.Timeout | undefined
  #stuckMs = 0

  constructor(options: FeedOptions, end: Position) {
    this.#options = options
    this.#position = this.#deliveryPosition = end
    this.#loop = new WakeLoop({
      work: () => this.#readAll(),
      outage: new Outage(options.log, 'Events could not be read; they will be, in a moment.', 'Events are read again.'),
    })
    this.#loop.start(options.pollMs)
  }

  get position(): Position {
    return this.#position
  }

  get deliveryPosition(): Position {
    return this.#deliveryPosition
  }

  wake(): void {
    this.#loop.wake()
  }

  async settled(): Promise<void> {
    do await this.#loop.settled()
    while (this.#stuckMs > 0 && !this.#loop.isStopping)
  }

  async close(): Promise<void> {
    await this.#loop.stop()
    clearTimeout(this.#again)
  }

  async #readAll(): Promise<void> {
    let events: readonly OutboxEvent[]
    do {
      events = await this.#next()
      for (const event of events) await this.#handOn(event)
    } while (events.length === this.#options.batch && !this.#loop.isStopping)
  }

  async #next(): Promise<readonly OutboxEvent[]> {
    const { outbox, batch, heldBackMs, pollMs } = this.#options
    const poll = await outbox.poll(this.#position, batch)
    // Older transactions may belong to other databases of the server; finding out is expensive.
    const isLasting = poll.isHeldBack && poll.events.length === 0 && this.#stuckMs > 0
    const events = isLasting ? await outbox.after(this.#position, batch) : poll.events
    const stuckMs = events.length > 0 ? heldBackMs : this.#stuckMs * 2 || heldBackMs
    this.#stuckMs = poll.isHeldBack ? Math.min(stuckMs, pollMs) : 0
    clearTimeout(this.#again)
    if (this.#stuckMs > 0) this.#again = setTimeout(this.#loop.wake, this.#stuckMs).unref()
    return events
  }

  async #handOn(event: OutboxEvent): Promise<void> {
    const before = this.#position
    // A subscriber that arrives now treats the event as past.
    this.#position = event.position
    try {
      await this.#options.deliver([event])
    } catch (error) {
      if (error instanceof Failure) {
        this.#position = before
        throw error
      }
      // Retrying would fail again and block later events.
      this.#options.log.error('An event could not be handed on.', { err: error, eventId: event.id })
    }
    this.#deliveryPosition = event.position
  }
}
