// Which buckets there are, and which of them a request meets. (contract 8.3.4)

import type { Limits } from '../limits.ts'
import type { Bucket } from './counter.ts'

export type RateLimits = Pick<Limits, 'ipPerMinute' | 'userPerHour' | 'loginPerMinute' | 'forgotPasswordPerMinute'>

/** A limit that an author gives to routes, beside the service's own. Routes that give the same one share its bucket. */
export interface RouteLimit {
  readonly name: string
  /** Requests in a window; 0 turns the limit off. */
  readonly limit: number
  readonly windowSeconds: number
  /** Whom it counts. Callers who are not signed in are counted by address in either case. */
  readonly by: 'address' | 'user'
}

/** `/health*` is counted apart from everything else, `POST` to login in addition to it. */
export type PathKind = 'health' | 'login' | 'other'

export interface Buckets {
  /** By address, in this order. */
  readonly byKind: Readonly<Record<PathKind, readonly Bucket[]>>
  /** None where that limit is off. */
  readonly address: Bucket | null
  readonly user: Bucket | null
  readonly forgotPassword: Bucket | null
  /** By the name of the route limit; null where that one is off. */
  readonly routes: ReadonlyMap<string, Bucket | null>
}

/** The buckets of a service. Throws one sentence where route limits contradict each other or cannot be. */
export function makeBuckets(limits: RateLimits, routeLimits: readonly RouteLimit[]): Buckets {
  const address = makeBucket('address', limits.ipPerMinute, 60)
  const login = makeBucket('login', limits.loginPerMinute, 60)
  const health = makeBucket('health', limits.ipPerMinute, 60)
  return {
    byKind: { other: present(address), login: present(address, login), health: present(health) },
    address,
    user: makeBucket('user', limits.userPerHour, 3600),
    forgotPassword: makeBucket('forgot-password', limits.forgotPasswordPerMinute, 60),
    routes: makeRouteBuckets(routeLimits),
  }
}

function makeBucket(name: string, limit: number, windowSeconds: number): Bucket | null {
  return limit === 0 ? null : { name, limit, windowSeconds }
}

function present(...buckets: readonly (Bucket | null)[]): readonly Bucket[] {
  return buckets.filter((bucket) => bucket !== null)
}

function makeRouteBuckets(routeLimits: readonly RouteLimit[]): ReadonlyMap<string, Bucket | null> {
  const declared = new Map<string, RouteLimit>()
  for (const routeLimit of routeLimits) {
    const problem = findProblem(routeLimit, declared.get(routeLimit.name))
    if (problem !== undefined) throw new Error(`The route limit '${routeLimit.name}' ${problem}.`)
    declared.set(routeLimit.name, routeLimit)
  }
  const buckets = new Map<string, Bucket | null>()
  for (const { name, limit, windowSeconds } of declared.values()) {
    // The prefix keeps an author's `user` apart from ours.
    buckets.set(name, makeBucket(`route:${name}`, limit, windowSeconds))
  }
  return buckets
}

function findProblem(
  { name, limit, windowSeconds, by }: RouteLimit,
  other: RouteLimit | undefined,
): string | undefined {
  if (name === '') return 'needs a name'
  if (!Number.isSafeInteger(limit) || limit < 0) return 'must be a whole number of requests, or 0 to turn it off'
  if (!Number.isSafeInteger(windowSeconds) || windowSeconds < 1) return 'needs a window of whole seconds'
  if (other === undefined) return undefined
  const isSame = other.limit === limit && other.windowSeconds === windowSeconds && other.by === by
  return isSame ? undefined : 'is declared twice, and differently'
}
