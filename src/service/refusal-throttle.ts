// Throttles 503 responses, so that clients which retry immediately cannot consume the CPU that accepted requests need.

import type { Limits } from '../limits.ts'

/** Milliseconds to hold back the next refusal; 0 below the rate. A client that waits for its response sends nothing else. */
export type RefusalThrottle = () => number

export interface RefusalThrottleDependencies {
  readonly limits: Pick<Limits, 'refusalsPerSecond' | 'refusalsAtOnce' | 'refusalHoldMs'>
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

export function createRefusalThrottle({ limits, now }: RefusalThrottleDependencies): RefusalThrottle {
  const intervalMs = 1_000 / limits.refusalsPerSecond
  const burstMs = intervalMs * limits.refusalsAtOnce
  /** When the last of the refusals so far is due. */
  let dueAt = 0
  return () => {
    const at = now()
    // No refusal is held back longer than `refusalHoldMs`, even where the rate is exceeded for that.
    dueAt = Math.min(Math.max(dueAt, at) + intervalMs, at + burstMs + limits.refusalHoldMs)
    return Math.max(0, dueAt - at - burstMs)
  }
}
