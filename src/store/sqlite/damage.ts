// Remembers that SQLite could not read a part of its file, for the log and for health checks.

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

  /** A statement to run again to see whether the file has been repaired; null where that takes a restart. */
  get failed(): Bound | null {
    return this.#failed
  }

  /** A statement has failed. Logs the first that could not read the file. */
  note(error: unknown, bound: Bound, changes: boolean): void {
    const cause = error instanceof Failure ? error.cause : error
    if (!(cause instanceof Database.SqliteError) || !unreadable.test(cause.code)) return
    if (!this.#isOn) this.#log.error(`A part of ${this.#path} cannot be read: ${cause.message} (${cause.code})`)
    // A write cannot be tried again without writing.
    this.#failed = changes || (this.#isOn && this.#failed === null) ? null : bound
    this.#isOn = true
  }

  /** What had failed can be read again. */
  end(): void {
    this.#isOn = false
    this.#failed = null
    this.#log.warn(`What could not be read of ${this.#path} can be read again.`)
  }
}

/** A page that makes no sense, or that the disk did not give. */
const unreadable = /^SQLITE_(CORRUPT|NOTADB|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA))/
