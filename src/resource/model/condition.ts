// A rule with everything known about the actor's class filled in: what remains to be asked of a record. store/sql/condition.ts
// asks it of the database; `holds` tests in memory what asks for nothing but the record's own values.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import {
  type Actor,
  type Asker,
  actorOf,
  codeClassOf,
  isService,
  type Requester,
  roleClassOf,
  theService,
} from '../actor.ts'
import { writeValue } from '../field/registry.ts'
import type { TokenSpec } from '../field/secret.ts'
import type { WhereTest } from '../language/filter.ts'
import type { Membership, RuleNode } from '../language/rule.ts'
import { usesField } from '../naming/casing.ts'
import { permission } from '../naming/permission.ts'
import type { Column } from './column.ts'
import { type Comparison, type Operand, operandOf, testsOf } from './comparison.ts'
import type { LinkRelation, ManyRelation, OneRelation, ResourceModel, SearchDocument, SearchModel } from './model.ts'

export type Condition =
  | { readonly is: 'always' | 'never' }
  /** The column holds the hash of the access code that the request shows. */
  | { readonly is: 'code'; readonly column: Column }
  /** The column holds the id of the actor: of the account, or of the tenant whose key it is. */
  | { readonly is: 'actor'; readonly column: Column }
  | { readonly is: 'equal'; readonly column: Column; readonly value: unknown }
  | { readonly is: 'present' | 'absent'; readonly column: Column }
  /** The record that this relation names exists, and the condition holds for it. */
  | { readonly is: 'related'; readonly relation: OneRelation; readonly condition: Condition }
  /** The condition holds for a record of this list. */
  | { readonly is: 'some'; readonly relation: ManyRelation | LinkRelation; readonly condition: Condition }
  /** The column compares so with something that is no value of the definition, or by its order. Does not hold where either is null. */
  | {
      readonly is: 'compare'
      readonly column: Column
      readonly test: WhereTest
      readonly operand: Operand
      /** What must hold of the actor's account, so that a value of it is there to compare with. */
      readonly ofAccount?: Condition
    }
  /** The record answers the search whose values the request brings. */
  | { readonly is: 'match'; readonly search: SearchSight }
  | { readonly is: 'not'; readonly of: Condition }
  | { readonly is: 'any' | 'all'; readonly of: readonly Condition[] }

/** Words that stand side by side. */
export interface SearchTerm {
  readonly isExcluded: boolean
  readonly tokens: readonly string[]
  /** The same where other words follow. */
  readonly followed: readonly string[]
  /** Whether the last token may be the beginning of one … */
  readonly begins: boolean
  /** … because the last word is not written to its end. */
  readonly mayGoOn: boolean
  /** What is looked for in words, with spaces between them; null where it is too short for that. */
  readonly part: string | null
}

/** What decides the SQL of a search. */
export interface SearchShape {
  readonly model: SearchModel
  readonly terms: readonly SearchTermShape[]
  /** How many matches, the newest, are put in the order of their relevance. */
  readonly rankedMax: number
}
export interface SearchTermShape {
  readonly isExcluded: boolean
  readonly isSequence: boolean
  readonly mayGoOn: boolean
  readonly hasPart: boolean
}

/** The same for actors of one class. */
export interface SearchSight extends SearchShape {
  /** The documents, and which of their records the reader may read. */
  readonly visible: readonly { readonly document: SearchDocument; readonly condition: Condition }[]
}

export const always: Condition = { is: 'always' }
export const never: Condition = { is: 'never' }

/**
 * What is left of a rule for actors of one class: signed in or not, with which role, and whether an access code is shown. The
 * actor's id and the code stay open, so the answer may be kept for all of that class. Every rule holds for the service itself.
 */
export function fold(rule: RuleNode, resource: ResourceModel, actor: Asker): Condition {
  if (isService(actor)) return actor === theService ? always : insideOf(resource, actor.inside)
  const actorClass = classOf(actor)
  return folded.get(resource)?.get(rule)?.get(actorClass) ?? foldFirst(rule, resource, actor, actorClass)
}

/** That a record is in this tenant, where records of its resource are in such tenants. */
const insideOf = (resource: ResourceModel, { resource: tenant }: { readonly resource: string }): Condition =>
  getOrInsert(
    getOrInsert(inside, resource, () => new Map<string, Condition>()),
    tenant,
    () => {
      const { name, column, tenants, relations } = resource
      const mine =
        name === tenant ? column.get('id') : tenants.find(({ field }) => relationTarget(relations, field) === tenant)
      return mine === undefined ? always : { is: 'actor', column: mine }
    },
  )
const inside = new WeakMap<ResourceModel, Map<string, Condition>>()
const relationTarget = (relations: ResourceModel['relations'], field: string): string | undefined =>
  relations.get(field)?.target.name

