// The indexes by which rules lead from a record to those of its lists: `some('memberships', own('user'))` is one search.

import { getOrInsert } from '../../get-or-insert.ts'
import type { Actor } from '../../resource/actor.ts'
import type { RuleNode } from '../../resource/language/rule.ts'
import { fold } from '../../resource/model/condition.ts'
import type { Model, ResourceModel } from '../../resource/model/model.ts'
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
  const visit = (rule: RuleNode, resource: ResourceModel): void => {
    switch (rule.rule) {
      case 'anyOf':
      case 'allOf':
        for (const each of rule.rules) visit(each, resource)
        return
      case 'not':
        visit(rule.of, resource)
        return
      case 'may':
        if (rule.mine !== null) visit(rule.mine, resource)
        return
      case 'through':
        visit(rule.of, resource.relations.get(rule.relation)!.target)
        return
      case 'some': {
        const relation = resource.relations.get(rule.list)!
        const { target } = relation
        if (relation.kind === 'many')
          for (const { columns, conditions } of narrowings(rule.of, target))
            if (columns.length + conditions.length > 0)
              getOrInsert(wanted, target, () => []).push({ columns: [relation.by.column.name, ...columns], conditions })
        visit(rule.of, target)
      }
    }
  }
  for (const resource of resources) {
    for (const rule of rulesOf(resource)) visit(rule, resource)
    for (const relation of resource.relations.values())
      if (relation.kind === 'one' && relation.into !== null) visit(relation.into, relation.target)
  }
  return wanted
}

function rulesOf({ actions, queries, protect }: ResourceModel): readonly RuleNode[] {
  const protections = [...protect.values()].flatMap(({ read, write }) => [read, write])
  return [
    ...[...actions.values()].map(({ allow }) => allow),
    ...[...queries.values()].flatMap(({ where }) => where ?? []),
    ...protections.filter((rule) => rule !== undefined),
  ]
}

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
