// Which rules have another answer a moment later, though no record has changed: nobody may keep what they let through. (contract 4.11)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { TokenSpec } from '../field/secret.ts'
import type { RuleNode } from '../language/rule.ts'
import { isAboutNow } from './comparison.ts'
import type { ResourceModel } from './model.ts'
import { rulesIn } from './rule-tree.ts'

/** Whether the rule, or one that it leads to, compares with now, or asks for a token that ends. */
export const asksForTime = (rule: RuleNode, resource: ResourceModel): boolean =>
  [...rulesIn(rule, resource)].some(([each, of]) => {
    if (each.rule === 'when') return Object.values(each.values).some(isAboutNow)
    if (each.rule === 'hasToken') return (of.column.get(each.field)!.spec as TokenSpec).until !== undefined
    if (each.rule !== 'readable') return false
    const { target } = of.relations.get(each.relation)!
    return asksForTime(target.read.allow, target)
  })

/** Whether who may read its records, or fields of them, changes with the time. */
export const isTimed = (resource: ResourceModel): boolean =>
  getOrInsert(timed, resource, ({ read, protect }) =>
    [read.allow, ...[...protect.values()].flatMap((each) => each.read ?? [])].some((rule) =>
      asksForTime(rule, resource),
    ),
  )
const timed = new WeakMap<ResourceModel, boolean>()
