// Periodic maintenance: samples the event loop's lag, syncs revocations, deletes expired rows in small batches.

import { onceTable } from '../action/code/once.ts'
import { deleteOlder, type ExpiringTable } from '../action/row/expiry.ts'
import { idempotencyTable } from '../action/row/idempotency.ts'
import type { Authentication } from '../authentication/authentication.ts'
import type { Usage } from '../deprecation/usage.ts'
import type { Reactions } from '../reaction/reactions.ts'
import type { Clock } from '../time/open-clock.ts'
import type { Webhooks } from '../webhook/webhooks.ts'
import type { Admission } from './open/open-admission.ts'
import type { OpenContext } from './open/open-context.ts'
import type { Database } from './open/open-database.ts'
import type { OpenEvents } from './open/open-events.ts'

export interface MaintenanceDependencies {
  readonly database: Pick<Database, 'store' | 'dialect'>
  readonly authentication: Pick<Authentication, 'refresh'>
  readonly events: Pick<OpenEvents, 'outbox'>
  readonly admission: Pick<Admission, 'shedder'>
  readonly reactions: Reactions | null
  readonly clock: Clock | null
  readonly usage: Usage
  readonly webhooks: Webhooks | null
}

/** Returns a function that stops it. */
export function startMaintenance(context: OpenContext, dependencies: MaintenanceDependencies): () => void {
  const { limits, clock, log, workers } = context
  const { authentication, admission, usage } = dependencies
  const { shedder } = admission
  // The duration of the start is not lag.
  shedder.sample()
  const timers = [
    setInterval(() => shedder.sample(), limits.lagSampleMs),
    setInterval(() => void authentication.refresh(clock()), limits.noticesMs),
    setInterval(() => {
      void usage.begin().then(usage.flush)
      if (!workers) return
      deleteExpired(context, dependencies).catch((error: unknown) =>
        log.warn('Old rows could not be removed.', { err: error }),
      )
    }, limits.sweepSeconds * 1000),
  ]
  for (const timer of timers) timer.unref()
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

async function deleteExpired(
  { limits, clock }: OpenContext,
  { database, events, reactions, clock: clocks, webhooks, usage }: MaintenanceDependencies,
): Promise<void> {
  const now = clock()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  await reactions?.sweep(now)
  await webhooks?.sweep(now)
  await clocks?.sweep(now)
  while (await events.outbox.forget(before(limits.eventSeconds), limits.sweepRows));
  await usage.forget(now)
  const forget = async (table: ExpiringTable, maxAgeSeconds: number): Promise<void> => {
    const program = () => deleteOlder(table, before(maxAgeSeconds), limits.sweepRows, database.dialect)
    while (await database.store.write(program));
  }
  await forget(idempotencyTable, limits.idempotencySeconds)
  await forget(onceTable, limits.onceSeconds)
}
