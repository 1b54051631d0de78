// Which rules have another answer a moment later, though no record has changed: nobody may keep what they let through. (contract 4.11)

import { getOrInsert } from '../../get-or-insert.ts'
import type { RuleNode } from '../language/rule.ts'
import { isAboutNow } from './comparison.ts'
import type { ResourceModel } from './model.ts'

/** Whether the rule, or one that it leads to, compares with now. */
export function asksForTime(rule: RuleNode, resource: ResourceModel): boolean {
  switch (rule.rule) {
    case 'when':
      return Object.values(rule.values).some(isAboutNow)
    case 'anyOf':
    case 'allOf':
      return rule.rules.some((each) => asksForTime(each, resource))
    case 'not':
      return asksForTime(rule.of, resource)
    case 'may':
      return rule.mine !== null && asksForTime(rule.mine, resource)
    case 'through':
      return asksForTime(rule.of, resource.relations.get(rule.relation)!.target)
    case 'some':
      return asksForTime(rule.of, resource.relations.get(rule.list)!.target)
    case 'readable': {
      const { target } = resource.relations.get(rule.relation)!
      return asksForTime(target.read.allow, target)
    }
    default:
      return false
  }
}

/** Whether who may read its records, or fields of them, changes with the time. */
export const isTimed = (resource: ResourceModel): boolean =>
  getOrInsert(timed, resource, ({ read, protect }) =>
    [read.allow, ...[...protect.values()].flatMap((each) => each.read ?? [])].some((rule) =>
      asksForTime(rule, resource),
    ),
  )
const timed = new WeakMap<ResourceModel, boolean>()
