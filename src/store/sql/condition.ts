// A rule as the database is asked: SQL that narrows a list, or tells of one record.

import { type Condition, innerConditions } from '../../resource/model/condition.ts'
import type { LinkRelation, ManyRelation } from '../../resource/model/model.ts'
import { encodeValue } from './column-value.ts'
import { comparisonSql } from './comparison.ts'
import { quote } from './dialect.ts'
import { leadTable } from './lead-table.ts'
import { listMembers } from './list-members.ts'
import { type RuleLead, ruleLead } from './rule-lead.ts'
import { matchSql } from './search.ts'
import type { SqlText } from './sql-text.ts'

/** Of a living record: whether the condition holds for it. Never SQL null. */
export function conditionSql(condition: Condition, alias: string, sql: SqlText): string {
  const column = (of: { readonly name: string }) => `${alias}.${quote(of.name)}`
  switch (condition.is) {
    case 'always':
      return 'true'
    case 'never':
      return 'false'
    case 'actor': {
      const test = `${column(condition.column)} = ${sql.parameter({ from: 'actor' })}`
      return condition.column.nullable ? `(${column(condition.column)} is not null and ${test})` : test
    }
    case 'code':
      return `(${column(condition.column)} is not null and ${column(condition.column)} = ${sql.parameter({ from: 'code' })})`
    case 'equal': {
      const value = encodeValue(condition.column, condition.value, sql.dialect)
      const test = `${column(condition.column)} = ${sql.parameter({ from: 'constant', value })}`
      return condition.column.nullable ? `(${column(condition.column)} is not null and ${test})` : test
    }
    case 'present':
      return `${column(condition.column)} is not null`
    case 'absent':
      return `${column(condition.column)} is null`
    case 'related': {
      const { relation, condition: inner } = condition
      const lead = sql.isListed(alias) ? ruleLead(condition) : null
      if (lead !== null && lead.rest.is === 'always') return ledSql(lead, alias, sql)
      const other = sql.alias()
      const living = `${other}."id" = ${sql.value(alias, relation.column.name)} and ${sql.living(other)}`
      const test = inner.is === 'always' ? '' : ` and ${conditionSql(inner, other, sql)}`
      return `exists (select 1 from ${quote(relation.target.table)} ${other} where ${living}${test})`
    }
    case 'some':
      return someSql(condition.relation, condition.condition, alias, sql)
    case 'compare':
      return comparisonSql(condition, alias, sql, conditionSql)
    case 'match':
      return matchSql(condition.search, alias, conditionSql, sql)
    case 'not':
      return `not (${conditionSql(condition.of, alias, sql)})`
    case 'any':
      return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' or ')})`
    case 'all':
      return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' and ')})`
  }
}

/**
 * Of records in lists of a list's records: for all of them PostgreSQL finds once what leads to them, where it would else look at
 * each of these for each of those.
 */
function ledSql(lead: RuleLead, alias: string, sql: SqlText): string {
  const led = sql.alias()
  return `((${alias}.${quote(lead.column)} in (select ${led}.id from ${leadSql(lead, sql)} ${led})) is true)`
}

/** The ids of the living records that a rule leads to, each once, as a table with the column `id`. */
export const leadSql = (lead: RuleLead, sql: SqlText): string => leadTable(lead, sql, livingSql)

/** Whether the condition holds for a living record of the list. */
function someSql(relation: ManyRelation | LinkRelation, condition: Condition, holder: string, sql: SqlText): string {
  const other = sql.listedAlias()
  const living = [...sql.watching(other), livingSql(condition, other, sql)].join(' and ')
  const { from, where } = listMembers(relation, `${holder}."id"`, other, sql)
  return `exists (select 1 from ${from} where ${where} and ${living})`
}

/** True for the living records for which the condition holds. */
export function livingSql(condition: Condition, alias: string, sql: SqlText): string {
  const test = condition.is === 'always' ? '' : ` and ${conditionSql(condition, alias, sql)}`
  return `${sql.living(alias)}${test}`
}

/**
 * The alternatives of a condition, each of which an index can serve, so that a limited list need not walk over the
 * records that the rule hides: one list per alternative, united. One element where there is nothing to split.
 */
export function alternatives(
  condition: Condition,
  isServed: (condition: Condition) => boolean = isDirect,
): readonly Condition[] {
  return condition.is === 'any' && condition.of.every(isServed) ? condition.of : [condition]
}
export const isDirect = (condition: Condition): boolean =>
  !['any', 'related', 'some'].includes(condition.is) && innerConditions(condition).every(isDirect)
/** Whether the actor's own records are asked for, or those of the code that is shown: an index finds these few. */
export const isOwn = (condition: Condition): boolean =>
  condition.is === 'actor' || condition.is === 'code' || (condition.is === 'all' && condition.of.some(isOwn))
