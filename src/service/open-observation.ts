// Who watches the service, as it is configured: metrics, traces, and the log of requests.

import { openTraces, type Traces } from '../observation/trace.ts'
import { type Watch, watchAll } from '../observation/watch.ts'
import { createServiceMetrics, type ServiceMetrics } from './metrics.ts'
import type { OpenContext } from './open-context.ts'

export interface Observation {
  /** Null where METRICS_PORT is not set. */
  readonly metrics: ServiceMetrics | null
  /** Null where no provider of OpenTelemetry is registered. */
  readonly traces: Traces | null
  /** Undefined where nobody watches, so that nothing is measured. */
  readonly watch: Watch | undefined
}

export async function openObservation({ configuration, log, clock }: OpenContext): Promise<Observation> {
  const metrics = configuration.metricsPort === null ? null : createServiceMetrics(clock)
  const traces = await openTraces((sentence) => log.warn(sentence))
  return { metrics, traces, watch: watchAll([log.watch, metrics?.watch]) }
}
