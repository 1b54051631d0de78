// Throttles 503 responses, so that clients which retry at once cannot consume the CPU of accepted requests.

import type { Limits } from '../../limits.ts'

/** Milliseconds to delay the next refusal; 0 below the rate. A waiting client sends nothing else. */
export type RefusalThrottle = () => number

export interface RefusalThrottleDependencies {
  readonly limits: Pick<Limits, 'refusalsPerSecond' | 'refusalsAtOnce' | 'refusalHoldMs'>
  readonly now: () => number
}

export function createRefusalThrottle({ limits, now }: RefusalThrottleDependencies): RefusalThrottle {
  const intervalMs = 1_000 / limits.refusalsPerSecond
  const burstMs = intervalMs * limits.refusalsAtOnce
  let dueAt = 0
  return () => {
    const at = now()
    // At most `refusalHoldMs`, even if that exceeds the rate.
    dueAt = Math.min(Math.max(dueAt, at) + intervalMs, at + burstMs + limits.refusalHoldMs)
    return Math.max(0, dueAt - at - burstMs)
  }
}
