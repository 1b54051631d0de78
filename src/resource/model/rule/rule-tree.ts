// Walks the rules of a resource, nested ones included.

import type { RuleNode } from '../../language/rule/rule.ts'
import { within } from '../../language/rule/rule-parts.ts'
import type { Model, ResourceModel } from '../model.ts'

export type RulePlace = readonly [rule: RuleNode, resource: ResourceModel]

export function rulesOf({ actions, queries, protect }: ResourceModel): readonly RuleNode[] {
  const protections = [...protect.values()].flatMap(({ read, write, filter }) => [read, write, filter])
  return [
    ...[...actions.values()].map(({ allow }) => allow),
    ...[...queries.values()].flatMap(({ allow, where }) => [allow, ...(where === null ? [] : [where])]),
    ...protections.filter((rule) => rule !== undefined),
  ]
}

/** Includes those of `into`. */
export function* allRules(resources: Model['resources']): Iterable<RulePlace> {
  for (const resource of resources) {
    for (const rule of rulesOf(resource)) yield* rulesIn(rule, resource)
    for (const relation of resource.relations.values())
      if (relation.kind === 'one' && relation.into !== null) yield* rulesIn(relation.into, relation.target)
    for (const { lists } of resource.actions.values())
      for (const { into, relation } of lists) if (into !== null) yield* rulesIn(into, relation.target)
  }
}

/** Without the rule that `readable` stands for. */
export function* rulesIn(rule: RuleNode, resource: ResourceModel): Iterable<RulePlace> {
  for (const each of within(rule)) {
    yield [each, resource]
    if (each.rule === 'through') yield* rulesIn(each.of, resource.relations.get(each.relation)!.target)
    if (each.rule === 'some') yield* rulesIn(each.of, resource.relations.get(each.list)!.target)
  }
}
