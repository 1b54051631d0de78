// What a start changes in production: only what adds something and is quick on large tables. (contract 18.1.7)

import type { Schema } from '../../sql/schema/schema.ts'
import type { Store } from '../../store.ts'
import { changes } from '../change.ts'
import { hasSchema, isMigrated, migrate, type Plan, planMigration } from '../migrate.ts'
import { type Step, unfit } from '../work.ts'
import { applyMigration, readAll } from './apply.ts'
import type { Holder } from './lease.ts'

/** As `migrate`, under load. Fails with UnfitDatabase if `duet migrate apply` has to run before. */
export async function migrateInProduction(store: Store, desired: Schema, holder: Holder): Promise<void> {
  if (!(await store.read(hasSchema(store.engine))) || (await store.read(isMigrated(desired)))) {
    await migrate(store, desired)
    return
  }
  const plan = await readAll(store, () => planMigration(desired))
  // Going back is to be simple.
  if (!plan.isReturn) {
    const refusals = refusalsOf(plan)
    if (refusals.length > 0) throw unfit(refusals)
  }
  if (store.engine === 'sqlite' || plan.isReturn) await migrate(store, desired)
  else await applyMigration(store, desired, { holder, finish: false, accepted: new Set(), report: () => undefined })
}

function refusalsOf(plan: Plan): readonly string[] {
  const refused = plan.steps.flatMap(({ refusal }) => refusal ?? [])
  const later = plan.steps.filter((step) => step.refusal === undefined && !isQuick(step, plan))
  const what = [...new Set(later.map(({ about, change }) => `${about}: ${change}`))]
  const sentence = 'In production a start makes no such change. Run before it: duet migrate apply'
  return [...plan.refusals, ...refused, ...what.map((each) => `${each}. ${sentence}`)]
}

/** A table without records yet is made at once. */
const isQuick = ({ change, alone, table }: Step, { existing }: Plan): boolean =>
  (table !== null && !existing.has(table)) || (changes[change].isQuick && alone === undefined)
