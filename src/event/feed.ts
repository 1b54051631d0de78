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
  readonly delivered: Position
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
export async function openFeed({ outbox, deliver, log, pollMs, heldBackMs, batch }: FeedOptions): Promise<Feed> {
  let position = await outbox.end()
  let delivered = position
  let reading: Promise<void> | null = null
  let isWoken = false
  let isLost = false
  let isClosed = false
  let again: NodeJS.Timeout | undefined
  /** How long nothing has moved although there is something. */
  let stuckMs = 0

  /** What can be handed on now. What is held back is looked for again soon: nobody need say so when its time has come. */
  async function next(): Promise<readonly OutboxEvent[]> {
    const look = await outbox.look(position, batch)
    // Of those that began earlier some may belong to other databases of the server: to know that costs more.
    const isLasting = look.isHeldBack && look.events.length === 0 && stuckMs > 0
    const events = isLasting ? await outbox.after(position, batch) : look.events
    stuckMs = look.isHeldBack ? Math.min(events.length > 0 ? heldBackMs : stuckMs * 2 || heldBackMs, pollMs) : 0
    clearTimeout(again)
    if (stuckMs > 0) again = setTimeout(wake, stuckMs).unref()
    return events
  }
  async function handOn(event: OutboxEvent): Promise<void> {
    const before = position
    // Whoever begins to listen while it is handed on finds it in the past.
    position = event.position
    try {
      await deliver([event])
    } catch (error) {
      if (error instanceof Failure) {
        position = before
        throw error
      }
      // It would fail for ever, and keep back all that came after it.
      log.error('An event could not be handed on.', { err: error, eventId: event.id })
    }
    delivered = event.position
  }
  async function readAll(): Promise<void> {
    do {
      isWoken = false
      let events: readonly OutboxEvent[]
      do {
        events = await next()
        if (events.length === 0) break
        for (const event of events) await handOn(event)
      } while (events.length === batch && !isClosed)
    } while (isWoken && !isClosed)
  }
  /** Said once: the database may be gone for long. */
  function tellOnce(error: unknown): void {
    if (error !== null && !isLost) log.warn('Events could not be read; they will be, in a moment.', { err: error })
    if (error === null && isLost) log.info('Events are read again.')
    isLost = error !== null
  }
  function wake(): void {
    isWoken = true
    if (reading !== null || isClosed) return
    reading = readAll()
      .then(() => tellOnce(null), tellOnce)
      .finally(() => {
        reading = null
      })
  }
  const poll = setInterval(wake, pollMs).unref()
  return {
    wake,
    get position() {
      return position
    },
    get delivered() {
      return delivered
    },
    async settled() {
      do {
        wake()
        while (reading !== null) await reading
      } while (stuckMs > 0 && !isClosed)
    },
    async close() {
      isClosed = true
      clearInterval(poll)
      await reading
      clearTimeout(again)
    },
  }
}
