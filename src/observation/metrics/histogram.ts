// A histogram of durations. Observing one costs a few comparisons and three additions, since every request does it.

export interface Histogram {
  observe(seconds: number): void
  /** Upper bounds in seconds, ascending, of all buckets but the last. */
  readonly bounds: readonly number[]
  /** Durations in each bucket, not cumulated. */
  readonly counts: Float64Array
  readonly sum: number
}

/** From half a millisecond, the usual duration, to the time limit of a request. */
export const requestBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Up to a lag at which an operator must have been alerted. */
export const lagBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

export const createHistogram = (bounds: readonly number[]): Histogram => new DurationHistogram(bounds)

class DurationHistogram implements Histogram {
  readonly bounds: readonly number[]
  readonly counts: Float64Array
  sum = 0
  readonly #bounds: Float64Array

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.#bounds = Float64Array.from(bounds)
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(seconds: number): void {
    let index = 0
    while (index < this.#bounds.length && seconds > this.#bounds[index]!) index++
    this.counts[index]!++
    this.sum += seconds
  }
}
