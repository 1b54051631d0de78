// How a service ends: as it stops, and where it cannot start.

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'

export class Ending {
  /** Whatever was opened for those who are served. */
  readonly needed = new AsyncDisposableStack()
  readonly #served: (() => Promise<void>)[] = []
  readonly #log: Pick<Log, 'warn'>
  readonly #limits: Pick<Limits, 'stopMs'>

  constructor(limits: Pick<Limits, 'stopMs'>, log: Pick<Log, 'warn'>) {
    this.#limits = limits
    this.#log = log
  }

  /** Notes how to end serving somebody. */
  serves(close: () => Promise<void>): void {
    this.#served.push(close)
  }

  /**
   * Ends first those who are served, all at once; then closes whatever they needed, the latest first. Takes no longer than
   * `stopMs`: what a lost dependency keeps from ending is left as it is. Rejects where something fails, and closes the rest
   * all the same. (contract 0.3.1)
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
      await Promise.all(this.#served.map((close) => close()))
    } finally {
      await this.needed.disposeAsync()
    }
  }
}
