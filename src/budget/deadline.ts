// Deadlines of answers. They are polled, so that a request needs no timer.

import { Failure } from '../failure/failure.ts'

export interface Wait {
  /** Why the answer is no longer needed: the client has left, or time is over. Null until then. */
  ended(): Failure | null
}
export interface Deadline extends Wait {
  /** The same for work that is finished once begun: only time ends it. */
  expired(): Failure | null
}

// Failures, not errors: throwing one answers the client.
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

/** Fails with SERVICE_UNAVAILABLE if the client has left or the time is over. (contract 8.4.4) */
export function requireWaiting(deadline: Wait | undefined): void {
  const failure = deadline?.ended() ?? null
  if (failure !== null) throw failure
}

/** Fails with SERVICE_UNAVAILABLE if the time is over. (contract 8.4.4) */
export function requireTime(deadline: Deadline | undefined): void {
  const failure = deadline?.expired() ?? null
  if (failure !== null) throw failure
}

/** A deadline that also fails with `failure` after this time from now. */
export function within(limitMs: number, failure: Failure, deadline: Deadline | undefined): Deadline {
  const endsAt = performance.now() + limitMs
  const late = () => (performance.now() > endsAt ? failure : null)
  return { ended: () => deadline?.ended() ?? late(), expired: () => deadline?.expired() ?? late() }
}
