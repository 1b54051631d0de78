// Describes rules, and the records of queries, for people, in the generated documentation. (contract 5.4)

import type { TokenSpec } from '../../field/secret.ts'
import type { GivenSource } from '../../language/placeholder.ts'
import type { Membership, RuleNode } from '../../language/rule/rule.ts'
import { isAboveList, words } from '../../naming/casing.ts'
import { permission } from '../../naming/permission.ts'
import type { AcceptedList, QueryModel, ResourceModel } from '../model.ts'
import type { Scope } from '../scope.ts'
import type { Vocabulary } from '../vocabulary.ts'
import { comparisonSentence, constantSentence, momentSentence, testVerbs } from './comparison-sentence.ts'

export type NameOf = Vocabulary['name']

/** Such as `anyone, while published_at is set; its author; holders of posts:publish`. */
export function ruleSentence(rule: RuleNode, resource: ResourceModel, nameOf: NameOf): string {
  const membership = membershipIn(rule)
  if (membership !== null) return memberSentence(membership)
  switch (rule.rule) {
    case 'anyone':
      return 'anyone'
    case 'nobody':
      return 'nobody'
    case 'signedIn':
      return 'anyone who is signed in'
    case 'fresh':
      return freshSentence(rule.seconds)
    case 'role':
      return `anyone with the role ${rule.roles.join(' or ')}`
    case 'self':
      return 'the account itself'
    case 'own':
      return `its ${nameOf(resource, rule.relation)}`
    case 'hasToken':
      return tokenSentence(rule.field, resource, nameOf)
    case 'readable':
      return `readers of its ${nameOf(resource, rule.relation)}`
    case 'through':
      return throughSentence(rule, resource, nameOf)
    case 'some':
      return `for one of its ${nameOf(resource, rule.list)}, ${insideSentence(rule.of, rule.list, resource, nameOf)}`
    case 'confined':
      return ruleSentence(rule.of, resource, nameOf)
    case 'not':
      return notSentence(rule.of, resource, nameOf)
    case 'when':
      return `anyone, while ${valuesSentence(rule.values, resource, nameOf)}`
    case 'may':
      return maySentence(rule, resource, nameOf)
    case 'anyOf':
      return rule.rules.map((each) => ruleSentence(each, resource, nameOf)).join('; ')
    case 'allOf':
      return allSentence(rule.rules, resource, nameOf)
  }
}

function throughSentence({ relation, of }: Through, resource: ResourceModel, nameOf: NameOf): string {
  if (of.rule === 'some' && isAboveList(of.list))
    return `for any ${words(resource.name)} above it, ${insideSentence(of.of, of.list, resource, nameOf)}`
  return `for its ${nameOf(resource, relation)}, ${insideSentence(of, relation, resource, nameOf)}`
}
type Through = Extract<RuleNode, { rule: 'through' }>

export const freshSentence = (seconds: number): string => {
  const minutes = seconds / 60
  return `anyone who signed in within the last ${minutes === 1 ? 'minute' : `${minutes} minutes`}`
}

/** Null if it requires more; the inner one for nested tenants. */
export function membershipIn(rule: RuleNode): Membership | null {
  if (rule.rule === 'some') return rule.member ?? null
  if (rule.rule === 'through') return membershipIn(rule.of)
  if (rule.rule !== 'allOf') return null
  const parts = rule.rules.map(membershipIn)
  const own = parts.filter((each) => each?.under === undefined)
  return own.length === 1 && !parts.includes(null) ? own[0]! : null
}

/** `members of the organization who are OWNER or AGENT`, or whose role there grants the permission. */
function memberSentence({ tenant, roles, granted, secondFactorIf }: Membership): string {
  const members = `members of the ${words(tenant)}`
  const factor = secondFactorIf === undefined ? '' : ', with a second factor if it requires one'
  if (roles === null) return members + factor
  return granted === undefined
    ? `${members} who are ${roles.join(' or ')}${factor}`
    : `${members} whose role there grants ${granted} (${roles.join(', ')})${factor}`
}

/** `anyone; only tracks readable by its artist`. */
export function callerSentence({ allow, resource }: QueryModel, nameOf: NameOf): string {
  const sentence = ruleSentence(allow, resource, nameOf)
  return resource.isPublic
    ? sentence
    : `${sentence}; only ${resource.path} readable by ${ruleSentence(resource.read.allow, resource, nameOf)}`
}

