// Periodic maintenance: samples the event loop's lag, syncs revocations, deletes expired rows in small batches.

import { forgetKeys } from '../action/idempotency.ts'
import type { Authentication } from '../authentication/authentication.ts'
import type { Usage } from '../deprecation/usage.ts'
import type { Outbox } from '../event/outbox.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { Reactions } from '../reaction/reactions.ts'
import { dialectOf } from '../store/sql/dialect.ts'
import type { Store } from '../store/store.ts'
import type { LoadShedder } from './load-shedding.ts'

export interface MaintenanceDependencies {
  readonly shedder: LoadShedder
  readonly authentication: Authentication
  readonly store: Store
  readonly outbox: Outbox
  readonly reactions: Reactions | null
  readonly usage: Usage
  readonly limits: Limits
  readonly clock: () => Date
  readonly log: Log
}

/** Starts the timers; answers what stops them. */
export function startMaintenance(dependencies: MaintenanceDependencies): () => void {
  const { shedder, authentication, usage, limits, clock, log } = dependencies
  // The time that starting took is no lag.
  shedder.sample()
  const timers = [
    setInterval(() => shedder.sample(), limits.lagSampleMs),
    setInterval(() => void authentication.refresh(clock()), limits.noticesMs),
    setInterval(() => {
      void usage.begin().then(usage.flush)
      deleteExpired(dependencies).catch((error: unknown) => log.warn('Old rows could not be removed.', { err: error }))
    }, limits.sweepSeconds * 1000),
  ]
  for (const timer of timers) timer.unref()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

async function deleteExpired({
  store,
  outbox,
  reactions,
  usage,
  limits,
  clock,
}: MaintenanceDependencies): Promise<void> {
  const now = clock()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  await reactions?.sweep(now)
  while (await outbox.forget(before(limits.eventSeconds), limits.sweepRows));
  await usage.forget(now)
  const program = () => forgetKeys(before(limits.idempotencySeconds), limits.sweepRows, dialectOf(store.engine))
  while (await store.write(program));
}
