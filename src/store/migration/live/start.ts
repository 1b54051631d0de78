// What a start changes in production: only what adds something and is quick on large tables. (contract 18.1.7)

import type { Schema } from '../../sql/schema/schema.ts'
import type { Store } from '../../store.ts'
import { changes } from '../change.ts'
import { hasSchema, isForFinish, isMigrated, migrate, type Plan, planMigration } from '../migrate.ts'
import { type Step, unfit } from '../work.ts'
import { applyMigration, readAll } from './apply.ts'
import { isIdempotent } from './describe-plan.ts'
import type { Holder } from './lease.ts'

/** Indexes that are built while requests are served, by one instance at a time. */
export interface LaterIndexes {
  readonly names: readonly string[]
  /** Builds those that are missing; another instance may have done so. Rejects when `signal` ends it. */
  build(report: (line: string) => void, signal: AbortSignal): Promise<void>
}

/** As `migrate`, under load. Fails with UnfitDatabase if `duet migrate apply` has to run before. */
export async function migrateInProduction(store: Store, desired: Schema, holder: Holder): Promise<LaterIndexes | null> {
  if (!(await store.read(hasSchema(store.engine))) || (await store.read(isMigrated(desired)))) {
    await migrate(store, desired)
    return null
  }
  const plan = await readAll(store, () => planMigration(desired))
  // Going back is to be simple.
  if (!plan.isReturn) {
    const refusals = refusalsOf(plan)
    if (refusals.length > 0) throw unfit(refusals)
  }
  if (store.engine === 'sqlite' || plan.isReturn) {
    await migrate(store, desired)
    return null
  }
  const options = { holder, finish: false, accepted: new Set<string>() }
  const only = (step: Step, now: Plan) => !isLater(step, now) && step.isLate !== true
  if (needsMoreThanIndexes(plan)) await applyMigration(store, desired, { ...options, report: () => undefined, only })
  const names = plan.steps.flatMap((step) => (isLater(step, plan) ? namesIn(step) : []))
  if (names.length === 0) return null
  return {
    names,
    async build(report, signal) {
      // Another version may have changed the database since: then its indexes are not this one's to drop.
      const only = (step: Step, now: Plan) => now.former === plan.former && isLater(step, now)
      await applyMigration(store, desired, { ...options, report, signal, only })
    },
  }
}

const isLater = ({ change, table, statements }: Step, { existing }: Plan): boolean =>
  (change === 'removed index' || (change === 'new index' && table !== null && existing.has(table))) &&
  statements.every((each) => /^(create|drop) index "/.test(each))

const namesIn = ({ change, statements }: Step): readonly string[] =>
  change === 'new index' ? statements.flatMap((each) => /^create index "(.+?)"/.exec(each)?.[1] ?? []) : []

/** Without them a start waits for no other that builds indexes. */
const needsMoreThanIndexes = (plan: Plan): boolean =>
  !plan.steps.some((step) => isLater(step, plan)) ||
  plan.steps.some(
    (step) =>
      !isLater(step, plan) &&
      (step.change !== 'bookkeeping' || step.statements.some((each) => !isIdempotent(each, plan))),
  )

function refusalsOf(plan: Plan): readonly string[] {
  const refused = plan.steps.flatMap(({ refusal }) => refusal ?? [])
  const later = plan.steps.filter((step) => step.refusal === undefined && !isForFinish(step) && !isQuick(step, plan))
  const what = [...new Set(later.map(({ about, change }) => `${about}: ${change}`))]
  const sentence = 'In production a start makes no such change. Run before it: duet migrate apply'
  return [...plan.refusals, ...refused, ...what.map((each) => `${each}. ${sentence}`)]
}

/** A table without records yet is made at once. */
const isQuick = ({ change, alone, table }: Step, { existing }: Plan): boolean =>
  (table !== null && !existing.has(table)) || (changes[change].isQuick && alone === undefined)
