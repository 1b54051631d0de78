// Ends statements that take too long. SQLite cannot be interrupted by the process that it runs in; but a function of ours that a
// statement asks of every row it comes by can throw. (contract 12.1.13)

import type Database from 'better-sqlite3'

/** Asked now and then while a statement runs: what it throws ends the statement. */
export interface StatementWatch {
  start(): void
  look(): void
}

/** A connection that only carries statements of others may lack the function; those that ask it fail there. */
export function installWatch(database: Database.Database, watch: StatementWatch): void {
  let rows = 0
  const look = (_row: unknown): 1 => {
    if ((++rows & rowsBetween) === 0) watch.look()
    return 1
  }
  // Of each row anew: it is not deterministic, and the row's own number is its argument.
  database.function('duet_watch', { deterministic: false, directOnly: true }, look)
}
/** To look at a clock takes longer than to look at a row. */
const rowsBetween = 255

/** Ends a statement that takes longer than this, with this error. */
export interface StatementLimit {
  readonly ms: number
  readonly error: Error
}
export class StopWatch implements StatementWatch {
  readonly #limit: () => StatementLimit
  #endsAt = Number.POSITIVE_INFINITY

  constructor(limit: () => StatementLimit) {
    this.#limit = limit
  }

  start(): void {
    this.#endsAt = performance.now() + this.#limit().ms
  }

  look(): void {
    if (performance.now() > this.#endsAt) throw this.#limit().error
  }
}
