// `finish` of an attempt: commits its changes and the end of its task in one transaction, at most once.

import type { Act } from '../action/code/own-records.ts'
import type { Program } from '../store/store.ts'

export interface Finish {
  /** Fails with the signal's reason if aborted, and on a second call. */
  call(work: Parameters<Act>[0]): Promise<void>
  readonly isDone: boolean
  /** The error for a second call. */
  readonly misuse: Error | null
  /** Resolves when a call that was not awaited has ended; rejects with its error. */
  settled(): Promise<unknown>
}

export function createFinish(act: Act, end: () => Program<void>, signal: AbortSignal): Finish {
  let isDone = false
  let misuse: Error | null = null
  let running: Promise<unknown> | null = null

  /** A second call during the first undoes it too, so that the attempt fails as a whole. */
  function* endOnce(): Program<void> {
    if (misuse !== null) throw misuse
    yield* end()
  }
  return {
    get isDone() {
      return isDone
    },
    get misuse() {
      return misuse
    },
    async call(work) {
      signal.throwIfAborted()
      if (isDone || running !== null) {
        misuse ??= new Error(calledTwice)
        throw misuse
      }
      running = act(work, endOnce)
      try {
        await running
        isDone = true
      } finally {
        running = null
      }
    },
    settled: async () => running ?? undefined,
  }
}

const calledTwice =
  'finish was called twice, and the second call changed nothing: call it once, with everything that this reaction changes.'
