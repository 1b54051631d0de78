// The indexes by which rules lead from a record to those of its lists: `some('memberships', own('user'))` is one search.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { Actor } from '../../resource/actor.ts'
import type { RuleNode } from '../../resource/language/rule.ts'
import { fold } from '../../resource/model/condition.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
import { allRules } from '../../resource/model/rule-tree.ts'
import { narrowing } from './narrowing.ts'
import type { WantedIndex } from './query-indexes.ts'

/** Somebody who is signed in and holds nothing: for whom a rule about values asks what it says. */
export const somebody: Actor = {
  id: '',
  role: '',
  permissions: new Set(),
  scopes: null,
  credential: { kind: 'apiKey', keyId: '' },
}

/** What the rules of a service ask of the records that lists lead to, by their resource. */
export function ruleIndexes({
  resources,
}: Pick<Model, 'resources'>): ReadonlyMap<ResourceModel, readonly WantedIndex[]> {
  const wanted = new Map<ResourceModel, WantedIndex[]>()
  for (const [rule, holder] of allRules(resources)) {
    if (rule.rule !== 'some') continue
    const relation = holder.relations.get(rule.list)!
    if (relation.kind !== 'many') continue
    const { target, by } = relation
    for (const { columns, conditions } of narrowings(rule.of, target))
      if (columns.length + conditions.length > 0)
        getOrInsert(wanted, target, () => []).push({ columns: [by.column.name, ...columns], conditions })
  }
  return new Map(
    [...wanted].map(([resource, indexes]) => [resource, indexes.filter((each) => !isWithin(each, indexes))]),
  )
}

/** Whether another index begins with all of its columns, and so finds what it does. */
const isWithin = ({ columns, conditions }: WantedIndex, others: readonly WantedIndex[]): boolean =>
  others.some(
    (other) =>
      other.columns.length > columns.length &&
      columns.every((column, at) => other.columns[at] === column) &&
      other.conditions.join() === conditions.join(),
  )

/** For each alternative of a rule, what it fixes of the record that it is about. */
function narrowings(rule: RuleNode, resource: ResourceModel): readonly WantedIndex[] {
  switch (rule.rule) {
    case 'anyOf':
      return rule.rules.flatMap((each) => narrowings(each, resource))
    case 'allOf': {
      const parts = rule.rules.map((each) => narrowings(each, resource)).filter((each) => each.length === 1)
      return [
        { columns: parts.flatMap(([each]) => each!.columns), conditions: parts.flatMap(([each]) => each!.conditions) },
      ]
    }
    case 'confined':
      return narrowings(rule.of, resource)
    case 'may':
      return rule.mine === null ? [] : narrowings(rule.mine, resource)
    case 'own':
    case 'readable':
    case 'through':
      return [{ columns: [resource.column.get(rule.relation)!.name], conditions: [] }]
    case 'when': {
      const { fixed, conditions } = narrowing(fold(rule, resource, somebody))
      return [{ columns: fixed, conditions }]
    }
    default:
      return []
  }
}
