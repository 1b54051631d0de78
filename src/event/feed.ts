// Reads the outbox as it grows and hands each event on once, in order. (contract 6)

import type { Log } from '../observation/log.ts'
import type { Outbox, OutboxEvent, Position } from './outbox.ts'

export interface Feed {
  /** There may be something new: called after a commit here, and when the database says so. */
  wake(): void
  /** Where the feed stands: everything up to here was handed on. */
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

/** Starts at the end of what is there. A failed read is tried again at the next wake or poll. */
export async function openFeed({ outbox, deliver, log, pollMs, batch }: FeedOptions): Promise<Feed> {
  let position = await outbox.end()
  let reading: Promise<void> | null = null
  let isWoken = false
  let isClosed = false

  async function readAll(): Promise<void> {
    do {
      isWoken = false
      let events: readonly OutboxEvent[]
      do {
        events = await outbox.after(position, batch)
        if (events.length === 0) break
        await deliver(events)
        position = events.at(-1)!.position
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
