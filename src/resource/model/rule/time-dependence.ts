// Finds rules whose result changes with time alone, so that their responses are not cached. (contract 4.11)

import { memoize } from '../../../cache/memoize.ts'
import type { TokenSpec } from '../../field/secret.ts'
import type { RuleNode } from '../../language/rule/rule.ts'
import type { ResourceModel } from '../model.ts'
import { isAboutNow } from './comparison.ts'
import { rulesIn } from './rule-tree.ts'

export const dependsOnTime = (rule: RuleNode, resource: ResourceModel): boolean =>
  [...rulesIn(rule, resource)].some(([each, of]) => {
    if (each.rule === 'when') return Object.values(each.values).some(isAboutNow)
    if (each.rule === 'hasToken') return (of.column.get(each.field)!.spec as TokenSpec).until !== undefined
    if (each.rule !== 'readable') return false
    const { target } = of.relations.get(each.relation)!
    return dependsOnTime(target.read.allow, target)
  })

export const isTimed = memoize((resource: ResourceModel) =>
  [resource.read.allow, ...[...resource.protect.values()].flatMap((each) => each.read ?? [])].some((rule) =>
    dependsOnTime(rule, resource),
  ),
)
