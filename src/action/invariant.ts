// What always holds: at least one record like this remains after every write.

import { Failure } from '../failure/failure.ts'
import type { Column } from '../resource/model/column.ts'
import type { ActionModel, ResourceModel } from '../resource/model/model.ts'
import { boundTo } from '../store/sql/sql-text.ts'
import { bind, type Program } from '../store/store.ts'
import { takeTurns } from './advisory-lock.ts'
import type { OtherChange } from './context.ts'
import type { RowValues } from './load.ts'
import type { TargetState } from './target-state.ts'
import type { RowScope } from './write-scope.ts'

type InvariantScope = Pick<RowScope, 'statements' | 'dialect'>

/** Fails with BUSINESS_RULE_VIOLATION and the definition's sentence where the last such record would be gone. */
export function* requireInvariants(
  { resource, kind }: ActionModel,
  targets: readonly Pick<TargetState, 'id' | 'before' | 'after'>[],
  scope: InvariantScope,
): Program<void> {
  for (const invariant of resource.invariants) {
    const alike = (record: Readonly<RowValues> | null) =>
      record !== null && Object.entries(invariant.like).every(([field, value]) => record[field] === value)
    const atRisk = targets.filter(({ before, after }) => alike(before) && (kind === 'delete' || !alike(after)))
    yield* requireOneEach(resource, invariant, atRisk, scope)
  }
}

/** The same for what effects changed and for what went with a deleted record: what those were before is not known. */
export function* requireInvariantsOf(others: readonly OtherChange[], scope: InvariantScope): Program<void> {
  for (const [resource, changes] of Map.groupBy(others, (each) => each.resource)) {
    for (const invariant of resource.invariants) {
      const leaves = ({ change }: OtherChange) =>
        change === null ||
        Object.entries(invariant.like).some(([field, value]) => field in change && change[field] !== value)
      yield* requireOneEach(resource, invariant, changes.filter(leaves), scope)
    }
  }
}

/** In the nearest tenant of each of these records that still lives; where there are no tenants, in all. (contract 10.2.7) */
function* requireOneEach(
  resource: ResourceModel,
  invariant: Invariant,
  atRisk: readonly { readonly id: string }[],
  scope: InvariantScope,
): Program<void> {
  if (atRisk.length === 0) return
  const [tenant = null] = resource.tenants
  if (tenant === null) return yield* requireOne(resource, invariant, null, scope)
  const keys = scope.dialect.keys(atRisk.map(({ id }) => id))
  const rows = yield boundTo(scope.statements.tenants(resource, tenant), { actor: null, keys })
  for (const [id] of rows) yield* requireOne(resource, invariant, { column: tenant, id: id as string }, scope)
}

type Invariant = ResourceModel['invariants'][number]
/** A tenant, and the column that names it. */
interface Place {
  readonly column: Column
  readonly id: string
}

function* requireOne(
  resource: ResourceModel,
  { like, sentence }: Invariant,
  tenant: Place | null,
  { statements, dialect }: InvariantScope,
): Program<void> {
  const lock = [resource.name, sentence, ...(tenant === null ? [] : [tenant.id])].join(' ')
  // Two transactions that each remove one of the last two would both find the other's.
  if (dialect.engine === 'postgres') yield bind(takeTurns, lock)
  const values = Object.entries(like).map(([field, value]) => [resource.column.get(field)!, value] as const)
  const exists = statements.exists(resource, values, tenant?.column ?? null)
  const rows = yield boundTo(exists, tenant === null ? { actor: null } : { actor: null, id: tenant.id })
  if (rows.length === 0) throw new Failure('BUSINESS_RULE_VIOLATION', { message: sentence })
}
