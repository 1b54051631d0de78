// Opens metrics, traces and the request log, as configured.

import { loadPrometheus } from '../../observation/metrics/prometheus.ts'
import { openTraces, type Traces } from '../../observation/trace.ts'
import { type Watch, watchAll } from '../../observation/watch.ts'
import { createServiceMetrics, type ServiceMetrics } from '../pipeline/metrics.ts'
import type { OpenContext } from './open-context.ts'

export interface Observation {
  readonly metrics: ServiceMetrics | null
  readonly traces: Traces | null
  /** Undefined without observers: nothing is measured then. */
  readonly watch: Watch | undefined
}

export async function openObservation({ configuration, log, clock }: OpenContext): Promise<Observation> {
  const metrics = configuration.metricsPort === null ? null : createServiceMetrics(await loadPrometheus(), clock)
  const traces = await openTraces((sentence) => log.warn(sentence))
  return { metrics, traces, watch: watchAll([log.watch, metrics?.watch]) }
}
