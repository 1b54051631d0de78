// A process that plans and applies a change, as `duet migrate` does: `changes-apply.ts <url> <version> <plan, apply or finish>`.

import { defaultLimits } from '../../src/limits.ts'
import { internalTables } from '../../src/service/open/open-database.ts'
import { openStore } from '../../src/service/open/open-store.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { applyMigration, readAll } from '../../src/store/migration/live/apply.ts'
import { describePlan } from '../../src/store/migration/live/describe-plan.ts'
import { planMigration } from '../../src/store/migration/migrate.ts'
import { desiredSchema } from '../../src/store/sql/schema/schema.ts'
import { dialectOf } from '../../src/store/sql/text/dialect.ts'
import { definitionOf, versions } from './changes.ts'

/** What it prints. */
export interface Applied {
  readonly estimatedSeconds: number
  readonly needsAlone: boolean
  readonly seconds: number
  readonly left: readonly string[]
}

const [url = '', version, verb] = process.argv.slice(2)
const store = await openStore(url, { limits: defaultLimits, log: console })
const model = compileService(definitionOf(versions[Number(version)]![1]))
const desired = desiredSchema(model, dialectOf(store.engine), internalTables(model))
const { changes } = await readAll(store, function* () {
  return yield* describePlan(yield* planMigration(desired))
})
const finish = verb === 'finish'
const now = changes.filter(({ loss }) => finish || loss === null)
const began = performance.now()
const holder = { name: 'changes', isGone: () => false }
const accepted = new Set(['tasks.note', 'tasks.level', 'tags'])
const left =
  verb === 'plan' ? [] : await applyMigration(store, desired, { holder, finish, accepted, report: () => undefined })
const applied: Applied = {
  estimatedSeconds: now.reduce((sum, { seconds }) => sum + seconds, 0),
  needsAlone: now.some(({ needsAlone }) => needsAlone),
  seconds: (performance.now() - began) / 1000,
  left: left.map(({ why }) => why),
}
process.stdout.write(JSON.stringify(applied))
await store.close()
