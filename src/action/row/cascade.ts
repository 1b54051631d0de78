// Whether the caller may delete what a delete takes along: every record whose relation cascades by its own rule. (contract 2.5.7)

import { memoize } from '../../cache/memoize.ts'
import { Failure } from '../../failure/failure.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { always, not } from '../../resource/model/rule/condition.ts'
import { allowCondition } from '../../resource/model/rule/record-action.ts'
import { boundTo } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import { ruleInputsOf, type WriteScope } from '../write-scope.ts'
import { lockRecords } from './lock.ts'
import { tooManyDependants } from './remove.ts'

type Cascade = ResourceModel['referrers'][number]

/**
 * Fails with BUSINESS_RULE_VIOLATION if the caller may not delete one of them, whether or not they may read it. Runs before the
 * delete, since rules of dependants may follow relations to what is deleted.
 */
export function* requireCascades(resource: ResourceModel, ids: readonly string[], scope: WriteScope): Program<void> {
  let left = scope.context.limits.dependants
  const levels = [{ resource, ids }]
  for (let level = levels.shift(); level !== undefined; level = levels.shift())
    for (const cascade of cascadesTo(level.resource)) {
      const dependants = yield* dependantsOf(cascade, level.ids, left, scope)
      left -= dependants.length
      if (cascade.relation.isRuled) yield* requireRight(cascade, level.ids, dependants, scope)
      if (dependants.length > 0) levels.push({ resource: cascade.holder, ids: dependants })
    }
}

/** Cascades that have a rule, or lead to one that has. */
const cascadesTo = memoize(({ referrers }: ResourceModel): readonly Cascade[] =>
  referrers.filter(({ holder, relation }) => relation.onDelete === 'cascade' && isRuled({ holder, relation })),
)

function isRuled(cascade: Cascade): boolean {
  const reached = new Set([cascade])
  for (const { holder, relation } of reached) {
    if (relation.isRuled) return true
    for (const each of holder.referrers) if (each.relation.onDelete === 'cascade') reached.add(each)
  }
  return false
}

function* dependantsOf(
  { holder, relation }: Cascade,
  keys: readonly string[],
  left: number,
  scope: WriteScope,
): Program<readonly string[]> {
  const statement = scope.statements.children(holder, relation.column, { condition: always, limit: left + 1 })
  const rows = yield boundTo(statement, { ...ruleInputsOf(scope), keys: scope.dialect.keys(keys) })
  if (rows.length > left) throw tooManyDependants(scope.context.limits.dependants)
  return rows.map(([id]) => id as string).sort()
}

/** Locked first, so that what the rule reads of them stays as it is. */
function* requireRight(
  { holder, relation }: Cascade,
  keys: readonly string[],
  ids: readonly string[],
  scope: WriteScope,
): Program<void> {
  if (ids.length === 0) return
  const condition = not(allowCondition(holder.actions.get('delete')!, scope.actor))
  if (condition.is === 'never') return
  yield* lockRecords(holder, ids, 'no key update', scope)
  const statement = scope.statements.children(holder, relation.column, { condition, limit: 1 })
  const [first] = yield boundTo(statement, { ...ruleInputsOf(scope), keys: scope.dialect.keys(keys) })
  if (first === undefined) return
  const message = `You may not delete some of its ${holder.path.replaceAll('-', ' ')}, which would be deleted with it.`
  throw new Failure('BUSINESS_RULE_VIOLATION', { message })
}
