// Drains a service before it stops: it reports not ready while it goes on serving. (contract 0.3.2)

import { setTimeout as pause } from 'node:timers/promises'
import type { Limits } from '../../limits.ts'

export interface Drain {
  /** The service was asked to stop and is not ready. */
  readonly isBegun: boolean
  /** The last part of the drain: no new connections, but idle ones may be used. */
  readonly idleMs: number
  /** Resolves when it is time to stop listening. */
  begin(): Promise<void>
}

/** With 0 seconds nothing waits, as there is no balancer. */
export function createDrain(seconds: number, { idleDrainMs }: Pick<Limits, 'idleDrainMs'>): Drain {
  const allMs = seconds * 1_000
  const idleMs = Math.min(allMs, idleDrainMs)
  let isBegun = false
  return {
    get isBegun() {
      return isBegun
    },
    idleMs,
    async begin() {
      isBegun = true
      if (allMs > idleMs) await pause(allMs - idleMs)
    },
  }
}
