// Measures the service, and serves the metrics. Made only where METRICS_PORT is set; otherwise nothing is measured.

import { authEndpointOf } from '../authentication/auth-path.ts'
import type { Authentication } from '../authentication/authentication.ts'
import type { CacheCounts, TellCache } from '../cache/bounded-cache.ts'
import type { Feed } from '../event/feed.ts'
import type { OutboxEvent } from '../event/outbox.ts'
import { type MetricsServer, openMetricsServer } from '../http/server/metrics-server.ts'
import { expose, expositionType, type Family, type Sample } from '../observation/metrics/exposition.ts'
import { createHistogram, lagBounds, requestBounds } from '../observation/metrics/histogram.ts'
import { createProcessMetrics } from '../observation/metrics/process.ts'
import { createRequestMetrics } from '../observation/metrics/requests.ts'
import type { Watch } from '../observation/watch.ts'
import type { Reactions } from '../reaction/reactions.ts'
import type { PlanCache } from '../read-plan/plan-cache.ts'
import type { StoreWatch } from '../store/measured.ts'
import type { Store } from '../store/store.ts'
import { type Configuration, ConfigurationError } from './configuration.ts'
import { answersReads } from './health.ts'
import { duetVersion } from './start-line.ts'

export interface ServiceMetrics {
  readonly watch: Watch
  readonly store: StoreWatch
  readonly tellCache: TellCache
  /** Called when this instance has read an event. */
  readonly noteRead: (event: OutboxEvent) => void
  /** Called when an event has been sent to its subscribers. */
  readonly noteDelivery: (event: OutboxEvent) => void
  /** All that is measured of these parts, but for the process. */
  families(parts: MeasuredParts): readonly Family[]
  /** Begins to answer `GET /metrics`. Fails with ConfigurationError where the address cannot be had. */
  serve(parts: MeasuredParts, configuration: MetricsConfiguration): Promise<MetricsServer>
}
type MetricsConfiguration = Pick<Configuration, 'metricsHost' | 'metricsPort' | 'limits'>

/** What is read when metrics are collected. */
export interface MeasuredParts {
  readonly server: { readonly connections: number }
  readonly sockets: { readonly size: number }
  readonly hub: { readonly size: number }
  readonly limiter: { readonly refusals: ReadonlyMap<string, number> }
  readonly shedder: { readonly refused: number }
  readonly store: Pick<Store, 'engine' | 'counts' | 'waiting' | 'ping'>
  readonly plans: Pick<PlanCache, 'counts'>
  readonly feed: Pick<Feed, 'position'>
  readonly authentication: Pick<Authentication, 'counts' | 'denials'>
  readonly reactions: Reactions | null
  /** Null where there is none. */
  readonly redis: { readonly state: 'ok' | 'lost' } | null
}

export function createServiceMetrics(clock: () => Date): ServiceMetrics {
  const requests = createRequestMetrics(faceOf)
  const storeTime = { read: createHistogram(requestBounds), write: createHistogram(requestBounds) }
  const lag = { read: createHistogram(lagBounds), delivery: createHistogram(lagBounds) }
  const since = ({ at }: OutboxEvent) => Math.max(0, clock().getTime() - at.getTime()) / 1000
  const caches = new Map<string, CacheCounts>()
  const ownFamilies: readonly Family[] = [
    ...requests.families,
    histogram(
      'duet_store_duration_seconds',
      'From sending a statement or transaction to its result, waiting included.',
      () => [
        [{ kind: 'read' }, storeTime.read],
        [{ kind: 'write' }, storeTime.write],
      ],
      ['kind'],
    ),
    histogram(
      'duet_event_lag_seconds',
      'From the write that emitted an event to when this instance read or delivered it.',
      () => [
        [{ stage: 'heard' }, lag.read],
        [{ stage: 'delivered' }, lag.delivery],
      ],
      ['stage'],
    ),
  ]
  let isUp = false
  const families = (parts: MeasuredParts): readonly Family[] => [
    buildInfo(parts.store),
    gauge('duet_database_up', '0 while the database serves no reads.', () => (isUp ? 1 : 0)),
    ...ownFamilies,
    ...familiesOf(parts, caches),
  ]
  return {
    watch: requests.watch,
    store: { done: (kind, seconds) => storeTime[kind].observe(seconds) },
    tellCache: (name, counts) => caches.set(name, counts),
    noteRead: (event) => lag.read.observe(since(event)),
    noteDelivery: (event) => lag.delivery.observe(since(event)),
    families,
    async serve(parts, { metricsHost: host, metricsPort, limits }) {
      const port = metricsPort ?? 0
      const ofProcess = createProcessMetrics()
      const all = [...families(parts), ...ofProcess.families]
      const exposeNow = async () => {
        isUp = await answersReads(() => parts.store.ping(), limits)
        return expose(all)
      }
      const serverOptions = { port, host, expose: exposeNow, mediaType: expositionType, limits }
      const server = await openMetricsServer(serverOptions).catch((error: Error) => {
        ofProcess.close()
        const address = `METRICS_HOST and METRICS_PORT name ${host}:${port}`
        throw new ConfigurationError(`${address}, where the service cannot listen: ${error.message}.`)
      })
      return {
        url: server.url,
        async close() {
          ofProcess.close()
          await server.close()
        },
      }
    },
  }
}

