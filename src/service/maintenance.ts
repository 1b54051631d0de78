// What a service does beside answering, from time to time: looks how busy it is, renews what authentication knows, and
// removes what has served its time, a little at a time.

import { forgetKeys } from '../action/idempotency.ts'
import type { Authentication } from '../authentication/authentication.ts'
import type { Usage } from '../deprecation/usage.ts'
import type { Outbox } from '../event/outbox.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { Reactions } from '../reaction/reactions.ts'
import { dialectOf } from '../store/sql/dialect.ts'
import type { Store } from '../store/store.ts'
import type { Gate } from './load-shedding.ts'

export interface UpkeepGiven {
  readonly gate: Gate
  readonly authentication: Authentication
  readonly store: Store
  readonly outbox: Outbox
  readonly reactions: Reactions | null
  readonly usage: Usage
  readonly limits: Limits
  readonly clock: () => Date
  readonly log: Log
}

/** Begins, and answers what ends it. */
export function startUpkeep(given: UpkeepGiven): () => void {
  const { gate, authentication, usage, limits, clock, log } = given
  // From here on the process can be late.
  gate.look()
  const timers = [
    setInterval(gate.look.bind(gate), limits.gateLookMs),
    setInterval(() => void authentication.refresh(clock()), limits.noticesMs),
    setInterval(() => {
      void usage.begin().then(usage.flush)
      forgetOld(given).catch((error: unknown) => log.warn('Old rows could not be removed.', { err: error }))
    }, limits.sweepSeconds * 1000),
  ]
  for (const timer of timers) timer.unref()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

async function forgetOld({ store, outbox, reactions, usage, limits, clock }: UpkeepGiven): Promise<void> {
  const now = clock()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  await reactions?.sweep(now)
  while (await outbox.forget(before(limits.eventSeconds), limits.sweepRows));
  await usage.forget(now)
  const program = () => forgetKeys(before(limits.idempotencySeconds), limits.sweepRows, dialectOf(store.engine))
  while (await store.write(program));
}
