// A rule's second reading: the same condition that `holds` tests in memory, as SQL that narrows a list.

import type { Condition } from '../../resource/model/condition.ts'
import { quote } from './dialect.ts'
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
    case 'equal': {
      const value = sql.dialect.encode(condition.value, condition.column.type)
      const test = `${column(condition.column)} = ${sql.parameter({ from: 'constant', value })}`
      return condition.column.nullable ? `(${column(condition.column)} is not null and ${test})` : test
    }
    case 'present':
      return `${column(condition.column)} is not null`
    case 'absent':
      return `${column(condition.column)} is null`
    case 'related': {
      const { relation, condition: inner } = condition
      const other = sql.alias()
      const living = `${other}."id" = ${column(relation.column)} and ${other}."deleted_at" is null`
      const test = inner.is === 'always' ? '' : ` and ${conditionSql(inner, other, sql)}`
      return `exists (select 1 from ${quote(relation.target.table)} ${other} where ${living}${test})`
    }
    case 'any':
      return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' or ')})`
    case 'all':
      return `(${condition.of.map((each) => conditionSql(each, alias, sql)).join(' and ')})`
  }
}

/** True for the living records for which the condition holds. */
export function livingSql(condition: Condition, alias: string, sql: SqlText): string {
  const test = condition.is === 'always' ? '' : ` and ${conditionSql(condition, alias, sql)}`
  return `${alias}."deleted_at" is null${test}`
}

/**
 * The alternatives of a condition, each of which an index can serve, so that a limited list need not walk over the
 * records that the rule hides: one list per alternative, united. One element where there is nothing to split.
 */
export function alternatives(condition: Condition): readonly Condition[] {
  return condition.is === 'any' && condition.of.every(isDirect) ? condition.of : [condition]
}
const isDirect = (condition: Condition): boolean =>
  condition.is === 'all' ? condition.of.every(isDirect) : condition.is !== 'any' && condition.is !== 'related'
