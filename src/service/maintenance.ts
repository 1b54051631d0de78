// Periodic maintenance: samples the event loop's lag, syncs revocations, learns which words are common,
// deletes expired rows in small batches.

import { deleteOlder, type ExpiringTable } from '../action/expiry.ts'
import { idempotencyTable } from '../action/idempotency.ts'
import { onceTable } from '../action/once.ts'
import type { Authentication } from '../authentication/authentication.ts'
import type { Usage } from '../deprecation/usage.ts'
import type { Reactions } from '../reaction/reactions.ts'
import type { Admission } from './open-admission.ts'
import type { OpenContext } from './open-context.ts'
import type { Database } from './open-database.ts'
import type { EventStream } from './open-events.ts'

export interface MaintenanceDependencies {
  readonly database: Pick<Database, 'store' | 'dialect' | 'refreshCommonWords'>
  readonly authentication: Pick<Authentication, 'refresh'>
  readonly events: Pick<EventStream, 'outbox'>
  readonly admission: Pick<Admission, 'shedder'>
  readonly reactions: Reactions | null
  readonly usage: Usage
}

/** Starts the timers; answers what stops them. */
export function startMaintenance(context: OpenContext, dependencies: MaintenanceDependencies): () => void {
  const { limits, clock, log, workers } = context
  const { authentication, admission, database, usage } = dependencies
  const { shedder } = admission
  // The time that starting took is no lag.
  shedder.sample()
  const timers = [
    setInterval(() => shedder.sample(), limits.lagSampleMs),
    setInterval(() => void authentication.refresh(clock()), limits.noticesMs),
    setInterval(() => {
      void usage.begin().then(usage.flush)
      void database.refreshCommonWords()
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
  { database, events, reactions, usage }: MaintenanceDependencies,
): Promise<void> {
  const now = clock()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  await reactions?.sweep(now)
  while (await events.outbox.forget(before(limits.eventSeconds), limits.sweepRows));
  await usage.forget(now)
  const forget = async (table: ExpiringTable, maxAgeSeconds: number): Promise<void> => {
    const program = () => deleteOlder(table, before(maxAgeSeconds), limits.sweepRows, database.dialect)
    while (await database.store.write(program));
  }
  await forget(idempotencyTable, limits.idempotencySeconds)
  await forget(onceTable, limits.onceSeconds)
}
