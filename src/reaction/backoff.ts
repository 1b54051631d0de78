// The pause before a retry.

import type { Limits } from '../limits.ts'

/**
 * Doubles with each failure up to the longest pause; then a random value from half to all of it, to spread retries. `random` is
 * from 0 to below 1.
 */
export function backoffMs(
  attempt: number,
  random: number,
  { reactionRetryMs, reactionRetryMaxMs }: Pick<Limits, 'reactionRetryMs' | 'reactionRetryMaxMs'>,
): number {
  const longest = Math.min(reactionRetryMs * 2 ** Math.min(attempt - 1, 52), reactionRetryMaxMs)
  return Math.round(longest * (0.5 + random / 2))
}
