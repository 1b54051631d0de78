// The one order in which transactions lock records: what others require comes first, then by table.

import { memoize } from '../../../cache/memoize.ts'
import type { ResourceModel } from '../model.ts'
import { holdingsOf } from './holding.ts'

/** Containers and holders come before what is in them. In a ring of resources that require each other, tables decide. */
export const compareLocks = (one: ResourceModel, other: ResourceModel): number =>
  rankOf(one) - rankOf(other) || (one.table < other.table ? -1 : Number(one.table > other.table))

/** How many resources it requires, in any number of steps, itself included: more than each of these does outside of a ring. */
const rankOf = memoize((resource: ResourceModel): number => {
  const reached = new Set([resource])
  for (const each of reached) for (const target of requiredBy(each)) reached.add(target)
  return reached.size
})

function* requiredBy(resource: ResourceModel): Generator<ResourceModel> {
  for (const relation of resource.relations.values())
    if (relation.kind === 'one' && !relation.column.nullable) yield relation.target
  for (const { relation } of holdingsOf(resource)) yield relation.target
}
