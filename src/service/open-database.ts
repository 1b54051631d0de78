// Opens the database and brings its tables up to the definition.

import { idempotencyTable } from '../action/idempotency.ts'
import { onceTable } from '../action/once.ts'
import { authenticationTables } from '../authentication/authentication.ts'
import { eventTables } from '../event/outbox.ts'
import { reactionTables } from '../reaction/tables.ts'
import { createPlanCache, type PlanCache } from '../read-plan/plan-cache.ts'
import { measureStore } from '../store/measured.ts'
import { migrate } from '../store/migration/migrate.ts'
import { readCommonWords } from '../store/sql/common-words.ts'
import { type Dialect, dialectOf } from '../store/sql/dialect.ts'
import { desiredSchema } from '../store/sql/schema.ts'
import type { Store } from '../store/store.ts'
import { traceStore } from '../store/traced.ts'
import { ConfigurationError } from './configuration.ts'
import type { OpenContext } from './open-context.ts'
import type { Observation } from './open-observation.ts'
import { openStore } from './open-store.ts'

/** Tables of the library itself. */
export const internalTables = [...authenticationTables, idempotencyTable, onceTable, eventTables, reactionTables]

export interface Database {
  readonly store: Store
  readonly dialect: Dialect
  readonly plans: PlanCache
  /** Reads anew which words are common. Never rejects. */
  refreshCommonWords(): Promise<void>
}

/** Fails with ConfigurationError where DATABASE_URL names no database that can be used. */
export async function openDatabase(context: OpenContext, { metrics, traces }: Observation): Promise<Database> {
  const { configuration, limits, log, model, shutdown } = context
  const storeLog = { warn: (sentence: string) => log.warn(sentence), error: (sentence: string) => log.error(sentence) }
  const database = await openStore(configuration.databaseUrl, { limits, log: storeLog }).catch((error: Error) => {
    throw new ConfigurationError(error.message)
  })
  shutdown.defer(() => database.close())
  const measured = metrics === null ? database : measureStore(database, metrics.store)
  const store = traces === null ? measured : traceStore(measured, traces)
  const dialect = dialectOf(store.engine)
  await migrate(store, desiredSchema(model, dialect, internalTables))
  const refreshCommonWords = () =>
    // Without them all goes on as before.
    store.read(readCommonWords(model.resources, dialect)).catch(() => undefined)
  await refreshCommonWords()
  return { store, dialect, plans: createPlanCache(model, dialect), refreshCommonWords }
}
