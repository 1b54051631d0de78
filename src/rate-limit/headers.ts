// The rate-limit headers of an answer. (contract 4.10.1, 8.3.1)

import type { Taken } from './counter.ts'

export type RateLimitHeaders = Readonly<Record<string, string>>

const none: RateLimitHeaders = {}

/**
 * Describes the refusal where there was one, otherwise the bucket with the fewest requests left, and of equals the one
 * that resets later. No headers where no bucket was met. `X-RateLimit-Reset` is in Unix seconds. (contract 8.3.1)
 */
export function rateLimitHeaders(met: readonly Taken[]): RateLimitHeaders {
  const taken = met.find((one) => !one.allowed) ?? findTightest(met)
  if (taken === undefined) return none
  const headers: Record<string, string> = {
    'X-RateLimit-Limit': String(taken.bucket.limit),
    'X-RateLimit-Remaining': String(taken.remaining),
    'X-RateLimit-Reset': String(taken.resetAt),
  }
  if (!taken.allowed) headers['Retry-After'] = String(taken.retryAfterSeconds)
  return headers
}

function findTightest(met: readonly Taken[]): Taken | undefined {
  let tightest = met[0]
  for (const taken of met) {
    if (tightest === undefined || taken.remaining < tightest.remaining) tightest = taken
    else if (taken.remaining === tightest.remaining && taken.resetAt > tightest.resetAt) tightest = taken
  }
  return tightest
}
