// Opens the database and migrates its tables to the definition.

import { randomUUID } from 'node:crypto'
import { onceTable } from '../../action/code/once.ts'
import { idempotencyTable } from '../../action/row/idempotency.ts'
import { authenticationTables } from '../../authentication/authentication.ts'
import { eventTables } from '../../event/outbox.ts'
import { reactionTables } from '../../reaction/tables.ts'
import { createPlanCache, type PlanCache } from '../../read-plan/plan-cache.ts'
import type { Model } from '../../resource/model/model.ts'
import { measureStore } from '../../store/measured.ts'
import { beginInstance } from '../../store/migration/instances.ts'
import { migrateInProduction } from '../../store/migration/live/start.ts'
import { migrate } from '../../store/migration/migrate.ts'
import { migrationTables } from '../../store/migration/notes.ts'
import type { Pooling } from '../../store/postgres/pooler.ts'
import { desiredSchema, type TableDefinition } from '../../store/sql/schema/schema.ts'
import { type Dialect, dialectOf } from '../../store/sql/text/dialect.ts'
import type { Store } from '../../store/store.ts'
import { traceStore } from '../../store/traced.ts'
import { clockTables } from '../../time/tables.ts'
import { webhookTables } from '../../webhook/tables.ts'
import { ConfigurationError } from '../configuration/configuration.ts'
import { buildIndexes } from '../pipeline/build-indexes.ts'
import type { ReadPendingIndexes } from '../pipeline/health.ts'
import { definitionTable, recordDefinition } from '../start/recorded-definition.ts'
import { dataKeyTable } from './encrypted-values.ts'
import type { OpenContext } from './open-context.ts'
import type { Observation } from './open-observation.ts'
import { openStore } from './open-store.ts'

export const internalTables = (model: Model): readonly TableDefinition[] => [
  ...authenticationTables(model),
  idempotencyTable,
  onceTable,
  dataKeyTable,
  migrationTables,
  definitionTable,
  eventTables,
  reactionTables,
  ...(model.byName.get('Webhook')?.isCredential === true ? [webhookTables] : []),
  ...(model.usesClock ? [clockTables] : []),
]

export interface Database {
  readonly store: Store
  readonly dialect: Dialect
  readonly plans: PlanCache
  /** Where events of other instances are listened for; null if they are polled. */
  readonly listenUrl: string | null
  /** Of indexes that are built in the background; null if there are none. */
  readonly pendingIndexes: ReadPendingIndexes | null
}

/** Fails with ConfigurationError for an unusable DATABASE_URL. */
export async function openDatabase(context: OpenContext, { metrics, traces }: Observation): Promise<Database> {
  const { configuration, limits, log, model, shutdown } = context
  const { databaseUrl } = configuration
  let { listenUrl = null } = configuration
  const notePooling = ({ lends }: Pooling) => {
    listenUrl ??= lends === 'transactions' ? null : databaseUrl
    if (lends !== 'nothing') log.info(pooledSentence(listenUrl === null))
  }
  const storeOptions = { limits, log, listenUrl, notePooling }
  const database = await openStore(databaseUrl, storeOptions).catch((error: Error) => {
    throw new ConfigurationError(error.message)
  })
  shutdown.defer(() => database.close())
  const measured = metrics === null ? database : measureStore(database, metrics.store)
  const store = traces === null ? measured : traceStore(measured, traces)
  const dialect = dialectOf(store.engine)
  const desired = desiredSchema(model, dialect, internalTables(model))
  const instance = await beginInstance(store, desired.fingerprint, limits)
  shutdown.defer(() => instance.end())
  const later = configuration.production
    ? await migrateInProduction(store, desired, { name: randomUUID(), isGone: () => false })
    : await migrate(store, desired).then(() => null)
  const pendingIndexes = later === null ? null : buildIndexes(context, store, later)
  await recordDefinition(store, model)
  return { store, dialect, plans: createPlanCache(model, dialect), listenUrl, pendingIndexes }
}

const pooledSentence = (isPolled: boolean): string =>
  isPolled
    ? 'The database is used through a pooler: events of other instances are polled, unless DATABASE_LISTEN_URL names the server itself.'
    : 'The database is used through a pooler, and listened to for events of other instances.'
