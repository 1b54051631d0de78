// The rate-limit headers. (contract 4.10.1, 8.3.1)

import type { TakeResult } from './counter.ts'

export type RateLimitHeaders = Readonly<Record<string, string>>

const none: RateLimitHeaders = {}

/**
 * Describes the refusal, otherwise the bucket with the fewest requests left, of equals the one that resets later. Empty without
 * buckets. `X-RateLimit-Reset` is in Unix seconds. (contract 8.3.1)
 */
export function rateLimitHeaders(met: readonly TakeResult[]): RateLimitHeaders {
  const result = findRefusalOrTightest(met)
  if (result === undefined) return none
  const headers: Record<string, string> = {
    'X-RateLimit-Limit': String(result.bucket.limit),
    'X-RateLimit-Remaining': countText(result.remaining),
    'X-RateLimit-Reset': String(result.resetAt),
  }
  if (!result.allowed) headers['Retry-After'] = String(result.retryAfterSeconds)
  return headers
}

/** In two parts if long: V8 keeps the text of every number that it converts until it has converted many others. */
function countText(count: number): string {
  const low = count % 1000
  return low === count ? String(count) : `${(count - low) / 1000}${String(low).padStart(3, '0')}`
}

function findRefusalOrTightest(met: readonly TakeResult[]): TakeResult | undefined {
  let tightest: TakeResult | undefined
  for (const result of met) {
    if (!result.allowed) return result
    if (tightest === undefined || result.remaining < tightest.remaining) tightest = result
    else if (result.remaining === tightest.remaining && result.resetAt > tightest.resetAt) tightest = result
  }
  return tightest
}
