// Lists of what a rule leads to: posts of those whom one follows, tickets of the organizations that one is in. The rule names whose
// records they are, so that an index finds the newest of each of them, and no list of all records is walked.

import type { OneSpec } from '../../resource/field/relation.ts'
import { allOf, always, type Condition } from '../../resource/model/condition.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import type { ListShape } from './list-shape.ts'

type Some = Extract<Condition, { is: 'some' }>

/** By which column the records of a list are found. */
export interface RuleLead {
  /** The name of the column: of a relation, or `id` where the rule leads to the record itself. */
  readonly column: string
  /** Whose id the column holds. */
  readonly target: ResourceModel
  /** What is asked of that record: the actor is in this list of it, or is led to one who is. */
  readonly some: Some
  /** What remains to be asked of the list's records. */
  readonly rest: Condition
  /** The column names a tenant: other records than those of the actor's tenants are never looked at. */
  readonly isTenant: boolean
}

/** Null where the condition does not lead to the records. */
export function ruleLead(condition: Condition): RuleLead | null {
  if (condition.is === 'all') {
    // The actor's own records are fewer than those of whatever they are in.
    if (condition.of.some((each) => each.is === 'actor')) return null
    for (const [at, each] of condition.of.entries()) {
      const lead = ruleLead(each)
      if (lead !== null) return { ...lead, rest: allOf(condition.of.with(at, lead.rest)) }
    }
    return null
  }
  if (condition.is === 'some') return selfLead(condition)
  if (condition.is !== 'related') return null
  const { relation, condition: inner } = condition
  const some = (inner.is === 'all' ? inner.of : [inner]).find(isOfActor)
  if (some === undefined) return null
  const { target, column } = relation
  return {
    column: column.name,
    target,
    some,
    rest: some === inner ? always : condition,
    isTenant: (column.spec as OneSpec).isTenant === true,
  }
}

/** The tenants from which the records of a list are gathered, for each alternative of the rule. */
export const tenantLeads = (condition: Condition): readonly RuleLead[] =>
  (condition.is === 'any' ? condition.of : [condition]).flatMap((each) => {
    const lead = ruleLead(each)
    return lead?.isTenant === true ? [lead] : []
  })

/** The actor is in a list of the record itself. */
function selfLead(some: Some): RuleLead | null {
  if (some.relation.kind !== 'many' || !isOfActor(some)) return null
  return { column: 'id', target: some.relation.by.target, some, rest: always, isTenant: false }
}

/** True for a list that can be read from the actor's side: the actor is in it, or leads to what is. */
const isOfActor = (condition: Condition): condition is Some =>
  condition.is === 'some' && (hasActor(condition.condition) || ruleLead(condition.condition) !== null)
export const hasActor = (condition: Condition): boolean =>
  (condition.is === 'all' ? condition.of : [condition]).some(({ is }) => is === 'actor')

/**
 * Where a list, or what its query asks, is led to; with the list and the condition that remain. Searches lead to fewer, and so do
 * filters, but for tenants: where a filter names the tenant itself, its index has the list.
 */
export function leadOf(
  shape: ListShape,
  condition: Condition,
): { readonly lead: RuleLead; readonly shape: ListShape; readonly condition: Condition } | null {
  if (shape.search != null) return null
  const byRule = ruleLead(condition)
  if (byRule !== null && (byRule.isTenant ? !isFiltered(shape, byRule) : shape.filters.length === 0))
    return { lead: byRule, shape, condition: byRule.rest }
  if (shape.filters.length > 0) return null
  const { scope } = shape
  const byScope = scope?.is === 'condition' ? ruleLead(scope.condition) : null
  if (byScope === null) return null
  const rest = byScope.rest.is === 'always' ? null : { is: 'condition' as const, condition: byScope.rest }
  return { lead: byScope, shape: { ...shape, scope: rest }, condition }
}

const isFiltered = ({ filters }: ListShape, { column: name }: RuleLead): boolean =>
  filters.some(({ filter: { test, column } }) => test === 'is' && column.name === name)
