// Metrics by Prometheus's client for Node, which is loaded where METRICS_PORT is set.

import { performance } from 'node:perf_hooks'
import type { Registry } from 'prom-client'
import { loadOptional } from '../../dependency/optional-package.ts'

export interface Family {
  /** By the conventions of Prometheus: `duet_…`, its unit, and `_total` for a counter. */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly labels: readonly string[]
  /** A number, or several with labels. The values of a label must be few, whatever clients send. */
  readonly read: () => number | Iterable<Sample>
}
export type Sample = readonly [labels: Labels, value: number]
export type Labels = Readonly<Record<string, string>>

export type Prometheus = typeof import('prom-client')

/** From half a millisecond, the usual duration, to the time limit of a request. */
export const requestBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Up to a lag at which an operator must have been alerted. */
export const lagBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Rejects with MissingPackage. */
export const loadPrometheus = (): Promise<Prometheus> =>
  loadOptional('prom-client', 'METRICS_PORT is set', async () => (await import('prom-client')).default)

export function addFamily({ Counter, Gauge }: Prometheus, registry: Registry, family: Family): void {
  const { name, help, type, labels: labelNames, read } = family
  const configuration = { name, help, labelNames, registers: [registry], aggregator: aggregatorOf(family) }
  const samples = (): Iterable<Sample> => {
    const values = read()
    return typeof values === 'number' ? [[{}, values]] : values
  }
  if (type === 'counter') {
    new Counter({
      ...configuration,
      collect() {
        this.reset()
        for (const [labels, value] of samples()) this.inc(labels, value)
      },
    })
    return
  }
  new Gauge({
    ...configuration,
    collect() {
      this.reset()
      for (const [labels, value] of samples()) this.set(labels, value)
    },
  })
}

/** Of several processes on one port. */
function aggregatorOf({ name, type }: Family): 'sum' | 'max' | 'min' | 'first' {
  if (name === 'duet_build_info') return 'first'
  if (name === 'duet_database_up') return 'min'
  return type === 'gauge' && /_(seconds|ratio|utilization)$/.test(name) ? 'max' : 'sum'
}

let ofProcess: Registry | null = null

/** Services of a process share them. */
export function processMetrics({ Registry, collectDefaultMetrics }: Prometheus): Registry {
  if (ofProcess !== null) return ofProcess
  ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  for (const name of misnamed) ofProcess.removeSingleMetric(name)
  return ofProcess
}
/** Gauges that are named like counters, which promtool refuses. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** The share of the time since the last call that the event loop was busy. */
export function watchUtilization(): () => number {
  let start = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(start)
    start = performance.eventLoopUtilization()
    return utilization
  }
}
