// The buckets of rate limits, and which of them a request uses. (contract 8.3.4)

import type { Limits } from '../limits.ts'
import type { Bucket } from './counter.ts'

export type RateLimits = Pick<
  Limits,
  'ipPerMinute' | 'userPerHour' | 'loginPerMinute' | 'flowPerMinute' | 'forgotPasswordPerMinute'
>

/** Routes with the same one share its bucket. */
export interface RouteLimit {
  readonly name: string
  /** Requests per window; 0 turns the limit off. */
  readonly limit: number
  readonly windowSeconds: number
  readonly by: 'address' | 'user'
}

/** `/health*` has its own bucket; proofs of who one is, and beginnings of such, count in an additional one. */
export type PathKind = 'health' | 'login' | 'flow' | 'other'
/** Where only the body shows which it is. (contract 5.13.4) */
export type SignInStep = 'login' | 'second-step'

export interface Buckets {
  /** By address, in this order. */
  readonly byKind: Readonly<Record<PathKind, readonly Bucket[]>>
  /** Null if the limit is off. */
  readonly address: Bucket | null
  readonly user: Bucket | null
  readonly forgotPassword: Bucket | null
  readonly steps: Readonly<Record<SignInStep, Bucket | null>>
  /** By the name of the route limit; null if it is off. */
  readonly routes: ReadonlyMap<string, Bucket | null>
}

/** Throws an Error if route limits contradict each other. */
export function makeBuckets(limits: RateLimits, routeLimits: readonly RouteLimit[]): Buckets {
  const address = makeBucket('address', limits.ipPerMinute, 60)
  const login = makeBucket('login', limits.loginPerMinute, 60)
  const health = makeBucket('health', limits.ipPerMinute, 60)
  return {
    byKind: {
      other: present(address),
      login: present(address, login),
      flow: present(address, makeBucket('flow', limits.flowPerMinute, 60)),
      health: present(health),
    },
    address,
    user: makeBucket('user', limits.userPerHour, 3600),
    steps: {
      login,
      'second-step': makeBucket('second-step', limits.loginPerMinute, 60),
    },
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
    // The prefix separates an author's `user` from ours.
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
