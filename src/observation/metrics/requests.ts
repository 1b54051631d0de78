// Requests by route, method, status and face, and how long they took. Everything that one request touches was made before.

import type { Watch, WatchedReply } from '../watch.ts'
import type { Family, Labels, Sample } from './exposition.ts'
import { createHistogram, type Histogram, requestBounds } from './histogram.ts'

export interface RequestMetrics {
  readonly watch: Watch
  readonly families: readonly Family[]
}

/** Of one method of one route. */
interface Measured {
  readonly labels: Labels
  readonly duration: Histogram
  /** By the first digit of the status; 0 where the client had gone. */
  readonly byClass: Float64Array
}

const statusClasses = ['gone', '1xx', '2xx', '3xx', '4xx', '5xx']
/** What a client may call its method is not ours to bound, so that others share one name. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'WEBSOCKET'])

export function createRequestMetrics(): RequestMetrics {
  const byRoute = new Map<string, Map<string, Measured>>()
  const failures = new Map<string, { readonly labels: Labels; count: number }>()

  function measured(route: string, method: string): Measured {
    const ofRoute = byRoute.get(route) ?? newRoute(route)
    const known = ofRoute.get(method)
    if (known !== undefined) return known
    const name = methods.has(method) ? method : 'other'
    const made = ofRoute.get(name) ?? {
      labels: { face: faceOf(route), route, method: name },
      duration: createHistogram(requestBounds),
      byClass: new Float64Array(statusClasses.length),
    }
    ofRoute.set(name, made)
    return made
  }

  function newRoute(route: string): Map<string, Measured> {
    const made = new Map<string, Measured>()
    byRoute.set(route, made)
    return made
  }

  function countFailure(code: string, route: string): void {
    const face = faceOf(route)
    failures.getOrInsertComputed(`${face} ${code}`, () => ({ labels: { face, code }, count: 0 })).count++
  }

  const watch: Watch = ({ route, method }, { status, failure }: WatchedReply, durationMs) => {
    const found = measured(route ?? noRoute, method)
    found.duration.observe(durationMs / 1000)
    found.byClass[Math.floor(status / 100)]!++
    if (failure !== undefined && failure !== null) countFailure(failure, route ?? noRoute)
  }

  function* each(): Generator<Measured> {
    for (const ofRoute of byRoute.values()) yield* ofRoute.values()
  }
  function* requests(): Generator<Sample> {
    for (const { labels, byClass } of each()) {
      for (const [index, count] of byClass.entries()) {
        if (count > 0) yield [{ ...labels, status: statusClasses[index]! }, count]
      }
    }
  }
  function* durations(): Generator<Sample> {
    for (const { labels, duration } of each()) yield [labels, duration]
  }
  return {
    watch,
    families: [
      {
        name: 'duet_requests_total',
        help: 'Requests answered, by the class of their status; gone: the client left before its answer.',
        type: 'counter',
        read: requests,
      },
      {
        name: 'duet_request_duration_seconds',
        help: 'From the end of the headers of a request to its answer.',
        type: 'histogram',
        read: durations,
      },
      {
        name: 'duet_failures_total',
        help: 'Answers that told of a failure, by the code of the first.',
        type: 'counter',
        read: () => failures.values().map(({ labels, count }): Sample => [labels, count]),
      },
    ],
  }
}

const noRoute = 'none'

/** `/api/auth/login` is the same as `/auth/login`. */
function faceOf(route: string): string {
  if (route === '/graphql') return 'graphql'
  if (/^\/(?:api\/)?auth\//.test(route)) return 'auth'
  return route.startsWith('/api/') ? 'rest' : 'other'
}
