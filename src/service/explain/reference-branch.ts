// Explains `into` and `same` of relations in the input. (contract 10.1.12, 10.1.13)

import type { RowValues } from '../../action/row/load.ts'
import type { RuleNode } from '../../resource/language/rule/rule.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ActionModel, OneRelation } from '../../resource/model/model.ts'
import { isSame } from '../../resource/model/rule/condition.ts'
import { words } from '../../resource/naming/casing.ts'
import { type Branch, type BranchContext, branchOf } from './branch.ts'
import { examine } from './examine.ts'

/** One branch per accepted relation or list with a requirement; for a relation, about its current target. */
export async function referenceBranches(
  { accept, lists }: ActionModel,
  context: BranchContext,
): Promise<readonly Branch[]> {
  const relations = accept.flatMap(({ field }) => {
    const relation = context.resource.relations.get(field)
    return relation?.kind === 'one' && (relation.into !== null || relation.same.length > 0) ? [relation] : []
  })
  const linked = lists.flatMap(({ field, into, relation: { target } }) =>
    into === null ? [] : [{ field, into, target }],
  )
  const ofLinks = linked.map(async ({ field, into, target }): Promise<Branch> => {
    const branch = await branchOf(into, { ...context, resource: target, examined: null })
    const sentence = `${context.nameIn(context.resource)(field)}: may be named by ${branch.sentence}`
    return { ...branch, sentence }
  })
  const ofRelations = await Promise.all(relations.map((each) => branchesOfReference(each, context)))
  return [...ofRelations.flat(), ...(await Promise.all(ofLinks))]
}

async function branchesOfReference(relation: OneRelation, context: BranchContext): Promise<readonly Branch[]> {
  const { field, target, into, same } = relation
  const { requester, nameIn, resource } = context
  const name = nameIn(resource)(field)
  const record = context.examined?.record
  const id = record?.[field]
  const rules: readonly RuleNode[] = into === null ? [] : [into]
  const examined = typeof id === 'string' ? await examine(target, id, rules, requester, context) : null
  const why = examined === null ? null : `it is ${id}, of ${target.path}`
  const branches: Branch[] = []
  if (into !== null) {
    const branch = await branchOf(into, { ...context, resource: target, examined })
    branches.push({ ...branch, sentence: `${name}: may be named by ${branch.sentence}`, why: why ?? branch.why })
  }
  if (same.length > 0) {
    const holds = examined && same.every((each) => isCommon(target.column.get(each)!, examined.record, record!))
    const sentence = `${name}: has the same ${same.map(words).join(' and ')} as the ${words(resource.name)}`
    branches.push({ holds, sentence, why, parts: [] })
  }
  return branches
}

function isCommon(column: Column, one: Readonly<RowValues>, other: Readonly<RowValues>): boolean {
  const [left = null, right = null] = [one[column.field], other[column.field]]
  return left !== null && right !== null && isSame(column, left, right)
}
