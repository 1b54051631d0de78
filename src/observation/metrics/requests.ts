// Counts requests by route, method, status and face, and their durations, without an allocation per request.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Watch, WatchedReply } from '../watch.ts'
import type { Family, Labels, Sample } from './exposition.ts'
import { createHistogram, type Histogram, requestBounds } from './histogram.ts'

export interface RequestMetrics {
  readonly watch: Watch
  readonly families: readonly Family[]
}

/** Of one method of one route. */
interface RouteCounter {
  readonly labels: Labels
  readonly duration: Histogram
  /** By the first digit of the status; 0 where the client had gone. */
  readonly byClass: Float64Array
}

const statusClasses = ['gone', '1xx', '2xx', '3xx', '4xx', '5xx']
/** Clients can invent methods, so that all others share one label. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'WEBSOCKET'])

/** `faceOf` names the face that a route belongs to. */
export function createRequestMetrics(faceOf: (route: string) => string): RequestMetrics {
  const counters = new RequestCounters(faceOf)
  return {
    watch: ({ route, method }, reply, durationMs) => counters.count(route ?? noRoute, method, reply, durationMs),
    families: [
      {
        name: 'duet_requests_total',
        help: 'Requests answered, by the class of their status; gone: the client left before its answer.',
        type: 'counter',
        labels: ['face', 'route', 'method', 'status'],
        read: () => counters.requests(),
      },
      {
        name: 'duet_request_duration_seconds',
        help: 'From the end of the headers of a request to its answer.',
        type: 'histogram',
        labels: ['face', 'route', 'method'],
        read: () => counters.durations(),
      },
      {
        name: 'duet_failures_total',
        help: 'Failures answered, by the code of the first.',
        type: 'counter',
        labels: ['face', 'code'],
        read: () => counters.failures(),
      },
    ],
  }
}

class RequestCounters {
  readonly #byRoute = new Map<string, Map<string, RouteCounter>>()
  readonly #failures = new Map<string, { readonly labels: Labels; count: number }>()
  readonly #faceOf: (route: string) => string

  constructor(faceOf: (route: string) => string) {
    this.#faceOf = faceOf
  }

  count(route: string, method: string, { status, failure }: WatchedReply, durationMs: number): void {
    const counter = this.#counterOf(route, method)
    counter.duration.observe(durationMs / 1000)
    counter.byClass[Math.floor(status / 100)]!++
    if (failure !== undefined && failure !== null) this.#countFailure(failure, route)
  }

  *requests(): Generator<Sample> {
    for (const { labels, byClass } of this.#all()) {
      for (const [index, count] of byClass.entries()) {
        if (count > 0) yield [{ ...labels, status: statusClasses[index]! }, count]
      }
    }
  }

  *durations(): Generator<Sample> {
    for (const { labels, duration } of this.#all()) yield [labels, duration]
  }

  failures(): Iterable<Sample> {
    return this.#failures.values().map(({ labels, count }): Sample => [labels, count])
  }

  #counterOf(route: string, method: string): RouteCounter {
    const byMethod = this.#byRoute.get(route) ?? this.#addRoute(route)
    const counter = byMethod.get(method)
    if (counter !== undefined) return counter
    const name = methods.has(method) ? method : 'other'
    return getOrInsert(byMethod, name, () => ({
      labels: { face: this.#faceOf(route), route, method: name },
      duration: createHistogram(requestBounds),
      byClass: new Float64Array(statusClasses.length),
    }))
  }

  #addRoute(route: string): Map<string, RouteCounter> {
    const byMethod = new Map<string, RouteCounter>()
    this.#byRoute.set(route, byMethod)
    return byMethod
  }

  #countFailure(code: string, route: string): void {
    const face = this.#faceOf(route)
    getOrInsert(this.#failures, `${face} ${code}`, () => ({ labels: { face, code }, count: 0 })).count++
  }

  *#all(): Generator<RouteCounter> {
    for (const byMethod of this.#byRoute.values()) yield* byMethod.values()
  }
}

const noRoute = 'none'
