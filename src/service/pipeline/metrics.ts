// Measures the service and serves metrics. Exists only with METRICS_PORT.

import type { Registry } from 'prom-client'
import { authEndpointOf } from '../../authentication/auth-path.ts'
import type { Authentication } from '../../authentication/authentication.ts'
import type { CacheCounts, ObserveCache } from '../../cache/bounded-cache.ts'
import type { Feed } from '../../event/feed.ts'
import type { OutboxEvent } from '../../event/outbox.ts'
import type { LiveConnections } from '../../event/stream/live-connections.ts'
import { type MetricsServer, openMetricsServer } from '../../http/server/metrics-server.ts'
import { answerPrimary } from '../../observation/metrics/instance-metrics.ts'
import {
  addFamily,
  type Family,
  lagBounds,
  type Prometheus,
  processMetrics,
  requestBounds,
  type Sample,
  watchUtilization,
} from '../../observation/metrics/prometheus.ts'
import { watchRequests } from '../../observation/metrics/requests.ts'
import type { Watch } from '../../observation/watch.ts'
import type { Reactions } from '../../reaction/reactions.ts'
import type { PlanCache } from '../../read-plan/plan-cache.ts'
import type { StoreWatch } from '../../store/measured.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from '../../time/open-clock.ts'
import type { Webhooks } from '../../webhook/webhooks.ts'
import { type Configuration, ConfigurationError } from '../configuration/configuration.ts'
import { duetVersion } from '../configuration/start-line.ts'
import { answersReads } from './health.ts'

export interface ServiceMetrics {
  readonly watch: Watch
  readonly store: StoreWatch
  readonly observeCache: ObserveCache
  /** Called for each event that this instance has read. */
  readonly noteRead: (event: OutboxEvent) => void
  /** Called for each event delivered to subscribers. */
  readonly noteDelivery: (event: OutboxEvent) => void
  /** All measurements of these parts, without those of the process. Called once. */
  register(parts: MeasuredParts): Registry
  /** Serves `GET /metrics`. Fails with ConfigurationError if the address is not available. */
  serve(parts: MeasuredParts, configuration: MetricsConfiguration): Promise<MetricsServer>
  /** Lets the primary of several processes read them. */
  handOver(parts: MeasuredParts, configuration: MetricsConfiguration): void
}
type MetricsConfiguration = Pick<Configuration, 'metricsHost' | 'metricsPort' | 'limits'>

export interface MeasuredParts {
  readonly server: { readonly connections: number }
  readonly connections: Pick<LiveConnections, 'count'>
  readonly hub: { readonly size: number }
  readonly limiter: { readonly refusals: ReadonlyMap<string, number> }
  readonly shedder: { readonly refused: number }
  readonly store: Pick<Store, 'engine' | 'counts' | 'waiting' | 'ping'>
  readonly plans: Pick<PlanCache, 'counts'>
  readonly feed: Pick<Feed, 'position'>
  readonly authentication: Pick<Authentication, 'counts' | 'denials'>
  readonly reactions: Reactions | null
  readonly webhooks: Webhooks | null
  readonly clock: Clock | null
  readonly redis: { readonly state: 'ok' | 'lost' } | null
}