function foldFirst(rule: RuleNode, resource: ResourceModel, requester: Requester, ofActor: string): Condition {
  const ofResource = getOrInsert(folded, resource, () => new Map<RuleNode, Map<string, Condition>>())
  const byClass = getOrInsert(ofResource, rule, () => new Map<string, Condition>())
  return getOrInsert(byClass, ofActor, () => foldNow(rule, resource, requester))
}
// Lives as long as the model; rules and roles are few. A rule value may stand in several resources, so both are keys.
const folded = new WeakMap<ResourceModel, Map<RuleNode, Map<string, Condition>>>()

function classOf(requester: Requester): string {
  const actor = actorOf(requester)
  return (actor === null ? '' : roleClassOf(actor)) + codeClassOf(requester)
}

function foldNow(rule: RuleNode, resource: ResourceModel, requester: Requester): Condition {
  const actor = actorOf(requester)
  switch (rule.rule) {
    case 'anyone':
      return always
    case 'nobody':
      return never
    case 'signedIn':
      return actor === null ? never : always
    case 'role':
      return actor !== null && actor.role !== null && rule.roles.includes(actor.role) ? always : never
    case 'self':
      return isAccount(actor) ? { is: 'actor', column: resource.column.get('id')! } : never
    case 'own':
      return isAccount(actor) ? { is: 'actor', column: resource.column.get(rule.relation)! } : never
    case 'hasToken':
      return tokenCondition(rule.field, resource, codeClassOf(requester))
    case 'readable': {
      const relation = resource.relations.get(rule.relation) as OneRelation
      const condition = fold(relation.target.read.allow, relation.target, requester)
      return condition.is === 'never' ? never : { is: 'related', relation, condition }
    }
    case 'through': {
      const relation = resource.relations.get(rule.relation) as OneRelation
      const condition = fold(rule.of, relation.target, requester)
      if (condition.is === 'never') return never
      const related: Condition = { is: 'related', relation, condition }
      // That the tenant is the key's own is said of the relation too, so that an index leads to the records.
      const isTenant = actor?.tenant !== undefined && condition.is === 'actor' && condition.column.field === 'id'
      return isTenant ? allOf([{ is: 'actor', column: relation.column }, related]) : related
    }
    case 'some': {
      if (rule.member !== undefined && actor?.tenant !== undefined) return keyMembership(rule.member, resource, actor)
      const relation = resource.relations.get(rule.list) as ManyRelation | LinkRelation
      const condition = fold(rule.of, relation.target, requester)
      return condition.is === 'never' ? never : { is: 'some', relation, condition }
    }
    case 'not':
      return not(fold(rule.of, resource, requester))
    case 'when':
      return allOf(
        Object.entries(rule.values).map(([field, expectation]) => whenOne(field, expectation, resource, actor)),
      )
    case 'may':
      return foldMay(rule, resource, requester)
    case 'confined':
      return allOf([confinement(rule.to, resource, actor), fold(rule.of, resource, requester)])
    case 'anyOf':
      return anyOf(rule.rules.map((each) => fold(each, resource, requester)))
    case 'allOf':
      return allOf(rule.rules.map((each) => fold(each, resource, requester)))
  }
}

/** Keys that belong to tenants are no accounts: nothing is theirs. */
const isAccount = (actor: Actor | null): actor is Actor => actor !== null && actor.id !== null

/** Whether a key is a member of the tenant that this record is. */
function keyMembership(
  { tenant, roles, under }: Membership,
  resource: ResourceModel,
  { tenant: mine }: Actor,
): Condition {
  if (mine!.resource === under) return always
  if (mine!.resource !== tenant || (roles !== null && !roles.includes(mine!.role))) return never
  return { is: 'actor', column: resource.column.get('id')! }
}

/** What a key of a tenant asks of every record: that it is in this tenant. */
function confinement(
  to: Readonly<Record<string, string | null>>,
  resource: ResourceModel,
  actor: Actor | null,
): Condition {
  if (actor?.tenant === undefined) return always
  if (!Object.hasOwn(to, actor.tenant.resource)) return never
  return { is: 'actor', column: resource.column.get(to[actor.tenant.resource] ?? 'id')! }
}

/** The token is shown, has not ended, and is left some use, except to whoever is answered again. (contract 10.1.17, 10.1.18) */
function tokenCondition(
  field: string,
  { column: columns }: ResourceModel,
  codeClass: ReturnType<typeof codeClassOf>,
): Condition {
  if (codeClass === '') return never
  const column = columns.get(field)!
  const { until, maxUses } = column.spec as TokenSpec
  const hasEnded: Condition =
    until === undefined
      ? never
      : { is: 'compare', column: columns.get(until)!, test: 'atMost', operand: { from: 'now', shiftMs: 0 } }
  const isUsedUp: Condition =
    maxUses === undefined || codeClass === ' replay'
      ? never
      : {
          is: 'compare',
          column: columns.get(usesField(field))!,
          test: 'atLeast',
          operand: { from: 'constant', value: maxUses },
        }
  return allOf([{ is: 'code', column }, not(hasEnded), not(isUsedUp)])
}

