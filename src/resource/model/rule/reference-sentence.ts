// Documents what a relation requires of the record that clients name. (contract 10.1.12, 10.1.13, 13.1.26)

import type { RuleNode } from '../../language/rule/rule.ts'
import { words } from '../../naming/casing.ts'
import type { AcceptedList, ResourceModel } from '../model.ts'
import { type NameOf, ruleSentence } from './rule-sentence.ts'

/** `May be named by its owner. Must have the same project.` */
export function referenceSentence(resource: ResourceModel, field: string, nameOf: NameOf): string {
  const relation = resource.relations.get(field)
  if (relation?.kind !== 'one') return ''
  const { into, same, target } = relation
  return [
    into === null ? [] : namedBy(into, target, nameOf),
    same.length === 0 ? [] : `Must have the same ${same.map(words).join(' and ')} as the ${words(resource.name)}.`,
  ]
    .flat()
    .join(' ')
}

/** ` May be named by its owner.`, after a space; empty without a rule. */
export const linkSentence = ({ into, relation: { target } }: AcceptedList, nameOf: NameOf): string =>
  into === null ? '' : ` ${namedBy(into, target, nameOf)}`

const namedBy = (into: RuleNode, target: ResourceModel, nameOf: NameOf): string =>
  `May be named by ${ruleSentence(into, target, nameOf)}.`
