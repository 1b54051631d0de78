// Reads of SQLite, in rounds: those that arrive in one turn of the event loop share a transaction, and each fails alone.

import { type Deadline, requireWaiting } from '../../budget/deadline.ts'
import { runNow } from '../program.ts'
import { type Bound, command, type Program, type StoredRow } from '../store.ts'
import { meaningOf, type SqliteConnection } from './connection.ts'
import type { SqliteDamage } from './damage.ts'

export interface SqliteReadsOptions {
  /** Opens the connection that reads, and another one where nothing can be done with it any more. */
  readonly open: () => SqliteConnection
  /** False where the connection is also the one that writes, for another would not see the same database. */
  readonly isApart: boolean
  /** What a round has to wait for; null where it need not wait. */
  readonly blocked: () => Promise<void> | null
  /** Told of what could not be read; null for a database in memory. */
  readonly damage: SqliteDamage | null
}

interface Reading {
  readonly program: Program<unknown>
  readonly deadline: Deadline | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

const begin = command('begin')
const commit = command('commit')
const rollback = command('rollback')

/**
 * Reads that run one after the other before any of them is answered: a processor that goes on with what it just did, and
 * then sends all answers, takes a quarter less time for each. Of more than these, what was read has left its cache by then.
 */
const readsAtOnce = 32
/** Those that usually take longer than this do not wait for others: requests that wait are what garbage collection copies. */
const quickMs = 0.1

export class SqliteReads {
  readonly #options: SqliteReadsOptions
  #connection: SqliteConnection
  /** Where there are any, they are scheduled. */
  readonly #waiting: Reading[] = []
  /** How long a read has taken lately. */
  #usualMs = 0

  constructor(options: SqliteReadsOptions) {
    this.#options = options
    this.#connection = options.open()
  }

  get waiting(): number {
    return this.#waiting.length
  }

  read<T>(program: Program<T>, deadline: Deadline | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ program, deadline, resolve: resolve as (value: unknown) => void, reject })
      if (this.#usualMs > quickMs) this.#readTogether()
      else if (this.#waiting.length === 1) this.#schedule()
    })
  }

  close(): void {
    if (this.#options.isApart) this.#connection.close()
  }

  /** Begins after this turn of the event loop, so that all that it brought are read together. */
  #schedule(): void {
    setImmediate(() => this.#readTogether())
  }

  /**
   * In one transaction, for to begin and end one takes longer than to find a record. What another process commits is seen by
   * the next.
   */
  #readTogether(): void {
    const blocked = this.#options.blocked()
    if (blocked !== null) return void blocked.then(() => this.#schedule())
    const reads = this.#waiting.splice(0, readsAtOnce)
    if (this.#waiting.length > 0) this.#schedule()
    if (reads.length === 0) return
    const begun = performance.now()
    try {
      if (this.#options.isApart) this.#connection.control(begin)
    } catch (error) {
      for (const { reject } of reads) reject(meaningOf(error))
      return
    }
    for (const { program, deadline, resolve, reject } of reads) {
      // A failure belongs to one program and leaves the others alone.
      try {
        resolve(deadline === undefined ? runNow(program, this.#execute) : this.#readInTime(program, deadline))
      } catch (error) {
        reject(error)
      }
    }
    this.#usualMs += ((performance.now() - begun) / reads.length - this.#usualMs) / 8
    if (this.#options.isApart) this.#end()
  }

  #readInTime<T>(program: Program<T>, deadline: Deadline): T {
    return runNow(program, (bound) => {
      requireWaiting(deadline)
      return this.#execute(bound)
    })
  }

  readonly #execute = (bound: Bound): readonly StoredRow[] => {
    try {
      return this.#connection.execute(bound)
    } catch (error) {
      this.#options.damage?.note(error, bound, false)
      throw error
    }
  }

  /**
   * Never throws: behind it there is only the process, and everybody has been answered. Where a page could not be read,
   * SQLite may refuse to commit, or have ended the transaction by itself.
   */
  #end(): void {
    for (const statement of [commit, rollback]) {
      if (!this.#connection.inTransaction) return
      try {
        this.#connection.control(statement)
      } catch {}
    }
    if (this.#connection.inTransaction) this.reopen()
  }

  /** Reads over another connection from now on, which remembers nothing of what was read. */
  reopen(): void {
    if (!this.#options.isApart) return
    // As above: where no other can be opened now, this one goes on.
    try {
      const connection = this.#options.open()
      this.#connection.close()
      this.#connection = connection
    } catch {}
  }
}