const family =
  (type: Family['type']) =>
  (name: string, help: string, read: Family['read'], labels: readonly string[] = []): Family => ({
    name,
    help,
    type,
    labels,
    read,
  })
const gauge = family('gauge')
const counter = family('counter')
const histogram = family('histogram')

/** What runs: its value is always 1, so that it can be joined to any other metric. */
function buildInfo(store: MeasuredParts['store']): Family {
  const version = duetVersion()
  return gauge(
    'duet_build_info',
    'Always 1; the labels say what runs.',
    () => [[{ version, node: process.versions.node, database: store.engine }, 1]],
    ['version', 'node', 'database'],
  )
}

function familiesOf(parts: MeasuredParts, caches: ReadonlyMap<string, CacheCounts>): readonly Family[] {
  const { server, sockets, hub, limiter, shedder, store, plans, feed, authentication, reactions, redis } = parts
  const { counts: signIns } = authentication
  const ofCaches = (member: keyof CacheCounts) => () =>
    caches.entries().map(([cache, counts]): Sample => [{ cache }, counts[member]])
  return [
    gauge('duet_connections', 'Open connections, WebSockets among them.', () => server.connections),
    gauge('duet_sockets', 'Open WebSockets.', () => sockets.size),
    gauge('duet_subscriptions', 'Subscriptions that listen to events.', () => hub.size),
    counter(
      'duet_rate_limit_refusals_total',
      'Requests refused by a rate limit, by bucket.',
      () => limiter.refusals.entries().map(([bucket, count]): Sample => [{ bucket }, count]),
      ['bucket'],
    ),
    counter('duet_overload_refusals_total', 'Requests refused because the event loop was late.', () => shedder.refused),
    counter('duet_store_statements_total', 'Statements sent to the database.', () => store.counts.statements),
    counter('duet_store_rows_total', 'Rows returned by statements.', () => store.counts.rows),
    counter(
      'duet_store_commits_total',
      'Commits; on SQLite several writes share one.',
      () => store.counts.transactions,
    ),
    gauge('duet_store_writes_waiting', 'Writes that wait for their turn, or for a connection.', () => store.waiting),
    counter('duet_plan_hits_total', 'Reads whose plan was cached.', () => plans.counts.hits),
    counter('duet_plan_misses_total', 'Reads whose plan had to be compiled.', () => plans.counts.misses),
    counter('duet_cache_hits_total', 'Lookups that a cache answered.', ofCaches('hits'), ['cache']),
    counter('duet_cache_misses_total', 'Lookups that a cache could not answer.', ofCaches('misses'), ['cache']),
    gauge('duet_cache_entries', 'Entries in a cache.', ofCaches('entries'), ['cache']),
    gauge('duet_cache_bytes', 'Estimated size of a cache.', ofCaches('bytes'), ['cache']),
    gauge('duet_event_position', 'The number of the last event that this instance delivered.', () =>
      Number(feed.position.number),
    ),
    counter(
      'duet_sign_ins_total',
      'Sign-ins, by outcome.',
      () => [
        [{ outcome: 'accepted' }, signIns.accepted],
        [{ outcome: 'refused' }, signIns.refused],
      ],
      ['outcome'],
    ),
    counter(
      'duet_refresh_tokens_total',
      'Refresh tokens presented, by outcome; reused: every session of that user was ended.',
      () => [
        [{ outcome: 'renewed' }, signIns.renewed],
        [{ outcome: 'reused' }, signIns.reused],
        [{ outcome: 'expired' }, signIns.expired],
        [{ outcome: 'invalid' }, signIns.invalid],
      ],
      ['outcome'],
    ),
    gauge('duet_denials', 'Credentials that are refused before they expire.', () => authentication.denials),
    ...(reactions === null ? [] : reactionFamilies(reactions)),
    ...(redis === null ? [] : [gauge('duet_redis_up', '0 while Redis is lost.', () => (redis.state === 'ok' ? 1 : 0))]),
  ]
}

const reactionFamilies = (reactions: Reactions): readonly Family[] => [
  counter(
    'duet_reactions_total',
    'Attempts at reactions to events, by how they ended.',
    () => Object.entries(reactions.counts).map(([outcome, count]): Sample => [{ outcome }, count]),
    ['outcome'],
  ),
  gauge('duet_reactions_running', 'Reactions running now.', () => reactions.running),
  gauge(
    'duet_reactions_lag_seconds',
    'How long the oldest due task has been waiting to start.',
    () => reactions.lagSeconds,
  ),
]

function faceOf(route: string): 'graphql' | 'auth' | 'rest' | 'other' {
  if (route === '/graphql') return 'graphql'
  if (authEndpointOf(route) !== null) return 'auth'
  return route.startsWith('/api/') ? 'rest' : 'other'
}
