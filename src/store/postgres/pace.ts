// Which statements take too long to be combined, of those that may: everybody would wait for the slowest, and where all of them
// together reached their time limit, each would be run once more.

import { createBoundedCache } from '../../cache/bounded-cache.ts'
import type { Batching } from '../store.ts'

/** What one may take on average, in milliseconds. */
const quickMs = 5
/** What the newest counts in the average. */
const weight = 0.1
const kindsMax = 1_000
const kindBytesMax = 4 * 1_048_576

/** The averages of those that are uneven. */
export class Pace {
  readonly #average = createBoundedCache<{ ms: number }>(kindsMax, kindBytesMax)

  isSlow({ isUneven, kind }: Batching): boolean {
    return isUneven === true && (this.#average.get(kind!)?.ms ?? 0) > quickMs
  }

  /** So many of this kind took so long together. */
  add({ isUneven, kind }: Batching, ms: number, count: number): void {
    if (isUneven !== true) return
    const average = this.#average.get(kind!)
    if (average === undefined) this.#average.set(kind!, { ms: (weight * ms) / count }, 2 * kind!.length)
    else average.ms += weight * (ms / count - average.ms)
  }

  /** They failed when they were combined. */
  fail({ isUneven, kind }: Batching): void {
    if (isUneven === true) this.#average.set(kind!, { ms: failedMs }, 2 * kind!.length)
  }
}
/** So that some dozens have to be quick before they are combined again. */
const failedMs = 1_000
