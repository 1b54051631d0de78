// A semaphore with a bounded queue.

import { Failure } from '../failure/failure.ts'
import { InFlight } from './in-flight.ts'

const retryAfterSeconds = 1

export class Semaphore {
  readonly #size: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  readonly #active = new InFlight()

  constructor(size: number, waitingMax = Number.POSITIVE_INFINITY) {
    this.#size = size
    this.#waitingMax = waitingMax
  }

  /** Fails with SERVICE_UNAVAILABLE and Retry-After if the queue is full. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#active.count < this.#size) this.#active.begin()
    else await this.#turn()
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

  /** Resolves when nothing is running or waiting. */
  async drained(): Promise<void> {
    await this.#active.settled()
  }

  async #turn(): Promise<void> {
    if (this.#waiting.length >= this.#waitingMax) throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds })
    await new Promise<void>((start) => this.#waiting.push(start))
  }

  /** Passes the place to the first waiting, so that later arrivals cannot overtake it. */
  #release(): void {
    const start = this.#waiting.shift()
    if (start === undefined) this.#active.end()
    else start()
  }
}
