// Remembers that a part of the file was unreadable, for the log and health checks.

import Database from 'better-sqlite3'
import { Failure } from '../../failure/failure.ts'
import type { Bound, StoreLog } from '../store.ts'

export class SqliteDamage {
  readonly #path: string
  readonly #log: StoreLog
  #isOn = false
  #failed: Bound | null = null

  constructor(path: string, log: StoreLog) {
    this.#path = path
    this.#log = log
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Run again to detect a repair; null if that requires a restart. */
  get failed(): Bound | null {
    return this.#failed
  }

  /** Logs the first statement that could not read the file. */
  note(error: unknown, bound: Bound, changes: boolean): void {
    const cause = error instanceof Failure ? error.cause : error
    if (!(cause instanceof Database.SqliteError) || !unreadable.test(cause.code)) return
    if (!this.#isOn) this.#log.error(`A part of ${this.#path} cannot be read: ${cause.message} (${cause.code})`)
    // A write cannot be tested without writing.
    this.#failed = changes || (this.#isOn && this.#failed === null) ? null : bound
    this.#isOn = true
  }

  end(): void {
    this.#isOn = false
    this.#failed = null
    this.#log.warn(`What could not be read of ${this.#path} can be read again.`)
  }
}

/** A malformed page, or one that the disk did not return. */
const unreadable = /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA))/
