// How long to wait before something that failed is tried again.

import type { Limits } from '../limits.ts'

/**
 * Doubles with every attempt that failed, up to the longest pause; then between half of it and all of it, so that what
 * failed together is not tried again together. `random` is from 0 up to 1.
 */
export function backoffMs(
  attempt: number,
  random: number,
  { reactionRetryMs, reactionRetryMaxMs }: Pick<Limits, 'reactionRetryMs' | 'reactionRetryMaxMs'>,
): number {
  const longest = Math.min(reactionRetryMs * 2 ** Math.min(attempt - 1, 52), reactionRetryMaxMs)
  return Math.round(longest * (0.5 + random / 2))
}