type May = Extract<RuleNode, { rule: 'may' }>
function foldMay({ verb, mine }: May, resource: ResourceModel, requester: Requester): Condition {
  const actor = actorOf(requester)
  if (actor === null) return never
  const holds = (word: string) => actor.permissions.has(permission(resource.path, word))
  if (holds(verb) || holds(`${verb}_any`)) return always
  return mine !== null && holds(`${verb}_own`) ? fold(mine, resource, requester) : never
}

function whenOne(field: string, expectation: unknown, resource: ResourceModel, actor: Actor | null): Condition {
  const column = resource.column.get(field)!
  if (typeof expectation === 'object' && expectation !== null && 'present' in expectation) {
    return { is: expectation.present ? 'present' : 'absent', column }
  }
  if (expectation === null) return { is: 'absent', column }
  return anyOf(testsOf(expectation).map((each) => compare(column, each, resource, actor)))
}

function compare(
  column: Column,
  { test, source }: Comparison,
  resource: ResourceModel,
  actor: Actor | null,
): Condition {
  // Nobody has no account, and nothing compares with what is not there.
  if (source.from === 'me' && !isAccount(actor)) return never
  if (test === 'is' && source.from === 'constant') return { is: 'equal', column, value: source.value }
  return { is: 'compare', column, test, operand: operandOf(source, resource) }
}

export function not(condition: Condition): Condition {
  if (condition.is === 'always') return never
  if (condition.is === 'never') return always
  // An index finds what has no value, and not what has not one.
  if (condition.is === 'present') return { is: 'absent', column: condition.column }
  if (condition.is === 'absent') return { is: 'present', column: condition.column }
  return condition.is === 'not' ? condition.of : { is: 'not', of: condition }
}

export function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.some((each) => each.is === 'always')) return always
  const left = conditions.flatMap((each) => (each.is === 'any' ? each.of : each.is === 'never' ? [] : [each]))
  return left.length === 0 ? never : left.length === 1 ? left[0]! : { is: 'any', of: left }
}

export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.some((each) => each.is === 'never')) return never
  const left = conditions.flatMap((each) => (each.is === 'all' ? each.of : each.is === 'always' ? [] : [each]))
  return left.length === 0 ? always : left.length === 1 ? left[0]! : { is: 'all', of: left }
}

/** The same of a record that is yet to be made: nobody shows its token. */
export function ofNewRecord(condition: Condition): Condition {
  switch (condition.is) {
    case 'code':
      return never
    case 'not':
      return not(ofNewRecord(condition.of))
    case 'any':
      return anyOf(condition.of.map(ofNewRecord))
    case 'all':
      return allOf(condition.of.map(ofNewRecord))
    default:
      return condition
  }
}

/** The conditions inside this one, whichever record they are about. */
export function innerConditions(condition: Condition): readonly Condition[] {
  switch (condition.is) {
    case 'not':
      return [condition.of]
    case 'any':
    case 'all':
      return condition.of
    case 'related':
    case 'some':
      return [condition.condition]
    case 'compare':
      return condition.ofAccount === undefined ? none : [condition.ofAccount]
    default:
      return none
  }
}
const none: readonly Condition[] = []

/** Whether `holds` can tell: it asks for no other record, no time, no order and no code. */
export const isPlain = (condition: Condition): boolean =>
  !databaseOnly.has(condition.is) && innerConditions(condition).every(isPlain)
const databaseOnly: ReadonlySet<Condition['is']> = new Set(['related', 'some', 'compare', 'code', 'match'])

/** Tests one record, a value for each column, in memory. Expects a plain condition. */
export function holds(condition: Condition, record: (column: Column) => unknown, actorId: string | null): boolean {
  switch (condition.is) {
    case 'always':
      return true
    case 'never':
      return false
    case 'actor':
      return actorId !== null && record(condition.column) === actorId
    case 'equal':
      return isSame(condition.column, record(condition.column), condition.value)
    case 'present':
      return record(condition.column) !== null
    case 'absent':
      return record(condition.column) === null
    case 'not':
      return !holds(condition.of, record, actorId)
    case 'any':
      return condition.of.some((each) => holds(each, record, actorId))
    case 'all':
      return condition.of.every((each) => holds(each, record, actorId))
    default:
      throw new Error(`Only the database can tell whether ${condition.is} holds.`)
  }
}
/** Whether two values of a column are one. */
export const isSame = ({ spec }: Column, left: unknown, right: unknown): boolean =>
  left === right || writeValue(spec, left) === writeValue(spec, right)
