// Databases with the tables of a definition, copied from one that was migrated: on a copy there is nothing to migrate.

import { getOrInsert } from '../../../src/cache/get-or-insert.ts'
import { defaultLimits } from '../../../src/limits.ts'
import type { Service } from '../../../src/resource/language/service.ts'
import { internalTables } from '../../../src/service/open/open-database.ts'
import { openStore } from '../../../src/service/open/open-store.ts'
import { compileService } from '../../../src/service/start/compile-service.ts'
import { migrate } from '../../../src/store/migration/migrate.ts'
import { desiredSchema, type Schema } from '../../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../../src/store/sql/text/dialect.ts'
import type { Engine } from '../../../src/store/store.ts'
import { createDatabase, type TestDatabase } from './databases.ts'

/** By fingerprint of their schemas; null after the first use, since many definitions have only one. */
const templates = new Map<string, Promise<TestDatabase> | null>()
const made: TestDatabase[] = []
const schemas = new WeakMap<Service<unknown>, Map<Engine, Schema>>()

/** From the second use of a definition in this process on, the database has its tables; before, it is empty. */
export async function createMigrated(engine: Engine, definition: Service<unknown>): Promise<TestDatabase> {
  const schema = schemaOf(engine, definition)
  const template = templates.get(schema.fingerprint)
  if (template === undefined) {
    templates.set(schema.fingerprint, null)
    return createDatabase(engine)
  }
  return createWithTables(schema)
}

export async function createWithTables(schema: Schema): Promise<TestDatabase> {
  const template = templates.get(schema.fingerprint) ?? makeTemplate(schema)
  templates.set(schema.fingerprint, template)
  return createDatabase(schema.engine, await template)
}

function schemaOf(engine: Engine, definition: Service<unknown>): Schema {
  const byEngine = getOrInsert(schemas, definition, () => new Map<Engine, Schema>())
  return getOrInsert(byEngine, engine, () => {
    const model = compileService(definition)
    return desiredSchema(model, dialectOf(engine), internalTables(model))
  })
}

async function makeTemplate(schema: Schema): Promise<TestDatabase> {
  if (made.length === 0) process.once('beforeExit', () => void Promise.all(made.map((each) => each.drop())))
  const database = await createDatabase(schema.engine)
  made.push(database)
  const store = await openStore(database.url, { limits: defaultLimits, log: { warn: () => {}, error: () => {} } })
  try {
    await migrate(store, schema)
  } finally {
    await store.close()
  }
  return database
}
