// Puts the parts of events together: the outbox that keeps them, the feed that reads it, and who is woken by whom.

import type { AnswerRoom } from '../budget/answer-room.ts'
import { createAnnouncer, eventChannel } from '../event/announcement.ts'
import { type Feed, openFeed } from '../event/feed.ts'
import { createHub, type Hub } from '../event/hub.ts'
import { type Outbox, type OutboxEvent, openOutbox } from '../event/outbox.ts'
import type { Log } from '../observation/log.ts'
import type { PlanCache } from '../read-plan/plan-cache.ts'
import type { Model } from '../resource/model/model.ts'
import { listen } from '../store/postgres/listen.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { Store } from '../store/store.ts'
import type { Configuration } from './configuration.ts'
import type { ServiceMetrics } from './metrics.ts'

export interface EventStreamGiven {
  readonly configuration: Configuration
  readonly model: Model
  readonly store: Store
  readonly dialect: Dialect
  readonly plans: PlanCache
  readonly log: Log
  /** For the large answers of everybody. */
  readonly answers: AnswerRoom
  readonly metrics: ServiceMetrics | null
  /** Told of every event, of all instances and in their order, before subscribers are. */
  readonly hear: (event: OutboxEvent) => void
}
export interface EventStream {
  readonly outbox: Outbox
  readonly hub: Hub
  readonly feed: Feed
  /** To be called when events were committed here. */
  announce(): void
  /** Resolves once everything that was committed before has been read, told to the other instances and to subscribers. */
  settled(): Promise<void>
}

/** Opens it, and notes how to close it. Rejects where the database does not answer. */
export async function openEventStream(given: EventStreamGiven, opened: AsyncDisposableStack): Promise<EventStream> {
  const { configuration, model, store, dialect, plans, log, answers, metrics, hear } = given
  const { limits } = configuration
  const outbox = await openOutbox(store, dialect)
  const hub = createHub({ model, store, dialect, plans, outbox, limits, log, answers, delivered: metrics?.delivered })
  const feed = await openFeed({
    outbox,
    deliver(events) {
      for (const event of events) hear(event)
      hub.deliver(events)
      if (metrics !== null) for (const event of events) metrics.heard(event)
    },
    log,
    pollMs: limits.eventPollMs,
    heldBackMs: limits.eventHeldBackMs,
    batch: limits.eventBatch,
  })
  opened.defer(() => feed.close())
  const announcer = createAnnouncer(store, limits.eventAnnounceMs, log)
  opened.defer(() => announcer.close())
  const wake = (payload?: string) => {
    if (announcer.isNews(payload)) feed.wake()
  }
  const listener = listen(configuration.databaseUrl, { channel: eventChannel, wake, log, limits })
  opened.defer(listener.stop)
  return {
    outbox,
    hub,
    feed,
    announce() {
      feed.wake()
      announcer.announce()
    },
    async settled() {
      await listener.begun
      await Promise.all([announcer.settled(), feed.settled().then(hub.settled)])
    },
  }
}
