// Metrics of the process, named as Prometheus's own client for Node names them, so that dashboards for Node work.

import { constants, monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import { cpuUsage, memoryUsage } from 'node:process'
import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Family, Sample } from './exposition.ts'
import { createHistogram, type Histogram } from './histogram.ts'

export interface ProcessMetrics {
  readonly families: readonly Family[]
  close(): void
}

/** Begins to watch the event loop and the garbage collector. */
export function createProcessMetrics(): ProcessMetrics {
  const loop = watchLoop()
  const collector = watchCollector()
  const gauge = (name: string, help: string, read: () => number): Family => ({
    name,
    help,
    type: 'gauge',
    labels: [],
    read,
  })
  return {
    families: [
      {
        name: 'process_cpu_seconds_total',
        help: 'CPU time.',
        type: 'counter',
        labels: [],
        read: () => (cpuUsage().user + cpuUsage().system) / 1e6,
      },
      gauge('process_resident_memory_bytes', 'Memory that the process occupies.', () => memoryUsage.rss()),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => memoryUsage().heapUsed),
      gauge(
        'nodejs_eventloop_lag_p99_seconds',
        'Ninety-ninth percentile of the delay of the event loop over the last ten seconds or more.',
        () => loop.usage().lagSeconds,
      ),
      gauge(
        'nodejs_eventloop_utilization_ratio',
        'Share of the time that the event loop was busy, over the same time.',
        () => loop.usage().utilization,
      ),
      {
        name: 'nodejs_gc_duration_seconds',
        help: 'Garbage collections, by kind.',
        type: 'histogram',
        labels: ['kind'],
        read: collector.read,
      },
    ],
    close() {
      loop.close()
      collector.close()
    },
  }
}

interface LoopUsage {
  /** The ninety-ninth percentile. */
  readonly lagSeconds: number
  /** From 0 to 1. */
  readonly utilization: number
}

// The sampling interval of the loop, and how long one result is served: earlier scrapes get the same.
const resolutionMs = 10
const windowMs = 10_000

function watchLoop() {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let windowStart = performance.now()
  let utilizationStart = performance.eventLoopUtilization()
  let last: LoopUsage | null = null
  return {
    usage(): LoopUsage {
      const now = performance.now()
      if (last !== null && now - windowStart < windowMs) return last
      const { utilization } = performance.eventLoopUtilization(utilizationStart)
      last = { lagSeconds: lagOf(histogram), utilization }
      histogram.reset()
      utilizationStart = performance.eventLoopUtilization()
      windowStart = now
      return last
    },
    close: () => void histogram.disable(),
  }
}

/** Without `resolutionMs`, the interval of the sampling timer, which the histogram includes. */
const lagOf = (histogram: ReturnType<typeof monitorEventLoopDelay>): number =>
  histogram.count === 0 ? 0 : Math.max(0, histogram.percentile(99) / 1e9 - resolutionMs / 1e3)

interface CollectionEntry {
  readonly duration: number
  readonly detail: { readonly kind: number }
}
const collections = new Map<number, string>([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])
const collectionBounds = [0.001, 0.01, 0.1, 1, 2, 5]

function watchCollector() {
  const byKind = new Map<string, Histogram>()
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as unknown as readonly CollectionEntry[]) {
      const kind = collections.get(detail.kind) ?? 'other'
      getOrInsert(byKind, kind, () => createHistogram(collectionBounds)).observe(duration / 1e3)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    read: () => byKind.entries().map(([kind, histogram]): Sample => [{ kind }, histogram]),
    close: () => observer.disconnect(),
  }
}
