// `finish` of one attempt: its changes and the end of its task are one transaction, and there is at most one of them.

import type { Act } from '../action/act.ts'
import type { Program } from '../store/store.ts'

export interface Finish {
  /** Fails with the signal's reason once that has aborted, and where it was called before. */
  call(work: Parameters<Act>[0]): Promise<void>
  /** Whether its transaction was committed. */
  readonly isDone: boolean
  /** What to tell the author of a reaction that called it twice; null where nobody did. */
  readonly misuse: Error | null
  /** Resolves once a call that nobody waits for has ended; rejects with what it failed with. */
  settled(): Promise<void>
}

export function createFinish(act: Act, end: () => Program<void>, signal: AbortSignal): Finish {
  let isDone = false
  let misuse: Error | null = null
  let running: Promise<void> | null = null

  /** A second call while the first one runs undoes that too, so that the attempt fails as a whole. */
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
