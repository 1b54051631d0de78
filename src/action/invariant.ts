// What always holds: at least one record like this remains after every write.

import { Failure } from '../failure/failure.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import { bind, type Program, query } from '../store/store.ts'
import type { OtherChange } from './context.ts'
import type { RowValues } from './load.ts'
import type { TargetState } from './target-state.ts'
import type { RowScope } from './write-scope.ts'

// Two transactions that each remove one of the last two would both find the other's: so they take turns.
const takeTurns = query('select pg_advisory_xact_lock(hashtextextended($1, 0))')

/** Fails with BUSINESS_RULE_VIOLATION and the definition's sentence where the last such record would be gone. */
export function* requireInvariants(
  { resource, kind }: ActionModel,
  targets: readonly Pick<TargetState, 'before' | 'after'>[],
  scope: RowScope,
): Program<void> {
  for (const invariant of resource.invariants) {
    const alike = (record: Readonly<RowValues> | null) =>
      record !== null && Object.entries(invariant.like).every(([field, value]) => record[field] === value)
    const atRisk = targets.some(({ before, after }) => alike(before) && (kind === 'delete' || !alike(after)))
    if (atRisk) yield* requireOne(resource, invariant, scope)
  }
}

/** The same for what effects changed and for what went with a deleted record: what those were before is not known. */
export function* requireInvariantsOf(others: readonly OtherChange[], scope: RowScope): Program<void> {
  for (const [resource, changes] of Map.groupBy(others, (each) => each.resource)) {
    for (const invariant of resource.invariants) {
      const leaves = ({ change }: OtherChange) =>
        change === null ||
        Object.entries(invariant.like).some(([field, value]) => field in change && change[field] !== value)
      if (changes.some(leaves)) yield* requireOne(resource, invariant, scope)
    }
  }
}

function* requireOne(
  resource: ResourceModel,
  { like, sentence }: ResourceModel['invariants'][number],
  { statements, dialect }: RowScope,
): Program<void> {
  if (dialect.engine === 'postgres') yield bind(takeTurns, `${resource.name} ${sentence}`)
  const values = Object.entries(like).map(([field, value]) => [resource.column.get(field)!, value] as const)
  const rows = yield boundTo(statements.exists(resource, values), { actor: null })
  if (rows.length === 0) throw new Failure('BUSINESS_RULE_VIOLATION', { message: sentence })
}
