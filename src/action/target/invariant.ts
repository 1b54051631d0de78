// Invariants: at least one such record must remain after every write.

import { Failure } from '../../failure/failure.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ActionModel, ResourceModel } from '../../resource/model/model.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import { bind, type Program } from '../../store/store.ts'
import type { OtherChange } from '../context.ts'
import { takeLock } from '../row/advisory-lock.ts'
import type { RowValues } from '../row/load.ts'
import type { RowScope } from '../write-scope.ts'
import type { TargetState } from './target-state.ts'

type InvariantScope = Pick<RowScope, 'statements' | 'dialect'>

/** Fails with BUSINESS_RULE_VIOLATION and the definition's sentence. */
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

/** For changes by effects and for records deleted with others, whose earlier values are unknown. */
export function* requireInvariantsOf(others: readonly OtherChange[], scope: InvariantScope): Program<void> {
  // In one order for all transactions.
  const groups = [...Map.groupBy(others, (each) => each.resource)]
  for (const [resource, changes] of groups.sort(([one], [other]) => (one.name < other.name ? -1 : 1))) {
    for (const invariant of resource.invariants) {
      const leaves = ({ change }: OtherChange) =>
        change === null ||
        Object.entries(invariant.like).some(([field, value]) => field in change && change[field] !== value)
      yield* requireOneEach(resource, invariant, changes.filter(leaves), scope)
    }
  }
}

/** Per nearest tenant that is not deleted; without tenants, over all records. (contract 10.2.7) */
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
  const ids = rows.map(([id]) => id as string).sort()
  for (const id of ids) yield* requireOne(resource, invariant, { column: tenant, id }, scope)
}

type Invariant = ResourceModel['invariants'][number]
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
  // Two transactions that each remove one of the last two records would otherwise both pass.
  if (dialect.engine === 'postgres') yield bind(takeLock, lock)
  const values = Object.entries(like).map(([field, value]) => [resource.column.get(field)!, value] as const)
  const exists = statements.exists(resource, values, tenant?.column ?? null)
  const rows = yield boundTo(exists, tenant === null ? { actor: null } : { actor: null, id: tenant.id })
  if (rows.length === 0) throw new Failure('BUSINESS_RULE_VIOLATION', { message: sentence })
}