export function createServiceMetrics(prometheus: Prometheus, clock: () => Date): ServiceMetrics {
  const { Registry, Histogram } = prometheus
  const registry = new Registry()
  const watch = watchRequests(prometheus, registry, faceOf)
  const registers = [registry]
  const storeTime = new Histogram({
    name: 'duet_store_duration_seconds',
    help: 'From sending a statement or transaction to its result, waiting included.',
    labelNames: ['kind'],
    buckets: requestBounds,
    registers,
  })
  const lag = new Histogram({
    name: 'duet_event_lag_seconds',
    help: 'From the write that emitted an event to when this instance read or delivered it.',
    labelNames: ['stage'],
    buckets: lagBounds,
    registers,
  })
  const noteLag = (stage: 'read' | 'delivered', { at }: OutboxEvent) =>
    lag.observe({ stage }, Math.max(0, clock().getTime() - at.getTime()) / 1000)
  const caches = new Map<string, CacheCounts>()
  let isUp = false
  const register = (parts: MeasuredParts): Registry => {
    const own: readonly Family[] = [
      buildInfo(parts.store),
      gauge('duet_database_up', '0 while the database serves no reads.', () => (isUp ? 1 : 0)),
      ...familiesOf(parts, caches),
    ]
    for (const each of own) addFamily(prometheus, registry, each)
    return registry
  }
  /** Returns a function that brings all measurements up to date. */
  const gather = (parts: MeasuredParts, { limits }: MetricsConfiguration): (() => Promise<Registry>) => {
    const all = Registry.merge([register(parts), processMetrics(prometheus)])
    return async () => {
      isUp = await answersReads(() => parts.store.ping(), limits)
      return all
    }
  }
  return {
    watch,
    store: { done: (kind, seconds) => storeTime.observe({ kind }, seconds) },
    observeCache: (name, counts) => caches.set(name, counts),
    noteRead: (event) => noteLag('read', event),
    noteDelivery: (event) => noteLag('delivered', event),
    register,
    handOver(parts, configuration) {
      const read = gather(parts, configuration)
      answerPrimary(async () => (await read()).getMetricsAsJSON())
    },
    async serve(parts, configuration) {
      const { metricsHost: host, metricsPort, limits } = configuration
      const port = metricsPort ?? 0
      const read = gather(parts, configuration)
      const expose = async () => (await read()).metrics()
      const mediaType = registry.contentType
      return openMetricsServer({ port, host, expose, mediaType, limits }).catch((error: Error) => {
        const address = `METRICS_HOST and METRICS_PORT name ${host}:${port}`
        throw new ConfigurationError(`${address}, where the service cannot listen: ${error.message}.`)
      })
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
/** A counter with a sample for each outcome. */
const outcomes = (name: string, help: string, read: () => Readonly<Record<string, number>>): Family =>
  counter(name, help, () => Object.entries(read()).map(([outcome, count]): Sample => [{ outcome }, count]), ['outcome'])

/** Always 1, to be joined with other metrics. */
function buildInfo(store: MeasuredParts['store']): Family {
  const version = duetVersion()
  return gauge(
    'duet_build_info',
    'Always 1; the labels name what runs.',
    () => [[{ version, node: process.versions.node, database: store.engine }, 1]],
    ['version', 'node', 'database'],
  )
}

function familiesOf(parts: MeasuredParts, caches: ReadonlyMap<string, CacheCounts>): readonly Family[] {
  const { server, connections, hub, limiter, shedder, store, plans, feed } = parts
  const { authentication, reactions, clock, webhooks, redis } = parts
  const ofCaches = (member: keyof CacheCounts) => () =>
    caches.entries().map(([cache, counts]): Sample => [{ cache }, counts[member]])
  return [
    gauge('duet_connections', 'Open connections, WebSockets among them.', () => server.connections),
    gauge('duet_sockets', 'Open WebSockets.', () => connections.count('socket')),
    gauge('duet_event_streams', 'Open event streams.', () => connections.count('stream')),
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
    outcomes('duet_sign_ins_total', 'Sign-ins, by outcome.', () => {
      const { accepted, refused } = authentication.counts
      return { accepted, refused }
    }),
    outcomes(
      'duet_refresh_tokens_total',
      'Refresh tokens presented, by outcome; reused: every session of that user was ended.',
      () => {
        const { renewed, reused, expired, invalid } = authentication.counts
        return { renewed, reused, expired, invalid }
      },
    ),
    gauge('duet_denials', 'Credentials that are refused before they expire.', () => authentication.denials),
    gauge(
      'nodejs_eventloop_utilization_ratio',
      'Share of the time since the last scrape that the event loop was busy.',
      watchUtilization(),
    ),
    ...(reactions === null ? [] : reactionFamilies(reactions)),
    ...(webhooks === null ? [] : webhookFamilies(webhooks)),
    ...(clock === null ? [] : clockFamilies(clock)),
    ...(redis === null ? [] : [gauge('duet_redis_up', '0 while Redis is lost.', () => (redis.state === 'ok' ? 1 : 0))]),
  ]
}

const clockFamilies = ({ dueRecords, tasks }: Clock): readonly Family[] => [
  ...(dueRecords === null
    ? []
    : [
        outcomes('duet_clock_moves_total', 'Moves made by the clock, by how they ended.', () => dueRecords.counts),
        gauge(
          'duet_clock_lag_seconds',
          'How long the record that is due longest has been waiting for its move.',
          () => dueRecords.lagSeconds,
        ),
      ]),
  outcomes(
    'duet_clock_tasks_total',
    'Attempts at ticks of schedules and at moves that failed before, by how they ended.',
    () => tasks.counts,
  ),
  gauge('duet_clock_tasks_running', 'Ticks and moves running now.', () => tasks.running),
]

const reactionFamilies = (reactions: Reactions): readonly Family[] => [
  outcomes('duet_reactions_total', 'Attempts at reactions to events, by how they ended.', () => reactions.counts),
  gauge('duet_reactions_running', 'Reactions running now.', () => reactions.running),
  gauge(
    'duet_reactions_lag_seconds',
    'How long the oldest due task has been waiting to start.',
    () => reactions.lagSeconds,
  ),
]

const webhookFamilies = (webhooks: Webhooks): readonly Family[] => [
  outcomes(
    'duet_webhook_deliveries_total',
    'Messages to webhooks, by how their attempts ended; retried: it failed, and is sent again.',
    () => webhooks.counts,
  ),
  counter('duet_webhook_pauses_total', 'Webhooks that were paused because of their receivers.', () => webhooks.pauses),
  gauge('duet_webhook_attempts_running', 'Messages being sent to webhooks now.', () => webhooks.running),
  gauge(
    'duet_webhook_lag_seconds',
    'How long the webhook that waits longest has had messages due.',
    () => webhooks.lagSeconds,
  ),
]

function faceOf(route: string): 'graphql' | 'auth' | 'rest' | 'other' {
  if (route === '/graphql') return 'graphql'
  if (authEndpointOf(route) !== null) return 'auth'
  return route.startsWith('/api/') ? 'rest' : 'other'
}
