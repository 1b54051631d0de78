// Periodic maintenance: samples the event loop's lag, syncs revocations, deletes expired rows in small batches.

import { onceTable } from '../action/code/once.ts'
import { deleteOlder, type ExpiringTable } from '../action/row/expiry.ts'
import { idempotencyTable } from '../action/row/idempotency.ts'
import type { OpenContext } from './open/open-context.ts'
import type { Parts } from './open/open-parts.ts'

/** Returns a function that stops it. */
export function startMaintenance(context: OpenContext, parts: Parts): () => void {
  const { limits, clock, log, workers } = context
  const { authentication, faces, admission } = parts
  const { usage } = faces
  const { shedder } = admission
  // The duration of the start is not lag.
  shedder.sample()
  const timers = [
    setInterval(() => shedder.sample(), limits.lagSampleMs),
    setInterval(() => void authentication.refresh(clock()), limits.noticesMs),
    setInterval(() => {
      void usage.begin().then(usage.flush)
      if (!workers) return
      deleteExpired(context, parts).catch((error: unknown) =>
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
  { database, events, reactions, clock: clocks, webhooks, faces }: Parts,
): Promise<void> {
  const now = clock()
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  await reactions?.sweep(now)
  await webhooks?.sweep(now)
  await clocks?.sweep(now)
  while (await events.outbox.forget(before(limits.eventSeconds), limits.sweepRows));
  await faces.usage.forget(now)
  const forget = async (table: ExpiringTable, maxAgeSeconds: number): Promise<void> => {
    const program = () => deleteOlder(table, before(maxAgeSeconds), limits.sweepRows, database.dialect)
    while (await database.store.write(program));
  }
  await forget(idempotencyTable, limits.idempotencySeconds)
  await forget(onceTable, limits.onceSeconds)
}
