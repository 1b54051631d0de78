// Ends a service: the drain before it stops, and its closing, also when its start fails. (contract 0.3)

import { setTimeout as pause } from 'node:timers/promises'
import type { Limits } from '../../limits.ts'
import type { Log } from '../../observation/log.ts'

/** Before it stops, a service reports not ready while it goes on serving. (contract 0.3.2) */
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

export class Shutdown {
  readonly #callbacks: (() => Promise<void>)[] = []
  readonly #closers: (() => unknown)[] = []
  readonly #log: Pick<Log, 'warn'>
  readonly #limits: Pick<Limits, 'stopMs'>

  constructor(limits: Pick<Limits, 'stopMs'>, log: Pick<Log, 'warn'>) {
    this.#limits = limits
    this.#log = log
  }

  /** Registers the closing of a resource; the latest is closed first, after the callbacks. */
  defer(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Registers what must finish before resources are closed, such as running requests. */
  beforeClose(callback: () => Promise<void>): void {
    this.#callbacks.push(callback)
  }

  /**
   * Runs the callbacks concurrently, then closes the resources, within `stopMs`: then gives up on lost dependencies. Closes all
   * resources even if one fails, and rejects. (contract 0.3.1)
   */
  async close(): Promise<void> {
    const { promise: timeIsUp, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#log.warn('Not everything could be closed in time.')
      resolve()
    }, this.#limits.stopMs)
    try {
      await Promise.race([this.#closeAll(), timeIsUp])
    } finally {
      clearTimeout(timer)
    }
  }

  async #closeAll(): Promise<void> {
    try {
      await Promise.all(this.#callbacks.map((callback) => callback()))
    } finally {
      await this.#closeResources()
    }
  }

  async #closeResources(): Promise<void> {
    const close = this.#closers.pop()
    if (close === undefined) return
    try {
      await close()
    } finally {
      await this.#closeResources()
    }
  }
}
