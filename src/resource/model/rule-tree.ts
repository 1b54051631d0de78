// The rules of a resource, and those inside them, whichever records they are about.

import type { RuleNode } from '../language/rule.ts'
import { within } from '../language/rule-parts.ts'
import type { Model, ResourceModel } from './model.ts'

/** A rule, and the resource whose records it is about. */
export type RulePlace = readonly [rule: RuleNode, resource: ResourceModel]

/** The rules that a resource has about its own records. */
export function rulesOf({ actions, queries, protect }: ResourceModel): readonly RuleNode[] {
  const protections = [...protect.values()].flatMap(({ read, write, filter }) => [read, write, filter])
  return [
    ...[...actions.values()].map(({ allow }) => allow),
    ...[...queries.values()].flatMap(({ allow, where }) => [allow, ...(where === null ? [] : [where])]),
    ...protections.filter((rule) => rule !== undefined),
  ]
}

/** Every rule of a service: those inside others too, and what relations ask of the records that they are to name. */
export function* allRules(resources: Model['resources']): Iterable<RulePlace> {
  for (const resource of resources) {
    for (const rule of rulesOf(resource)) yield* rulesIn(rule, resource)
    for (const relation of resource.relations.values())
      if (relation.kind === 'one' && relation.into !== null) yield* rulesIn(relation.into, relation.target)
  }
}

/** This rule and all rules inside it, but for the one that `readable` stands for. */
export function* rulesIn(rule: RuleNode, resource: ResourceModel): Iterable<RulePlace> {
  for (const each of within(rule)) {
    yield [each, resource]
    if (each.rule === 'through') yield* rulesIn(each.of, resource.relations.get(each.relation)!.target)
    if (each.rule === 'some') yield* rulesIn(each.of, resource.relations.get(each.list)!.target)
  }
}
