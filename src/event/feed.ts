// Reads the outbox as it grows and hands each event on once, in order. (contract 6)

import { Failure } from '../failure/failure.ts'
import type { Log } from '../observation/log.ts'
import type { Outbox, OutboxEvent, Position } from './outbox.ts'

export interface Feed {
  /** There may be something new: called after a commit here, and when the database says so. */
  wake(): void
  /** Where the feed stands: everything up to here was handed on, or is being handed on to those who listened before. */
  readonly position: Position
  close(): Promise<void>
}
export interface FeedOptions {
  readonly outbox: Outbox
  readonly deliver: (events: readonly OutboxEvent[]) => Promise<void>
  readonly log: Log
  /** How often to look without being woken, for wakes that were lost. */
  readonly pollMs: number
  readonly batch: number
}

/**
 * Starts at the end of what is there. What a Failure prevents is tried again at the next wake or poll; an event that
 * fails otherwise is left out, and the log told.
 */
export async function openFeed({ outbox, deliver, log, pollMs, batch }: FeedOptions): Promise<Feed> {
  let position = await outbox.end()
  let reading: Promise<void> | null = null
  let isWoken = false
  let isClosed = false

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
  }
  async function readAll(): Promise<void> {
    do {
      isWoken = false
      let events: readonly OutboxEvent[]
      do {
        events = await outbox.after(position, batch)
        if (events.length === 0) break
        for (const event of events) await handOn(event)
      } while (events.length === batch && !isClosed)
    } while (isWoken && !isClosed)
  }
  function wake(): void {
    isWoken = true
    if (reading !== null || isClosed) return
    reading = readAll()
      .catch((error: unknown) => log.warn('Events could not be read; they will be, in a moment.', { err: error }))
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
    async close() {
      isClosed = true
      clearInterval(poll)
      await reading
    },
  }
}
