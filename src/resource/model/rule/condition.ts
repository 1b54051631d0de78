// A condition: what remains of a rule for a class of actors. Tested by store/sql/condition.ts, or in memory by `holds`.

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import {
  type Actor,
  actorOf,
  type Caller,
  type Confinement,
  codeClassOf,
  codeHashOf,
  type Guest,
  hasSeveralCodes,
  isService,
  type Requester,
  roleClassOf,
  theService,
} from '../../actor.ts'
import { writeValue } from '../../field/registry.ts'
import type { TokenSpec } from '../../field/secret.ts'
import type { WhereTest } from '../../language/rule/filter.ts'
import type { Membership, RuleNode } from '../../language/rule/rule.ts'
import { usesField } from '../../naming/casing.ts'
import { permission } from '../../naming/permission.ts'
import type { Column } from '../column.ts'
import type { LinkRelation, ManyRelation, OneRelation, ResourceModel, SearchDocument, SearchModel } from '../model.ts'
import { type Comparison, type Operand, operandOf, testsOf } from './comparison.ts'

export type Condition =
  | { readonly is: 'always' | 'never' }
  /** `isAmong`: the caller shows several codes. */
  | { readonly is: 'code'; readonly column: Column; readonly isAmong: boolean }
  | { readonly is: 'actor'; readonly column: Column }
  | { readonly is: 'equal'; readonly column: Column; readonly value: unknown }
  | { readonly is: 'present' | 'absent'; readonly column: Column }
  | { readonly is: 'related'; readonly relation: OneRelation; readonly condition: Condition }
  | { readonly is: 'some'; readonly relation: ManyRelation | LinkRelation; readonly condition: Condition }
  /** By order, or with an operand that is no constant. False if either side is null. */
  | {
      readonly is: 'compare'
      readonly column: Column
      readonly test: WhereTest
      readonly operand: Operand
      readonly ofAccount?: Condition
    }
  | { readonly is: 'match'; readonly search: VisibleSearch }
  | { readonly is: 'not'; readonly of: Condition }
  | { readonly is: 'any' | 'all'; readonly of: readonly Condition[] }

export interface SearchTerm {
  readonly isExcluded: boolean
  readonly tokens: readonly string[]
  /** The tokens if other words follow. */
  readonly followed: readonly string[]
  /** Whether the last token may be a prefix … */
  readonly begins: boolean
  /** … because the last word may be unfinished. */
  readonly mayGoOn: boolean
  readonly part: string
  /** It is too short for that, and found where words begin. */
  readonly isPartShort: boolean
}

export interface SearchShape {
  readonly model: SearchModel
  readonly terms: readonly SearchTermShape[]
  readonly rankedMax: number
}
export interface SearchTermShape {
  readonly isExcluded: boolean
  readonly isSequence: boolean
  readonly mayGoOn: boolean
}

export interface VisibleSearch extends SearchShape {
  readonly visible: readonly { readonly document: SearchDocument; readonly condition: Condition }[]
}

export const always: Condition = { is: 'always' }
export const never: Condition = { is: 'never' }

/**
 * Reduces a rule for one class of actors. The actor's id and the code stay variables, so the result is cached per class. For
 * the service every rule holds.
 */
export function fold(rule: RuleNode, resource: ResourceModel, actor: Caller): Condition {
  if (isService(actor)) return actor === theService ? always : insideOf(resource, actor.inside)
  const tenant = actorOf(actor)?.confinedTo
  // Not cached, since there are as many classes as tenants.
  if (tenant !== undefined) return narrowed(rule, resource, tenant, foldNow(rule, resource, actor))
  const actorClass = classOf(actor)
  return folded.get(resource)?.get(rule)?.get(actorClass) ?? foldFirst(rule, resource, actor, actorClass)
}

