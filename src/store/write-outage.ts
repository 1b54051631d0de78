// Remembers that a database answers and takes no writes: its disk is mounted read-only, or its server stands by.

import { Failure } from '../failure/failure.ts'
import type { StoreLog } from './store.ts'

export class WriteOutage {
  #isOn = false
  readonly #isReason: (cause: unknown) => boolean
  readonly #log: StoreLog

  /** `isReason` tells whether the database's own error says so. */
  constructor(isReason: (cause: unknown) => boolean, log: StoreLog) {
    this.#isReason = isReason
    this.#log = log
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** A write has failed. True where that is why; the log is told of the first one. */
  note(error: unknown): boolean {
    if (!(error instanceof Failure) || !this.#isReason(error.cause)) return false
    if (!this.#isOn) this.#log.warn(`The database takes no writes: ${(error.cause as Error).message}`)
    this.#isOn = true
    return true
  }

  /** Something was written. */
  end(): void {
    if (!this.#isOn) return
    this.#isOn = false
    this.#log.warn('The database takes writes again.')
  }
}
