// How long somebody waits for an answer. A deadline is asked and tells nobody, so that a request costs no timer.

import { Failure } from '../failure/failure.ts'

/** What may be given up at any point. */
export interface Wait {
  /** Why no more of an answer needs to be made: nobody waits for it, or its time is over. Null until then. */
  ended(): Failure | null
}
export interface Deadline extends Wait {
  /** The same for what is finished once it has begun, whoever waits: only time ends it. */
  expired(): Failure | null
}

// Failures, not errors: whoever throws one answers as the contract says.
export const outOfTime = new Failure('SERVICE_UNAVAILABLE', {
  message: 'The request took too long.',
  retryAfterSeconds: 1,
})
export const questionTooSlow = new Failure('UPSTREAM_TIMEOUT', {
  message: 'This condition takes too long to answer. Narrow it by values that are found faster.',
})
export const summaryTooSlow = new Failure('UPSTREAM_TIMEOUT', {
  message: 'This summary takes too long to work out. Narrow it to fewer records.',
})
export const clientGone = new Failure('SERVICE_UNAVAILABLE', { message: 'The client went away.' })

/** Fails with SERVICE_UNAVAILABLE where nobody waits any more, or the time is over. (contract 8.4.4) */
export function requireWaiting(deadline: Wait | undefined): void {
  const failure = deadline?.ended() ?? null
  if (failure !== null) throw failure
}

/** Fails with SERVICE_UNAVAILABLE where the time is over. (contract 8.4.4) */
export function requireTime(deadline: Deadline | undefined): void {
  const failure = deadline?.expired() ?? null
  if (failure !== null) throw failure
}

/** The same, and `failure` once so much time has passed from now on. */
export function within(limitMs: number, failure: Failure, deadline: Deadline | undefined): Deadline {
  const endsAt = performance.now() + limitMs
  const late = () => (performance.now() > endsAt ? failure : null)
  return { ended: () => deadline?.ended() ?? late(), expired: () => deadline?.expired() ?? late() }
}
