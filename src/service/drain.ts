// Drains a service before it stops: load balancers see that it is not ready, while it goes on serving. (contract 0.3.2)

import { setTimeout as pause } from 'node:timers/promises'
import type { Limits } from '../limits.ts'

export interface Drain {
  /** True from the request to stop on: the service is not ready for more. */
  readonly isBegun: boolean
  /** The last part of the drain: no new connections, but idle ones may still be used. */
  readonly idleMs: number
  /** Begins, and resolves when it is time to stop listening. */
  begin(): Promise<void>
}

/** 0 seconds: no balancer is there to notice, so nothing waits. */
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
