// Ends statements that take too long. SQLite cannot be interrupted by the process that it runs in; but a function of ours that a
// statement asks of every row it comes by can throw. (contract 12.1.13)

import type Database from 'better-sqlite3'
import { questionTooSlow } from '../../budget/deadline.ts'

export class StatementWatch {
  readonly #limitMs: number
  #endsAt = Number.POSITIVE_INFINITY
  #rows = 0

  /** A connection that only carries statements of others may lack the function; those that ask it fail there. */
  constructor(database: Database.Database, limitMs: number) {
    this.#limitMs = limitMs
    // Of each row anew: it is not deterministic, and the row's own number is its argument.
    database.function(watchFunction, { deterministic: false, directOnly: true }, (_row: unknown) => this.#look())
  }

  start(): void {
    this.#endsAt = performance.now() + this.#limitMs
  }

  /** True, for a condition to go on with. The clock is looked at now and then. */
  #look(): 1 {
    if ((++this.#rows & 255) === 0 && performance.now() > this.#endsAt) throw questionTooSlow
    return 1
  }
}

const watchFunction = 'duet_watch'
