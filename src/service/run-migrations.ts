// Runs the migrations of a definition that have not run on its database, one after the other.

import type { Service } from '../resource/language/service.ts'
import { databaseNow } from '../store/migration/notes.ts'
import { dialectOf } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Store } from '../store/store.ts'
import { openService } from './open/open-context.ts'
import { openParts } from './open/open-parts.ts'
import type { WrittenMigration } from './start/migration.ts'
import type { StartServiceOptions } from './start/options.ts'

/** Names of those that have ended. */
export function* migrationsMade(): Program<ReadonlySet<string>> {
  return new Set(
    (yield bind(query(`select name from duet_migration where kind = 'code'`))).map(([name]) => String(name)),
  )
}

/** The service is open meanwhile, without a listener. Rejects with what a migration rejects with; those before it stay made. */
export async function runMigrations(
  definition: Service<unknown>,
  migrations: readonly WrittenMigration[],
  options: StartServiceOptions,
  report: (line: string) => void,
): Promise<void> {
  if (migrations.length === 0) return
  await openService(definition, { ...options, workers: false }, async (context) => {
    const { inProcess, database } = await openParts(context)
    for (const { migration, work } of migrations) {
      await work({ asService: inProcess.asService, now: options.clock() })
      await database.store.write(() => noteMade(database.store, migration))
      report(`migration ${migration}: made`)
    }
    await context.shutdown.close()
  })
}

function* noteMade({ engine }: Store, name: string): Program<void> {
  const values = `('code', ${dialectOf(engine).parameter(1)}, '', ${databaseNow(engine)})`
  yield bind(
    command(`insert into duet_migration (kind, name, position, at) values ${values} on conflict do nothing`),
    name,
  )
}
