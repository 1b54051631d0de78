// Lets a few in at once and a few more wait, and turns the rest away, so that costly work cannot pile up.

import { Failure } from '../failure/failure.ts'

export interface Turnstile {
  /** Runs the work when there is room. SERVICE_UNAVAILABLE, with Retry-After, when too much waits already. */
  pass<T>(work: () => Promise<T>): Promise<T>
}

const retryAfterSeconds = 1

export function createTurnstile(insideMax: number, waitingMax: number): Turnstile {
  const waiting: (() => void)[] = []
  let inside = 0

  async function enter(): Promise<void> {
    if (inside < insideMax) {
      inside += 1
      return
    }
    if (waiting.length >= waitingMax) throw new Failure('SERVICE_UNAVAILABLE', { retryAfterSeconds })
    // Whoever leaves hands over the place, so that nobody who comes later gets it first.
    await new Promise<void>((enterNow) => waiting.push(enterNow))
  }
  function leave(): void {
    const enterNow = waiting.shift()
    if (enterNow === undefined) inside -= 1
    else enterNow()
  }

  return {
    async pass(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
