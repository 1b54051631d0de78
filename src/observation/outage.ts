// Reports once that work which is tried again and again fails, and again only after it has succeeded.

import type { Log } from './log.ts'

export class Outage {
  #isReported = false
  readonly #log: Pick<Log, 'warn' | 'info'>
  readonly #begun: string
  readonly #ended: string | null

  /** `ended`: the sentence for the first success after a failure; null for none. */
  constructor(log: Pick<Log, 'warn' | 'info'>, begun: string, ended: string | null = null) {
    this.#log = log
    this.#begun = begun
    this.#ended = ended
  }

  failed(error: unknown): void {
    if (!this.#isReported) this.#log.warn(this.#begun, { err: error })
    this.#isReported = true
  }

  succeeded(): void {
    if (this.#isReported && this.#ended !== null) this.#log.info(this.#ended)
    this.#isReported = false
  }
}
