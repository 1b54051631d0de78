// A rule's third reading: for people, in the documentation that is made of the definition. (contract 5.4)

import type { RuleNode } from '../language/rule.ts'
import { permission } from '../naming/permission.ts'
import type { QueryModel, ResourceModel } from './model.ts'

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
      return `anyone, while ${valuesSentence(rule.values, nameOf)}`
    case 'may':
      return maySentence(rule, resource, nameOf)
    case 'anyOf':
      return rule.rules.map((each) => ruleSentence(each, resource, nameOf)).join('; ')
    case 'allOf':
      return allSentence(rule.rules, resource, nameOf)
  }
}

/** Who may ask, and what they are told of: `anyone; only tracks readable by its artist`. */
export function askerSentence({ allow, resource }: QueryModel, nameOf: NameOf): string {
  const asks = ruleSentence(allow, resource, nameOf)
  return resource.isPublic
    ? asks
    : `${asks}; only ${resource.path} readable by ${ruleSentence(resource.read.allow, resource, nameOf)}`
}

function valuesSentence(values: Readonly<Record<string, unknown>>, nameOf: NameOf): string {
  return Object.entries(values)
    .map(([field, value]) => `${nameOf(field)} is ${valueSentence(value)}`)
    .join(' and ')
}

function valueSentence(value: unknown): string {
  if (value === null) return 'not set'
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object' && 'present' in value) return value.present ? 'set' : 'not set'
  return String(value)
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

/** First who, then while what: `its author, while status is draft`. */
function allSentence(rules: readonly RuleNode[], resource: ResourceModel, nameOf: NameOf): string {
  const who = rules
    .filter((each) => each.rule !== 'when')
    .map((each) => {
      const sentence = ruleSentence(each, resource, nameOf)
      return sentence.includes('; ') || sentence.includes(', while ') ? `(${sentence})` : sentence
    })
  const whiles = rules.flatMap((each) => (each.rule === 'when' ? [valuesSentence(each.values, nameOf)] : []))
  const callers = who.length === 0 ? 'anyone' : who.join(', and only ')
  return whiles.length === 0 ? callers : `${callers}, while ${whiles.join(' and ')}`
}
