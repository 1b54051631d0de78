// Connects the parts of events: outbox, feed, and instances that wake each other.

import type { Authentication } from '../../authentication/authentication.ts'
import { installationSecret } from '../../authentication/installation-secret.ts'
import { createAnnouncer, eventChannel } from '../../event/announcement.ts'
import { type Feed, idleFeed, openFeed } from '../../event/feed.ts'
import { HolderWatch } from '../../event/holder-watch.ts'
import { Hub } from '../../event/hub.ts'
import { type Outbox, type OutboxEvent, openOutbox } from '../../event/outbox.ts'
import { createResumeIds, type ResumeIds } from '../../event/resume-id.ts'
import { createEventStreams, type EventStreams } from '../../event/stream/event-stream.ts'
import { createLiveConnections, type LiveConnections } from '../../event/stream/live-connections.ts'
import { listen } from '../../store/postgres/listen.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { Observation } from './open-observation.ts'

export interface OpenEvents {
  readonly outbox: Outbox
  readonly resumeIds: ResumeIds
  readonly hub: Hub
  readonly holders: HolderWatch
  readonly feed: Feed
  readonly connections: LiveConnections
  readonly streams: EventStreams
  /** Calls the listener with every event of all instances, in order, before subscribers receive it. */
  onEvent(listener: (event: OutboxEvent) => void): void
  /** To be called after a commit with events. */
  announce(): void
  /** Resolves when every event committed before has been read and sent to other instances and subscribers. */
  settled(): Promise<void>
}

/** Rejects if the database does not respond. */
export async function openEvents(
  context: OpenContext,
  { store, dialect, plans, listenUrl }: Database,
  { metrics }: Observation,
  authentication: Authentication,
): Promise<OpenEvents> {
  const { model, limits, log, clock, answers, workers, shutdown } = context
  const outbox = await openOutbox(store, dialect)
  const resumeIds = createResumeIds(await installationSecret('event-ids', store), outbox.epoch)
  const noteDelivery = metrics?.noteDelivery
  const hub = new Hub({ model, store, dialect, plans, outbox, limits, log, clock, answers, noteDelivery })
  const holders = new HolderWatch({ store, dialect, log, limits, clock })
  shutdown.defer(() => holders.close())
  const listeners: ((event: OutboxEvent) => void)[] = []
  const feedOptions = {
    outbox,
    deliver(events: readonly OutboxEvent[]) {
      for (const event of events) for (const listener of listeners) listener(event)
      hub.deliver(events)
      if (metrics !== null) for (const event of events) metrics.noteRead(event)
    },
    log,
    pollMs: limits.eventPollMs,
    heldBackMs: limits.eventHeldBackMs,
    batch: limits.eventBatch,
  }
  const feed = workers ? await openFeed(feedOptions) : await idleFeed(outbox)
  shutdown.defer(() => feed.close())
  const announcer = createAnnouncer(store, limits.eventAnnounceMs, log)
  shutdown.defer(() => announcer.close())
  const wake = (payload?: string) => {
    if (announcer.isNews(payload)) feed.wake()
  }
  const listener = listen(listenUrl, { channel: eventChannel, wake, log, limits })
  shutdown.defer(listener.stop)
  return {
    outbox,
    resumeIds,
    hub,
    holders,
    feed,
    ...openConnections(context, resumeIds, authentication),
    onEvent: (listener) => void listeners.push(listener),
    announce() {
      feed.wake()
      announcer.announce()
    },
    async settled() {
      await listener.begun
      await Promise.all([announcer.settled(), feed.settled().then(() => hub.settled())])
    },
  }
}

function openConnections(
  { options, limits, clock, answers, workers, shutdown }: OpenContext,
  resumeIds: ResumeIds,
  { identify }: Authentication,
): Pick<OpenEvents, 'connections' | 'streams'> {
  const connections = createLiveConnections({ answers, clock, limits })
  shutdown.beforeClose(async () => connections.close())
  const streams = createEventStreams({
    isServed: workers,
    connections,
    answers,
    resumeIds,
    identify: async (exchange, now) => identify(exchange.headers, now, exchange),
    limits,
    random: options.random ?? Math.random,
  })
  return { connections, streams }
}
