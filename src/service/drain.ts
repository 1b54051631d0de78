// What a service does before it stops: it tells load balancers, and goes on serving until they have noticed. (contract 0.3.2)

import { setTimeout as pause } from 'node:timers/promises'
import type { Limits } from '../limits.ts'

export interface Drain {
  /** True from the moment on at which the service is told to stop: it is not ready for more. */
  readonly isBegun: boolean
  /** Of the whole time, its last part: nobody connects any more, and idle connections may still be used by those who have them. */
  readonly idleMs: number
  /** Begins, and resolves when it is time to stop listening. */
  begin(): Promise<void>
}

/** With 0 seconds there is nobody to tell, and nothing to wait for. */
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
