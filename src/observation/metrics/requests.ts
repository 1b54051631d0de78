// Counts requests by route, method, status and face, and their durations.

import type { Registry } from 'prom-client'
import type { Watch } from '../watch.ts'
import { type Prometheus, requestBounds } from './prometheus.ts'

const statusClasses = ['gone', '1xx', '2xx', '3xx', '4xx', '5xx']
/** Clients can invent methods, so that all others share one label. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'OPTIONS', 'WEBSOCKET'])
const noRoute = 'none'

/** `faceOf` names the face that a route belongs to. */
export function watchRequests(
  { Counter, Histogram }: Prometheus,
  registry: Registry,
  faceOf: (route: string) => string,
): Watch {
  const registers = [registry]
  const requests = new Counter({
    name: 'duet_requests_total',
    help: 'Requests answered, by the class of their status; gone: the client left before its answer.',
    labelNames: ['face', 'route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'duet_request_duration_seconds',
    help: 'From the end of the headers of a request to its answer.',
    labelNames: ['face', 'route', 'method'],
    buckets: requestBounds,
    registers,
  })
  const failures = new Counter({
    name: 'duet_failures_total',
    help: 'Failures answered, by the code of the first.',
    labelNames: ['face', 'code'],
    registers,
  })
  return ({ route: pattern, method: sent }, { status, failure }, durationMs) => {
    const route = pattern ?? noRoute
    const labels = { face: faceOf(route), route, method: methods.has(sent) ? sent : 'other' }
    requests.inc({ ...labels, status: statusClasses[Math.floor(status / 100)]! })
    durations.observe(labels, durationMs / 1000)
    if (failure !== undefined && failure !== null) failures.inc({ face: labels.face, code: failure })
  }
}
