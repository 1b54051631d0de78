// Reads the outbox as it grows and hands each event on once, in order. (contract 6.1.4)

import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import type { Outbox, OutboxEvent, Position } from './outbox.ts'

export interface Feed {
  /** There may be something new: called after a commit here, and when the database says so. */
  wake(): void
  /** Where the feed stands: everything up to here was handed on, or is being handed on to those who listened before. */
  readonly position: Position
  /** Everything up to here has reached those who listened before. */
  readonly deliveryPosition: Position
  /** Resolves once everything that was committed before has been handed on, whatever holds it back at the moment. */
  settled(): Promise<void>
  close(): Promise<void>
}
export interface FeedOptions {
  readonly outbox: Outbox
  readonly deliver: (events: readonly OutboxEvent[]) => Promise<void> | void
  readonly log: Log
  /** How often to look without being woken, for wakes that were lost. */
  readonly pollMs: number
  /** How soon to look again for an event that an older transaction holds back; then twice as long, up to `pollMs`. */
  readonly heldBackMs: number
  readonly batch: number
}

/**
 * Starts at the end of what is there. What a Failure prevents is tried again at the next wake or poll; an event that
 * fails otherwise is left out, and logged.
 */
export const openFeed = async (options: FeedOptions): Promise<Feed> =>
  new OutboxFeed(options, await options.outbox.end())

/** Hands nothing on: other processes do. It stands where the outbox ended. */
export async function idleFeed(outbox: Pick<Outbox, 'end'>): Promise<Feed> {
  const position = await outbox.end()
  const nothing = (): Promise<void> => Promise.resolve()
  return { wake: () => undefined, position, deliveryPosition: position, settled: nothing, close: nothing }
}

class OutboxFeed implements Feed {
  readonly #options: FeedOptions
  readonly #poll: NodeJS.Timeout
  #position: Position
  #deliveryPosition: Position
  #reading: Promise<void> | null = null
  #isWoken = false
  #isLost = false
  #isClosed = false
  #again: NodeJS.Timeout | undefined
  /** How long nothing has moved although there is something. */
  #stuckMs = 0

  constructor(options: FeedOptions, end: Position) {
    this.#options = options
    this.#position = this.#deliveryPosition = end
    this.#poll = setInterval(this.wake, options.pollMs).unref()
  }

  get position(): Position {
    return this.#position
  }

  get deliveryPosition(): Position {
    return this.#deliveryPosition
  }

  readonly wake = (): void => {
    this.#isWoken = true
    if (this.#reading !== null || this.#isClosed) return
    const tellOnce = (error: unknown) => this.#tellOnce(error)
    this.#reading = this.#readAll()
      .then(() => tellOnce(null), tellOnce)
      .finally(() => {
        this.#reading = null
      })
  }

  async settled(): Promise<void> {
    do {
      this.wake()
      while (this.#reading !== null) await this.#reading
    } while (this.#stuckMs > 0 && !this.#isClosed)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#poll)
    await this.#reading
    clearTimeout(this.#again)
  }

  async #readAll(): Promise<void> {
    do {
      this.#isWoken = false
      let events: readonly OutboxEvent[]
      do {
        events = await this.#next()
        if (events.length === 0) break
        for (const event of events) await this.#handOn(event)
      } while (events.length === this.#options.batch && !this.#isClosed)
    } while (this.#isWoken && !this.#isClosed)
  }

  /** What can be handed on now. What is held back is looked for again soon: nobody need say so when its time has come. */
  async #next(): Promise<readonly OutboxEvent[]> {
    const { outbox, batch, heldBackMs, pollMs } = this.#options
    const look = await outbox.look(this.#position, batch)
    // Of those that began earlier some may belong to other databases of the server: to know that costs more.
    const isLasting = look.isHeldBack && look.events.length === 0 && this.#stuckMs > 0
    const events = isLasting ? await outbox.after(this.#position, batch) : look.events
    const stuckMs = events.length > 0 ? heldBackMs : this.#stuckMs * 2 || heldBackMs
    this.#stuckMs = look.isHeldBack ? Math.min(stuckMs, pollMs) : 0
    clearTimeout(this.#again)
    if (this.#stuckMs > 0) this.#again = setTimeout(this.wake, this.#stuckMs).unref()
    return events
  }

  async #handOn(event: OutboxEvent): Promise<void> {
    const before = this.#position
    // Whoever begins to listen while it is handed on finds it in the past.
    this.#position = event.position
    try {
      await this.#options.deliver([event])
    } catch (error) {
      if (error instanceof Failure) {
        this.#position = before
        throw error
      }
      // It would fail for ever, and keep back all that came after it.
      this.#options.log.error('An event could not be handed on.', { err: error, eventId: event.id })
    }
    this.#deliveryPosition = event.position
  }

  /** Logged once: the database may be gone for long. */
  #tellOnce(error: unknown): void {
    const { log } = this.#options
    if (error !== null && !this.#isLost)
      log.warn('Events could not be read; they will be, in a moment.', { err: error })
    if (error === null && this.#isLost) log.info('Events are read again.')
    this.#isLost = error !== null
  }
}
