// Indexes from a record to its lists for rules: `some('memberships', own('user'))` is one lookup.

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import type { Actor } from '../../../resource/actor.ts'
import type { RuleNode } from '../../../resource/language/rule/rule.ts'
import type { Model, ResourceModel } from '../../../resource/model/model.ts'
import { fold } from '../../../resource/model/rule/condition.ts'
import { allRules } from '../../../resource/model/rule/rule-tree.ts'
import type { Dialect } from '../text/dialect.ts'
import type { WantedIndex } from './index-plan.ts'
import { narrowing } from './narrowing.ts'

/** A signed-in actor without permissions, for which a rule about values reduces to its values. */
export const exampleActor: Actor = {
  id: '',
  role: '',
  permissions: new Set(),
  scopes: null,
  credential: { kind: 'apiKey', keyId: '' },
}

/** By resource of the list's records. */
export function ruleIndexes(
  { resources }: Pick<Model, 'resources'>,
  dialect: Dialect,
): ReadonlyMap<ResourceModel, readonly WantedIndex[]> {
  const wanted = new Map<ResourceModel, WantedIndex[]>()
  for (const [rule, holder] of allRules(resources)) {
    if (rule.rule !== 'some') continue
    const relation = holder.relations.get(rule.list)!
    if (relation.kind !== 'many') continue
    const { target, by } = relation
    for (const { columns, conditions } of narrowings(rule.of, target, dialect))
      if (columns.length + conditions.length > 0)
        getOrInsert(wanted, target, () => []).push({
          question: `rule of ${holder.name}`,
          columns: [...new Set([by.column.name, ...columns])],
          fixed: columns.length + 1,
          conditions,
        })
  }
  return wanted
}

type Narrowing = Pick<WantedIndex, 'columns' | 'conditions'>
/** One per alternative of the rule. */
function narrowings(rule: RuleNode, resource: ResourceModel, dialect: Dialect): readonly Narrowing[] {
  switch (rule.rule) {
    case 'anyOf':
      return rule.rules.flatMap((each) => narrowings(each, resource, dialect))
    case 'allOf': {
      const parts = rule.rules.map((each) => narrowings(each, resource, dialect)).filter((each) => each.length === 1)
      return [
        { columns: parts.flatMap(([each]) => each!.columns), conditions: parts.flatMap(([each]) => each!.conditions) },
      ]
    }
    case 'confined':
      return narrowings(rule.of, resource, dialect)
    case 'may':
      return rule.mine === null ? [] : narrowings(rule.mine, resource, dialect)
    case 'own':
    case 'readable':
    case 'through':
      return [{ columns: [resource.column.get(rule.relation)!.name], conditions: [] }]
    case 'when': {
      const { fixed, conditions } = narrowing(fold(rule, resource, exampleActor), dialect)
      return [{ columns: fixed, conditions }]
    }
    default:
      return []
  }
}