/** Only what anyone may read is not restricted to the tenant. (contract 10.2.19) */
function narrowed(rule: RuleNode, resource: ResourceModel, tenant: Confinement, condition: Condition): Condition {
  const isNarrowed = ['anyone', 'anyOf', 'allOf', 'confined'].includes(rule.rule)
  if (isNarrowed || (resource.tenants.length === 0 && resource.members === null)) return condition
  const around = tenant.around[resource.name]
  if (around !== undefined)
    return allOf([{ is: 'equal', column: resource.column.get('id')!, value: around }, condition])
  const inside = insideOf(resource, tenant)
  if (inside.is !== 'actor') return never
  return allOf([{ is: 'equal', column: inside.column, value: tenant.id }, condition])
}

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
// A rule object may be used by several resources, so both are keys.
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
    // How long ago they signed in is tested once per request. (contract 5.10.3)
    case 'fresh':
      return actor === null ? never : always
    case 'role':
      return actor !== null && actor.role !== null && rule.roles.includes(actor.role) ? always : never
    case 'self':
      return isAccount(actor) ? { is: 'actor', column: resource.column.get('id')! } : never
    case 'own':
      return isAccount(actor) ? { is: 'actor', column: resource.column.get(rule.relation)! } : never
    case 'hasToken':
      return tokenCondition(rule.field, resource, requester)
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
      // Repeating the tenant's id on the relation lets an index find the records.
      const isTenant = actor?.tenant !== undefined && condition.is === 'actor' && condition.column.field === 'id'
      return isTenant ? allOf([{ is: 'actor', column: relation.column }, related]) : related
    }
    case 'some': {
      if (rule.member !== undefined && actor?.tenant !== undefined) return keyMembership(rule.member, resource, actor)
      const relation = resource.relations.get(rule.list) as ManyRelation | LinkRelation
      // Membership includes tenants around this one, whose lists a narrowed key cannot read.
      const condition = fold(rule.of, relation.target, rule.member === undefined ? requester : unconfined(requester))
      if (condition.is === 'never') return never
      return allOf([...factorCondition(rule.member, resource, actor), { is: 'some', relation, condition }])
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

function unconfined(requester: Requester): Requester {
  const actor = actorOf(requester)
  if (actor?.confinedTo === undefined) return requester
  const { confinedTo, ...rest } = actor
  return rest
}

const isAccount = (actor: Actor | null): actor is Actor => actor !== null && actor.id !== null

function keyMembership(
  { tenant, roles, under }: Membership,
  resource: ResourceModel,
  { tenant: mine }: Actor,
): Condition {
  if (mine!.resource === under) return always
  if (mine!.resource !== tenant || (roles !== null && !roles.includes(mine!.role))) return never
  return { is: 'actor', column: resource.column.get('id')! }
}

/** Without a second factor, one is no member of a tenant that requires it. (contract 10.2.23) */
const factorCondition = (
  member: Membership | undefined,
  { column }: ResourceModel,
  actor: Actor | null,
): readonly Condition[] =>
  member?.secondFactorIf === undefined || actor?.isSingleFactor !== true
    ? []
    : [{ is: 'equal', column: column.get(member.secondFactorIf)!, value: false }]

function confinement(
  to: Readonly<Record<string, string | null>>,
  resource: ResourceModel,
  actor: Actor | null,
): Condition {
  if (actor?.tenant === undefined) return always
  if (!Object.hasOwn(to, actor.tenant.resource)) return never
  return { is: 'actor', column: resource.column.get(to[actor.tenant.resource] ?? 'id')! }
}

/** The token matches, has not expired, and has a use left (replays need none). (contract 10.1.17, 10.1.18) */
function tokenCondition(field: string, { column: columns }: ResourceModel, requester: Requester): Condition {
  if (codeHashOf(requester) === null) return never
  const column = columns.get(field)!
  const { until, maxUses } = column.spec as TokenSpec
  const hasEnded: Condition =
    until === undefined
      ? never
      : { is: 'compare', column: columns.get(until)!, test: 'atMost', operand: { from: 'now', shiftMs: 0 } }
  const isUsedUp: Condition =
    maxUses === undefined || (requester as Guest).replays === true
      ? never
      : {
          is: 'compare',
          column: columns.get(usesField(field))!,
          test: 'atLeast',
          operand: { from: 'constant', value: maxUses },
        }
  return allOf([{ is: 'code', column, isAmong: hasSeveralCodes(requester) }, not(hasEnded), not(isUsedUp)])
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
  // Without an account, a comparison with one fails.
  if (source.from === 'me' && !isAccount(actor)) return never
  if (test === 'is' && source.from === 'constant') return { is: 'equal', column, value: source.value }
  return { is: 'compare', column, test, operand: operandOf(source, resource) }
}

export function not(condition: Condition): Condition {
  if (condition.is === 'always') return never
  if (condition.is === 'never') return always
  // An index serves `absent`, but not the negation of `present`.
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

/** For a record not yet created: its token is unknown to everyone. */
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

/** Whether `holds` can test it: needs no other record, time, order or code. */
export const isPlain = (condition: Condition): boolean =>
  !databaseOnly.has(condition.is) && innerConditions(condition).every(isPlain)
const databaseOnly: ReadonlySet<Condition['is']> = new Set(['related', 'some', 'compare', 'code', 'match'])

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
      throw new Error(`Only the database can decide whether ${condition.is} holds.`)
  }
}
export const isSame = ({ spec }: Column, left: unknown, right: unknown): boolean =>
  left === right || writeValue(spec, left) === writeValue(spec, right)