/** `whoever shows its code until expires_at, for at most 3 writes`. */
function tokenSentence(field: string, resource: ResourceModel, nameOf: NameOf): string {
  const { until, maxUses } = resource.column.get(field)!.spec as TokenSpec
  const end = until === undefined ? '' : ` until ${nameOf(resource, until)}`
  const uses = maxUses === undefined ? '' : `, for ${maxUses === 1 ? 'one write' : `at most ${maxUses} writes`}`
  return `anyone with its ${nameOf(resource, field)}${end}${uses}`
}

function insideSentence(rule: RuleNode, relation: string, { relations }: ResourceModel, nameOf: NameOf): string {
  return parenthesised(ruleSentence(rule, relations.get(relation)!.target, nameOf))
}

function notSentence(rule: RuleNode, resource: ResourceModel, nameOf: NameOf): string {
  if (rule.rule === 'when') return `anyone, unless ${valuesSentence(rule.values, resource, nameOf)}`
  return `anyone but ${parenthesised(ruleSentence(rule, resource, nameOf))}`
}

const parenthesised = (sentence: string): string =>
  ['; ', ', while ', ', unless ', ', and only '].some((each) => sentence.includes(each)) ? `(${sentence})` : sentence

function valuesSentence(values: Readonly<Record<string, unknown>>, resource: ResourceModel, nameOf: NameOf): string {
  const name = (field: string) => nameOf(resource, field)
  const mine = (field: string) => nameOf(resource.account.resource, field)
  return Object.entries(values)
    .map(([field, said]) => `${name(field)} ${comparisonSentence(said, name, mine)}`)
    .join(' and ')
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

/** `its author, while status is draft`. */
function allSentence(rules: readonly RuleNode[], resource: ResourceModel, nameOf: NameOf): string {
  const who = rules
    .filter((each) => each.rule !== 'when' && membershipIn(each)?.under === undefined)
    .map((each) => parenthesised(ruleSentence(each, resource, nameOf)))
  const whiles = rules.flatMap((each) => (each.rule === 'when' ? [valuesSentence(each.values, resource, nameOf)] : []))
  const callers = who.length === 0 ? 'anyone' : who.join(', and only ')
  return whiles.length === 0 ? callers : `${callers}, while ${whiles.join(' and ')}`
}

/**
 * What a relation requires of the record that clients name: `May be named by its owner. Must have the same project.` (contract
 * 10.1.12, 10.1.13)
 */
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

/** ` May be named by its owner.`, after a space; empty without a rule. (contract 13.1.26) */
export const linkSentence = ({ into, relation: { target } }: AcceptedList, nameOf: NameOf): string =>
  into === null ? '' : ` ${namedBy(into, target, nameOf)}`

const namedBy = (into: RuleNode, target: ResourceModel, nameOf: NameOf): string =>
  `May be named by ${ruleSentence(into, target, nameOf)}.`

/** `plays is at least min_plays, and aired_at is at least 7 days before now`. */
export function scopeSentence({ scope, args, resource }: QueryModel, { name, part }: Vocabulary): string {
  if (scope === null) return 'it finds them, in its own order'
  const specs = new Map(args.map((each) => [each.name, each.spec]))
  return conditionSentence(scope, resource, name, (arg) => part(arg, specs.get(arg)!))
}

type ArgumentName = (of: string) => string

function conditionSentence(scope: Scope, resource: ResourceModel, nameOf: NameOf, argumentName: ArgumentName): string {
  switch (scope.is) {
    case 'rule':
      return ruleSentence(scope.rule, resource, nameOf).replace(/^anyone, while /, '')
    case 'test': {
      const value = givenSentence(scope.value, argumentName)
      return `${nameOf(resource, scope.column.field)} ${testVerbs[scope.test]} ${value}`
    }
    default: {
      const parts = scope.of.map((each) => conditionSentence(each, resource, nameOf, argumentName))
      return parts.length === 1 ? parts[0]! : `(${parts.join(scope.is === 'any' ? ' or ' : ' and ')})`
    }
  }
}

function givenSentence(source: GivenSource, argumentName: ArgumentName): string {
  if (source.from === 'argument') return argumentName(source.name)
  return source.from === 'now' ? momentSentence(source, argumentName) : constantSentence(source.value)
}
