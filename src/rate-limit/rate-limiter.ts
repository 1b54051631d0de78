// Rate limits by address, user and route. (contract 8.3)

import { Failure, invariant } from '../failure/failure.ts'
import { addressKey } from './address-key.ts'
import {
  type Buckets,
  makeBuckets,
  type PathKind,
  type RateLimits,
  type RouteLimit,
  type SignInStep,
} from './buckets.ts'
import type { Bucket, Counter, TakeResult, WindowKey } from './counter.ts'
import { type RateLimitHeaders, rateLimitHeaders } from './headers.ts'

export interface RateState {
  /** At most one per bucket: its latest result. */
  readonly met: TakeResult[]
}

/**
 * Each `take…` returns undefined if the counter is synchronous. Beyond a limit it fails with RATE_LIMIT_EXCEEDED, and later
 * buckets do not count.
 */
export interface RateLimiter {
  /** For one request, or one `subscribe` message. */
  begin(): RateState
  /** First for every request, also one that ends in 404. */
  takeAddress(state: RateState, address: string, kind: PathKind, now: Date): Promise<void> | undefined
  /** After the credential was accepted. All tokens and keys of a user share the bucket; a key may have one more of its own. */
  takeUser(state: RateState, userId: string, now: Date, key?: KeyLimit | null): Promise<void> | undefined
  /** After the body was validated. Unknown addresses count alike. */
  takeForgotPassword(state: RateState, email: string, now: Date): Promise<void> | undefined
  /** For a request to sign in whose path does not show its step. */
  takeStep(state: RateState, address: string, step: SignInStep, now: Date): Promise<void> | undefined
  /** The limits declared for the route, in order. */
  takeRoute(
    state: RateState,
    routeLimits: readonly RouteLimit[],
    address: string,
    userId: string | null,
    now: Date,
  ): Promise<void> | undefined
  /** Counts further requests by address, user and key, atomically: a `subscribe` message, or root mutations after the first. */
  takeMore(
    state: RateState,
    address: string,
    userId: string | null,
    count: number,
    now: Date,
    key?: KeyLimit | null,
  ): Promise<void> | undefined
  /** With `Retry-After` on a refusal; empty if no bucket was used. */
  headers(state: RateState): RateLimitHeaders
  readonly refusals: ReadonlyMap<string, number>
}

/** The limit that an API key has of its own. (contract 5.3.12) */
export interface KeyLimit {
  readonly id: string
  readonly perHour: number
}

export interface RateLimiterOptions {
  readonly limits: RateLimits
  readonly counter: Counter
  readonly routeLimits?: readonly RouteLimit[]
}

/** Throws an Error if route limits contradict each other. */
export function createRateLimiter({ limits, counter, routeLimits = [] }: RateLimiterOptions): RateLimiter {
  const buckets = makeBuckets(limits, routeLimits)
  const refusals = new Map([...allOf(buckets).map(({ name }) => name), keyBucket].map((name) => [name, 0]))
  const refuse = (name: string) => void refusals.set(name, refusals.get(name)! + 1)

  function take(
    state: RateState,
    windowKeys: readonly WindowKey[],
    count: number,
    now: Date,
  ): Promise<void> | undefined {
    if (windowKeys.length === 0 || count === 0) return undefined
    const results = counter.take(windowKeys, count, now)
    if (results instanceof Promise) return results.then((settled) => settle(state, settled, refuse))
    settle(state, results, refuse)
    return undefined
  }

  return {
    begin: () => ({ met: [] }),
    takeAddress(state, address, kind, now) {
      const subject = addressKey(address)
      const windowKeys = buckets.byKind[kind].map((bucket) => ({ bucket, subject }))
      return take(state, windowKeys, 1, now)
    },
    takeUser: (state, userId, now, key = null) =>
      take(state, [...windowKey(buckets.user, userId), ...ofKey(key)], 1, now),
    takeForgotPassword: (state, email, now) => take(state, windowKey(buckets.forgotPassword, emailKey(email)), 1, now),
    takeStep: (state, address, step, now) => take(state, windowKey(buckets.steps[step], addressKey(address)), 1, now),
    takeRoute(state, declared, address, userId, now) {
      const windowKeys = declared.flatMap(({ name, by }) => {
        const bucket = buckets.routes.get(name)
        invariant(bucket !== undefined, `the route limit ${name} was given to the rate limiter`)
        return windowKey(bucket, by === 'user' && userId !== null ? userId : addressKey(address))
      })
      return take(state, windowKeys, 1, now)
    },
    takeMore(state, address, userId, count, now, key = null) {
      const byUser = userId === null ? [] : windowKey(buckets.user, userId)
      return take(state, [...windowKey(buckets.address, addressKey(address)), ...byUser, ...ofKey(key)], count, now)
    },
    headers: (state) => rateLimitHeaders(state.met),
    refusals,
  }
}

const allOf = ({ byKind, steps, user, forgotPassword, routes }: Buckets): readonly Bucket[] =>
  [
    ...byKind.login,
    ...byKind.flow.slice(-1),
    ...byKind.health,
    steps['second-step'],
    user,
    forgotPassword,
    ...routes.values(),
  ].filter((bucket) => bucket !== null)

function windowKey(bucket: Bucket | null, subject: string): readonly WindowKey[] {
  return bucket === null ? [] : [{ bucket, subject }]
}

const keyBucket = 'key'
const ofKey = (key: KeyLimit | null): readonly WindowKey[] =>
  key === null ? [] : windowKey({ name: keyBucket, limit: key.perHour, windowSeconds: 3600 }, key.id)

/** Truncated, to bound a key. (RFC 5321 4.5.3.1.3) */
function emailKey(email: string): string {
  return email.slice(0, 254).toLowerCase()
}

/** Keeps the latest result of each bucket; throws if the last is a refusal. */
function settle({ met }: RateState, results: readonly TakeResult[], refuse: (bucket: string) => void): void {
  for (const result of results) {
    const index = met.findIndex(({ bucket }) => bucket.name === result.bucket.name)
    if (index === -1) met.push(result)
    else met[index] = result
  }
  const last = results.at(-1)
  if (last !== undefined && !last.allowed) {
    refuse(last.bucket.name)
    throw new Failure('RATE_LIMIT_EXCEEDED', { retryAfterSeconds: last.retryAfterSeconds })
  }
}
