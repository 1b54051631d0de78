// Describes a plan for people and programs: each change, what it locks, how long it takes, what older instances notice, what is lost.

import { quote } from '../../sql/text/dialect.ts'
import type { Engine, Program } from '../../store.ts'
import { changes, type Kind, stepsOf } from '../change.ts'
import { otherInstances } from '../instances.ts'
import type { Plan } from '../migrate.ts'
import { type Step, unfit } from '../work.ts'
import { printedStatements } from './online.ts'
import { type Duration, durationOf, measuredRates, type Rates, rowsIn } from './rate.ts'

export interface PlannedChange extends Pick<Step, 'change' | 'about' | 'statements'>, Duration {
  readonly locks: string
  /** Of the table; null for a new one. */
  readonly rows: number | null
  /** What an instance of the version before notices. */
  readonly older: string
  /** Whether such instances have to end first. */
  readonly needsAlone: boolean
  readonly undo: string
  /** How to deploy it without a stop, where older instances have to end first; null if one deploy does. */
  readonly steps: string | null
  readonly loss: string | null
}

export interface DescribedPlan {
  readonly engine: Engine
  /** Instances of other versions that run. */
  readonly others: number
  readonly changes: readonly PlannedChange[]
  /** Why nothing can be applied, with remedies. */
  readonly problems: readonly string[]
}

export function* describePlan(plan: Plan): Program<DescribedPlan> {
  const { engine, desired, refusals, steps, existing } = plan
  const rows = new Map<string, number>()
  for (const table of new Set(steps.map((each) => each.table)))
    if (table !== null && existing.has(table)) rows.set(table, yield* rowsIn(engine, table))
  const rates = yield* measuredRates(existing)
  return {
    engine,
    others: yield* otherInstances(engine, desired.fingerprint),
    changes: joined(steps.flatMap((step) => describeStep(step, plan, rows, rates))).map((each) => ({
      ...each,
      locks: each.locks + lockedWith(each, plan),
    })),
    problems: refusals.length === 0 ? [] : unfit(refusals).message.split('\n').slice(1),
  }
}

function describeStep(
  step: Step,
  plan: Plan,
  rows: ReadonlyMap<string, number>,
  rates: Rates,
): readonly PlannedChange[] {
  const { change, about, table, alone, isTolerant = false, isLate = false, loss = null, fill } = step
  const printed = printedStatements(step, plan).filter((each) => !isIdempotent(each, plan))
  const filled = fill === undefined ? [] : [`-- fills ${quote(fill.key)} in batches`, ...fill.last]
  const statements = [...printed, ...filled]
  if (change === 'bookkeeping' && statements.length === 0) return []
  const { locks, older, meanwhile = older, undo }: Kind = changes[change]
  const isTolerated = isTolerant && !isLate
  const count = rows.get(table ?? '') ?? null
  return [
    {
      change,
      about,
      statements,
      locks: (fill === undefined ? locks : changes['numbers to fill'].locks)[plan.engine],
      rows: count,
      ...durationOf(plan.engine, step, count ?? 0, rates),
      older: change === 'other name' ? `${older}; ${keepName(step)}` : isTolerated ? meanwhile : older,
      needsAlone: alone !== undefined && !isTolerated,
      undo,
      steps: stepsOf(change),
      loss,
    },
  ]
}

/** PostgreSQL locks the table that a relation names, too. */
function lockedWith({ statements }: PlannedChange, { engine, existing }: Plan): string {
  if (engine === 'sqlite') return ''
  const names = statements.flatMap((each) => /references "(\w+)"/.exec(each)?.[1] ?? [])
  const tables = [...new Set(names)].filter((name) => existing.has(name)).map(quote)
  return tables.length === 0 ? '' : `; writes of ${tables.join(' and ')}, for an instant`
}

/** How to rename without a stop. */
const keepName = ({ statements }: Step): string => {
  const [, column] = /rename column "(.+?)"/.exec(statements[0]!)!
  return `with column: '${column}' in the place of was nothing changes here`
}

/** It does nothing where it is there already. */
export function isIdempotent(statement: string, { existing }: Plan): boolean {
  const [, kind, name] = /^create (?:unique )?(table|index) if not exists (\w+)/.exec(statement) ?? []
  if (kind === 'table') return existing.has(name!)
  return kind === 'index' && [...existing.values()].some(({ indexes }) => indexes.has(name!))
}

/** Statements that make one change of one thing. */
function joined(all: readonly PlannedChange[]): readonly PlannedChange[] {
  const byKey = new Map<string, PlannedChange>()
  for (const each of all) {
    const key = [each.change, each.about, each.loss].join()
    const former = byKey.get(key)
    byKey.set(
      key,
      former === undefined
        ? each
        : {
            ...each,
            statements: [...former.statements, ...each.statements],
            seconds: former.seconds + each.seconds,
            needsAlone: former.needsAlone || each.needsAlone,
          },
    )
  }
  return [...byKey.values()]
}
