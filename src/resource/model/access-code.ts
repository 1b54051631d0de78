// Which tokens of records the rules of a service ask for: what a request may show as its access code. (contract 10.1.14)

import { getOrInsert } from '../../get-or-insert.ts'
import type { TokenSpec } from '../field/secret.ts'
import type { RuleNode } from '../language/rule.ts'
import type { Model, ResourceModel } from './model.ts'

/** How the access codes of a service begin; empty where no rule asks for one. */
export const codePrefixes = ({ resources }: Pick<Model, 'resources'>): ReadonlySet<string> =>
  getOrInsert(prefixes, resources, () => {
    const found = new Set<string>()
    for (const resource of resources)
      for (const [rule, of] of rulesOf(resource)) for (const prefix of prefixesIn(rule, of)) found.add(prefix)
    return found
  })
const prefixes = new WeakMap<Model['resources'], ReadonlySet<string>>()

/** The rules of a resource, each with the one whose records it is about. */
function rulesOf(resource: ResourceModel): readonly (readonly [RuleNode, ResourceModel])[] {
  const { actions, queries, protect, relations } = resource
  const asked = [...queries.values()].flatMap(({ allow, where }) => [allow, where])
  const fields = [...protect.values()].flatMap(({ read, write, filter }) => [read, write, filter])
  const rules = [...[...actions.values()].map(({ allow }) => allow), ...asked, ...fields]
  const into = [...relations.values()].flatMap((each) =>
    each.kind === 'one' && each.into !== null ? [[each.into, each.target] as const] : [],
  )
  return [...rules.flatMap((rule) => (rule == null ? [] : [[rule, resource] as const])), ...into]
}

function prefixesIn(rule: RuleNode, resource: ResourceModel): readonly string[] {
  switch (rule.rule) {
    case 'hasToken':
      return [(resource.column.get(rule.field)!.spec as TokenSpec).prefix]
    case 'anyOf':
    case 'allOf':
      return rule.rules.flatMap((each) => prefixesIn(each, resource))
    case 'not':
      return prefixesIn(rule.of, resource)
    case 'may':
      return rule.mine === null ? [] : prefixesIn(rule.mine, resource)
    case 'through':
      return prefixesIn(rule.of, resource.relations.get(rule.relation)!.target)
    case 'some':
      return prefixesIn(rule.of, resource.relations.get(rule.list)!.target)
    default:
      return []
  }
}
