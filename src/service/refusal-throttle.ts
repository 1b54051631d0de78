// Lets those who are told to come back go one after the other: clients that come back at once would otherwise take the time
// that the work of the others needs. Whoever waits for an answer asks for nothing else meanwhile.

import type { Limits } from '../limits.ts'

/** Milliseconds that the next refusal waits before it is sent; most wait for nothing. */
export type Pace = () => number

export interface PaceGiven {
  readonly limits: Pick<Limits, 'refusalsPerSecond' | 'refusalsAtOnce' | 'refusalHoldMs'>
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

export function createPace({ limits, now }: PaceGiven): Pace {
  const eachMs = 1_000 / limits.refusalsPerSecond
  const atOnceMs = eachMs * limits.refusalsAtOnce
  /** When all that were refused so far have gone. */
  let goneAt = 0
  return () => {
    const at = now()
    // Nobody waits longer, so that those who go then may be more than so many a second.
    goneAt = Math.min(Math.max(goneAt, at) + eachMs, at + atOnceMs + limits.refusalHoldMs)
    return Math.max(0, goneAt - at - atOnceMs)
  }
}
