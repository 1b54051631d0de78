// Lists of what a rule leads to: posts of those whom one follows, tickets of the organizations that one is in. The rule names whose
// records they are, so that an index finds the newest of each of them, and no list of all records is walked.

import { allOf, always, type Condition } from '../../resource/model/condition.ts'
import type { OneRelation } from '../../resource/model/model.ts'
import { livingSql } from './condition.ts'
import { quote } from './dialect.ts'
import type { ListShape } from './list-shape.ts'
import type { SqlText } from './sql-text.ts'

type Some = Extract<Condition, { is: 'some' }>

/** By which relation the records of a list are found. */
export interface RuleLead {
  readonly relation: OneRelation
  /** What is asked of the record that it names: the actor is in this list of it. */
  readonly some: Some
  /** What remains to be asked of the list's records. */
  readonly rest: Condition
}

/** Null where the condition does not lead to the records. */
export function ruleLead(condition: Condition): RuleLead | null {
  if (condition.is === 'all') {
    for (const [at, each] of condition.of.entries()) {
      const lead = ruleLead(each)
      if (lead !== null) return { ...lead, rest: allOf(condition.of.with(at, lead.rest)) }
    }
    return null
  }
  if (condition.is !== 'related') return null
  const { relation, condition: inner } = condition
  const some = (inner.is === 'all' ? inner.of : [inner]).find(isOfActor)
  return some === undefined ? null : { relation, some, rest: some === inner ? always : condition }
}

/** True for a list that the actor is in: it can be read from the actor's side. */
const isOfActor = (condition: Condition): condition is Some =>
  condition.is === 'some' &&
  (condition.condition.is === 'all' ? condition.condition.of : [condition.condition]).some(({ is }) => is === 'actor')

/** Where a list, or what its query asks, is led to; with the list and the condition that remain. Filters lead to fewer. */
export function leadOf(
  shape: ListShape,
  condition: Condition,
): { readonly lead: RuleLead; readonly shape: ListShape; readonly condition: Condition } | null {
  if (shape.filters.length > 0) return null
  const byRule = ruleLead(condition)
  if (byRule !== null) return { lead: byRule, shape, condition: byRule.rest }
  const { scope } = shape
  const byScope = scope?.is === 'condition' ? ruleLead(scope.condition) : null
  if (byScope === null) return null
  const rest = byScope.rest.is === 'always' ? null : { is: 'condition' as const, condition: byScope.rest }
  return { lead: byScope, shape: { ...shape, scope: rest }, condition }
}

/** The ids of the living records that the relation may name, each once, as a table with the column `id`. */
export function leadSql({ relation, some }: RuleLead, sql: SqlText): string {
  const [named, other] = [sql.alias(), sql.alias()]
  const living = `${livingSql(some.condition, other, sql)} and ${named}."deleted_at" is null`
  const tables = `${quote(some.relation.target.table)} ${other}`
  const id = `select distinct ${named}."id" as id`
  const of = `${quote(relation.target.table)} ${named}`
  if (some.relation.kind === 'many') {
    const by = `${other}.${quote(some.relation.by.column.name)}`
    return `(${id} from ${tables} join ${of} on ${named}."id" = ${by} where ${living})`
  }
  const [mine, theirs] = some.relation.side === 'source' ? ['source', 'target'] : ['target', 'source']
  const link = sql.alias()
  const join = `join ${quote(some.relation.link.table)} ${link} on ${link}."${theirs}_id" = ${other}."id"`
  return `(${id} from ${tables} ${join} join ${of} on ${named}."id" = ${link}."${mine}_id" where ${living})`
}
