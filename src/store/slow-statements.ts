// Remembers slow statements, so that they are sent where they do not delay short ones. (contract 12.1.14)

import { createBoundedCache } from '../cache/bounded-cache.ts'
import type { Statement } from './store.ts'

/** The weight of the newest time in the average. */
const weight = 0.1
/**
 * The part of the limit from which an average is slow: reached when a statement is ended three times in a row, and left after a
 * dozen fast ones.
 */
const slowPart = 0.25
const textsMax = 1_000
const textBytesMax = 4 * 1_048_576

export class SlowStatements {
  /** By text: averages of statements that were ended. */
  readonly #average = createBoundedCache<{ ms: number }>(textsMax, textBytesMax)

  readonly #limitMs: number

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  isSlow({ sql }: Statement): boolean {
    return (this.#average.get(sql)?.ms ?? 0) > slowPart * this.#limitMs
  }

  add({ sql }: Statement, ms: number): void {
    const average = this.#average.get(sql)
    if (average !== undefined) average.ms += weight * (ms - average.ms)
  }

  end({ sql }: Statement): void {
    const ms = this.#average.get(sql)?.ms ?? 0
    this.#average.set(sql, { ms: ms + weight * (this.#limitMs - ms) }, 2 * sql.length)
  }
}
