// Ends slow statements. SQLite cannot be interrupted from its own process, but a function that the statement calls per row can
// throw. (contract 12.1.13)

import type Database from 'better-sqlite3'

/** Called periodically while a statement runs; throwing ends it. */
export interface StatementWatch {
  start(): void
  look(): void
}

/** A connection without the function fails statements that call it. */
export function installWatch(database: Database.Database, watch: StatementWatch): void {
  const look = (_row: unknown): 1 => {
    watch.look()
    return 1
  }
  // Called for each row: it is not deterministic, and its argument is the row id.
  database.function('duet_watch', { deterministic: false, directOnly: true }, look)
}

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
