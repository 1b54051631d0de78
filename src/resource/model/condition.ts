// A rule with everything known about the actor's class filled in: what remains to be asked of a record.
// It has two readings that must agree: `holds` tests one record, store/sql/condition.ts narrows a list.

import { getOrInsert } from '../../get-or-insert.ts'
import { type Actor, type Asker, theService } from '../actor.ts'
import type { RuleNode } from '../language/rule.ts'
import { permission } from '../naming/permission.ts'
import type { Column, OneRelation, ResourceModel } from './model.ts'

export type Condition =
  | { readonly is: 'always' | 'never' }
  /** The column holds the actor's id. */
  | { readonly is: 'actor'; readonly column: Column }
  | { readonly is: 'equal'; readonly column: Column; readonly value: unknown }
  | { readonly is: 'present' | 'absent'; readonly column: Column }
  /** The record that this relation names exists, and the condition holds for it. */
  | { readonly is: 'related'; readonly relation: OneRelation; readonly condition: Condition }
  | { readonly is: 'any' | 'all'; readonly of: readonly Condition[] }

export const always: Condition = { is: 'always' }
export const never: Condition = { is: 'never' }

/**
 * What is left of a rule for actors of one class: signed in or not, and with which role. The actor's id stays open,
 * so the answer may be kept for all of that class. Every rule holds for the service itself.
 */
export function fold(rule: RuleNode, resource: ResourceModel, actor: Asker): Condition {
  if (actor === theService) return always
  const ofResource = getOrInsert(folded, resource, () => new Map<RuleNode, Map<string, Condition>>())
  const byRole = getOrInsert(ofResource, rule, () => new Map<string, Condition>())
  return getOrInsert(byRole, actor === null ? '' : `+${actor.role}`, () => foldNow(rule, resource, actor))
}
// Lives as long as the model; rules and roles are few. A rule value may stand in several resources, so both are keys.
const folded = new WeakMap<ResourceModel, Map<RuleNode, Map<string, Condition>>>()

function foldNow(rule: RuleNode, resource: ResourceModel, actor: Actor | null): Condition {
  switch (rule.rule) {
    case 'anyone':
      return always
    case 'nobody':
      return never
    case 'signedIn':
      return actor === null ? never : always
    case 'self':
      return actor === null ? never : { is: 'actor', column: resource.column.get('id')! }
    case 'own':
      return actor === null ? never : { is: 'actor', column: resource.column.get(rule.relation)! }
    case 'readable': {
      const relation = resource.relations.get(rule.relation) as OneRelation
      const condition = fold(relation.target.read.allow, relation.target, actor)
      return condition.is === 'never' ? never : { is: 'related', relation, condition }
    }
    case 'when':
      return allOf(Object.entries(rule.values).map(([field, value]) => whenOne(resource.column.get(field)!, value)))
    case 'may':
      return foldMay(rule.verb, rule.mine, resource, actor)
    case 'anyOf':
      return anyOf(rule.rules.map((each) => fold(each, resource, actor)))
    case 'allOf':
      return allOf(rule.rules.map((each) => fold(each, resource, actor)))
  }
}

function foldMay(verb: string, mine: RuleNode | null, resource: ResourceModel, actor: Actor | null): Condition {
  if (actor === null) return never
  const holds = (word: string) => actor.permissions.has(permission(resource.path, word))
  if (holds(verb) || holds(`${verb}_any`)) return always
  return mine !== null && holds(`${verb}_own`) ? fold(mine, resource, actor) : never
}

function whenOne(column: Column, value: unknown): Condition {
  if (typeof value === 'object' && value !== null && 'present' in value) {
    return { is: value.present ? 'present' : 'absent', column }
  }
  return value === null ? { is: 'absent', column } : { is: 'equal', column, value }
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

/** A record as `holds` asks for it: values by field, and the living record behind a relation, or null. */
export interface RuleRecord {
  readonly value: (column: Column) => unknown
  readonly related: (relation: OneRelation) => RuleRecord | null
}

/** Tests one record in memory. */
export function holds(condition: Condition, record: RuleRecord, actorId: string | null): boolean {
  switch (condition.is) {
    case 'always':
      return true
    case 'never':
      return false
    case 'actor':
      return actorId !== null && record.value(condition.column) === actorId
    case 'equal':
      return same(record.value(condition.column), condition.value)
    case 'present':
      return record.value(condition.column) !== null
    case 'absent':
      return record.value(condition.column) === null
    case 'related': {
      const related = record.related(condition.relation)
      return related !== null && holds(condition.condition, related, actorId)
    }
    case 'any':
      return condition.of.some((each) => holds(each, record, actorId))
    case 'all':
      return condition.of.every((each) => holds(each, record, actorId))
  }
}
const same = (left: unknown, right: unknown): boolean =>
  left instanceof Date && right instanceof Date ? left.getTime() === right.getTime() : left === right
