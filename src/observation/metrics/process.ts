// The process itself, under the names that Prometheus's own client for Node uses: dashboards for Node know them.

import { readdirSync } from 'node:fs'
import {
  constants,
  type EventLoopUtilization,
  monitorEventLoopDelay,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks'
import { cpuUsage, memoryUsage, versions } from 'node:process'
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
  const gauge = (name: string, help: string, read: Family['read']): Family => ({ name, help, type: 'gauge', read })
  const counter = (name: string, help: string, read: Family['read']): Family => ({ name, help, type: 'counter', read })
  const lag = (name: string, what: string, of: keyof Delays) =>
    gauge(
      `nodejs_eventloop_lag_${name}seconds`,
      `${what} delay of the event loop over the last ten seconds or more.`,
      () => loop.delays()[of],
    )
  return {
    families: [
      counter('process_cpu_user_seconds_total', 'CPU time in user mode.', () => cpuUsage().user / 1e6),
      counter('process_cpu_system_seconds_total', 'CPU time in the kernel.', () => cpuUsage().system / 1e6),
      counter('process_cpu_seconds_total', 'CPU time.', () => (cpuUsage().user + cpuUsage().system) / 1e6),
      gauge(
        'process_start_time_seconds',
        'When the process started, in Unix time.',
        () => performance.timeOrigin / 1e3,
      ),
      gauge('process_resident_memory_bytes', 'Memory that the process occupies.', () => memoryUsage.rss()),
      gauge('process_open_fds', 'Open file descriptors, where the system tells.', openFiles),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => memoryUsage().heapUsed),
      gauge('nodejs_heap_size_total_bytes', 'Heap taken from the system.', () => memoryUsage().heapTotal),
      gauge('nodejs_external_memory_bytes', 'Memory of objects outside of the heap.', () => memoryUsage().external),
      lag('', 'Mean', 'mean'),
      lag('p50_', 'Median', 'p50'),
      lag('p90_', 'Ninth decile of the', 'p90'),
      lag('p99_', 'Ninety-ninth percentile of the', 'p99'),
      lag('max_', 'Longest', 'max'),
      gauge(
        'nodejs_eventloop_utilization_ratio',
        'Share of the time that the event loop was busy, over the same time.',
        () => loop.delays().utilization,
      ),
      {
        name: 'nodejs_gc_duration_seconds',
        help: 'Garbage collections, by kind.',
        type: 'histogram',
        read: collector.read,
      },
      gauge('nodejs_version_info', 'The version of Node.', () => [[{ version: `v${versions.node}` }, 1]]),
    ],
    close() {
      loop.close()
      collector.close()
    },
  }
}

interface Delays {
  /** In seconds. */
  readonly mean: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
  /** From 0 to 1. */
  readonly utilization: number
}

// How often the loop is looked at, and for how long one description of it holds: whoever asks sooner is told the same.
const resolutionMs = 10
const windowMs = 10_000

function watchLoop() {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  let begun = performance.now()
  let since = performance.eventLoopUtilization()
  let last: Delays | null = null
  return {
    delays(): Delays {
      const now = performance.now()
      if (last !== null && now - begun < windowMs) return last
      last = describe(histogram, since)
      histogram.reset()
      since = performance.eventLoopUtilization()
      begun = now
      return last
    },
    close: () => void histogram.disable(),
  }
}

/** The timer that measures comes after `resolutionMs` where nothing delays it. */
function describe(histogram: ReturnType<typeof monitorEventLoopDelay>, since: EventLoopUtilization): Delays {
  const seconds = (nanoseconds: number) =>
    histogram.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3)
  return {
    mean: seconds(histogram.mean),
    p50: seconds(histogram.percentile(50)),
    p90: seconds(histogram.percentile(90)),
    p99: seconds(histogram.percentile(99)),
    max: seconds(histogram.max),
    utilization: performance.eventLoopUtilization(since).utilization,
  }
}

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
      byKind.getOrInsertComputed(kind, () => createHistogram(collectionBounds)).observe(duration / 1e3)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    read: () => byKind.entries().map(([kind, histogram]): Sample => [{ kind }, histogram]),
    close: () => observer.disconnect(),
  }
}

function openFiles(): number | Iterable<Sample> {
  // Only Linux has it; nothing is said elsewhere.
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return []
  }
}
