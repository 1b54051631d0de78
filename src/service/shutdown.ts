// Closes a service: when it stops, and when it cannot start.

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'

export class Shutdown {
  readonly #callbacks: (() => Promise<void>)[] = []
  readonly #closers: (() => unknown)[] = []
  readonly #log: Pick<Log, 'warn'>
  readonly #limits: Pick<Limits, 'stopMs'>

  constructor(limits: Pick<Limits, 'stopMs'>, log: Pick<Log, 'warn'>) {
    this.#limits = limits
    this.#log = log
  }

  /** Registers how a resource closes that has been opened: last, and the latest first. */
  defer(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Registers what must finish before any resource is closed, such as answering the requests in flight. */
  beforeClose(callback: () => Promise<void>): void {
    this.#callbacks.push(callback)
  }

  /**
   * Runs the callbacks of `beforeClose` concurrently, then closes the resources. Takes no longer than `stopMs`: what a lost
   * dependency keeps from closing is abandoned. Rejects where something fails, and closes the rest all the same. (contract 0.3.1)
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

/** Opens something whole. Where that fails, what was opened is closed again: it would keep the process alive. */
export async function closingOnFailure<T>(
  {
    configuration,
    log,
  }: { readonly configuration: { readonly limits: Pick<Limits, 'stopMs'> }; readonly log: Pick<Log, 'warn'> },
  open: (shutdown: Shutdown) => Promise<T>,
): Promise<T> {
  const shutdown = new Shutdown(configuration.limits, log)
  try {
    return await open(shutdown)
  } catch (error) {
    // The caller gets the reason of the start's failure, not of the shutdown's.
    await shutdown.close().catch(() => undefined)
    throw error
  }
}
