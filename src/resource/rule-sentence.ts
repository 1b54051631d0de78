// A rule's third reading: for people, in the documentation that is made of the definition. (contract 5.12)

import type { ResourceModel } from './model.ts'
import { permission } from './permission.ts'
import type { RuleNode } from './rule.ts'

/** What a face calls the fields of a resource. */
type NameOf = (field: string) => string

/** Who may, such as `anyone, while published_at is set; its author; holders of posts:publish`. */
export function ruleSentence(rule: RuleNode, resource: ResourceModel, nameOf: NameOf): string {
  switch (rule.rule) {
    case 'anyone':
      return 'anyone'
    case 'nobody':
      return 'nobody'
    case 'signedIn':
      return 'anyone who is signed in'
    case 'self':
      return 'the account itself'
    case 'own':
      return `its ${nameOf(rule.relation)}`
    case 'readable':
      return `whoever may read its ${nameOf(rule.relation)}`
    case 'when':
      return `anyone, while ${Object.entries(rule.values)
        .map(([field, value]) => isSentence(nameOf(field), value))
        .join(' and ')}`
    case 'may':
      return maySentence(rule, resource, nameOf)
    case 'anyOf':
      return rule.rules.map((each) => ruleSentence(each, resource, nameOf)).join('; ')
    case 'allOf':
      return rule.rules.map((each) => ruleSentence(each, resource, nameOf)).join(', and only ')
  }
}

function isSentence(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && 'present' in value) {
    return `${name} is ${value.present ? 'set' : 'not set'}`
  }
  return `${name} is ${value === null ? 'not set' : String(value)}`
}

function maySentence(
  { verb, mine }: Extract<RuleNode, { rule: 'may' }>,
  resource: ResourceModel,
  nameOf: NameOf,
): string {
  if (mine === null) return `holders of ${permission(resource.path, verb)}`
  const own = `with ${permission(resource.path, `${verb}_own`)} ${ruleSentence(mine, resource, nameOf)}`
  return `${own}; holders of ${permission(resource.path, `${verb}_any`)}`
}
