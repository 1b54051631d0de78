// A semaphore with a bounded queue: costly work runs a few at a time, a few more wait, and the rest is refused.

import { Failure } from '../failure/failure.ts'

export interface ConcurrencyLimit {
  /** Runs the work when a slot is free. SERVICE_UNAVAILABLE, with Retry-After, when the queue is full. */
  run<T>(work: () => Promise<T>): Promise<T>
}

const retryAfterSeconds = 1

export function createConcurrencyLimit(runningMax: number, waitingMax: number): ConcurrencyLimit {
  const queue: (() => void)[] = []
  let runningCount = 0

  async function acquire(): Promise<void> {
    if (runningCount < runningMax) {
      runningCount += 1
      return
    }
    if (queue.length >= waitingMax) throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds })
    // `release` hands its slot to the first in the queue, so that no later caller overtakes it.
    await new Promise<void>((start) => queue.push(start))
  }
  function release(): void {
    const start = queue.shift()
    if (start === undefined) runningCount -= 1
    else start()
  }

  return {
    async run(work) {
      await acquire()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
