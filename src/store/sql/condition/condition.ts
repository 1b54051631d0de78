// Rules as SQL, for lists, single records and indexes.

import type { TokenSpec } from '../../../resource/field/secret.ts'
import type { RuleNode } from '../../../resource/language/rule/rule.ts'
import type { LinkRelation, ManyRelation, ResourceModel } from '../../../resource/model/model.ts'
import { type Condition, fold, innerConditions } from '../../../resource/model/rule/condition.ts'
import { encodeValue } from '../text/column-value.ts'
import { type Dialect, literal, quote } from '../text/dialect.ts'
import { type Source, SqlText } from '../text/sql-text.ts'
import { comparisonSql } from './comparison.ts'
import { type DrivingTable, findDrivingTable, hasActor } from './driving-table.ts'
import { linkSides, listMembers } from './list-members.ts'
import { matchSql } from './search.ts'

/** For a record that is not deleted. Never SQL null. */
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
    case 'code': {
      const code = sql.parameter(codeSource(condition))
      const token = column(condition.column)
      return `(${token} is not null and ${condition.isAmong ? sql.dialect.amongParts(token, code) : `${token} = ${code}`})`
    }
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
      const drivingTable = sql.isListed(alias) ? findDrivingTable(condition) : null
      if (drivingTable !== null && !drivingTable.isTree && drivingTable.rest.is === 'always')
        return drivenSql(drivingTable, alias, sql)
      return relatedSql(condition, alias, sql)
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
 * For an index, with its values in the text: a test of the record alone, independent of the actor. None without a rule.
 */
export function recordCondition(
  rule: RuleNode | null,
  resource: ResourceModel,
  alias: string,
  dialect: Dialect,
): readonly string[] {
  if (rule === null) return []
  const sql = new SqlText(dialect, (source) => (source.from === 'constant' ? literal(source.value) : null))
  return [conditionSql(fold(rule, resource, null), alias, sql)]
}

/** Which of several codes a write needs is asked with fewer of those that are limited. */
const codeSource = ({ column: { spec }, isAmong }: Extract<Condition, { is: 'code' }>): Source =>
  isAmong && (spec as TokenSpec).maxUses !== undefined ? { from: 'code', isLimited: true } : { from: 'code' }

type Related = Extract<Condition, { is: 'related' }>
function relatedSql({ relation, condition: inner }: Related, alias: string, sql: SqlText): string {
  const other = sql.alias()
  const notDeleted = `${other}."id" = ${sql.value(alias, relation.column.name)} and ${sql.notDeleted(other)}`
  const test = inner.is === 'always' ? '' : ` and ${conditionSql(inner, other, sql)}`
  return `exists (select 1 from ${quote(relation.target.table)} ${other} where ${notDeleted}${test})`
}

/** For records nested in two lists: evaluated once for all, instead of per pair. */
function drivenSql(drivingTable: DrivingTable, alias: string, sql: SqlText): string {
  const driven = sql.alias()
  return `((${alias}.${quote(drivingTable.column)} in (select ${driven}.id from ${drivingTableSql(drivingTable, sql)} ${driven})) is true)`
}

/** The condition of a whole list. What is below records of a tree may be read from there. */
export function listConditionSql(condition: Condition, alias: string, sql: SqlText): string {
  if (condition.is === 'all') return condition.of.map((each) => listConditionSql(each, alias, sql)).join(' and ')
  const drivingTable = condition.is === 'related' ? findDrivingTable(condition) : null
  if (drivingTable?.isTree !== true) return conditionSql(condition, alias, sql)
  // SQLite has no statistics of what an actor owns.
  const mayBeMany = sql.dialect.engine === 'sqlite' && hasActor(drivingTable.some.condition)
  return mayBeMany ? conditionSql(condition, alias, sql) : treeSql(drivingTable, alias, sql)
}

/** As a list of ids, from which PostgreSQL begins if they are few. */
function treeSql(drivingTable: DrivingTable, alias: string, sql: SqlText): string {
  const column = `${alias}.${quote(drivingTable.column)}`
  const { rest } = drivingTable
  const others = rest.is === 'always' ? '' : ` and ${relatedSql(rest as Related, alias, sql)}`
  return `(${column} is not null and ${column} in (${belowSql(drivingTable, sql)})${others})`
}

/** Starting points of a rule, such as the caller's organizations: a table with the column `id`, without repetition. */
export function drivingTableSql({ some, target }: DrivingTable, sql: SqlText): string {
  const [named, other] = [sql.alias(), sql.alias()]
  const isSqlite = sql.dialect.engine === 'sqlite'
  const notDeleted = notDeletedSql(some.condition, other, sql)
  const tables = membersSql(some, other, sql)
  const id = `select distinct ${named}."id" as id`
  // A lookup per id; otherwise PostgreSQL reads the whole table.
  const of = (by: string) => {
    const test = `${named}."id" = ${by} and ${named}."deleted_at" is null`
    const table = `${quote(target.table)} ${named}`
    return isSqlite
      ? `join ${table} on ${test}`
      : `cross join lateral (select ${named}."id" from ${table} where ${test} limit 1) ${named}`
  }
  if (some.relation.kind === 'many') {
    const by = `${other}.${quote(some.relation.by.column.name)}`
    return `(${id} from ${tables} ${of(by)} where ${notDeleted})`
  }
  const [mine, theirs] = linkSides(some.relation)
  const link = sql.alias()
  const join = `join ${quote(some.relation.link.table)} ${link} on ${link}."${theirs}_id" = ${other}."id"`
  return `(${id} from ${tables} ${join} ${of(`${link}."${mine}_id"`)} where ${notDeleted})`
}

/** The ids of all records below the starting points, these included. */
function belowSql({ some }: DrivingTable, sql: SqlText): string {
  const [other, link] = [sql.alias(), sql.alias()]
  const isPoint = notDeletedSql(some.condition, other, sql)
  const tables = membersSql(some, other, sql)
  const { table } = (some.relation as LinkRelation).link
  const join = `join ${quote(table)} ${link} on ${link}."target_id" = ${other}."id"`
  return `select ${link}."source_id" from ${tables} ${join} where ${isPoint}`
}

/** Found by the actor, or by starting points in turn. */
function membersSql({ relation: { target }, condition }: DrivingTable['some'], other: string, sql: SqlText): string {
  const table = `${quote(target.table)} ${other}`
  const drivingTable = hasActor(condition) ? null : findDrivingTable(condition)
  if (drivingTable === null) return table
  const first = sql.alias()
  const join = sql.dialect.engine === 'sqlite' ? 'cross join' : 'join'
  return `${drivingTableSql(drivingTable, sql)} ${first} ${join} ${table} on ${other}.${quote(drivingTable.column)} = ${first}.id`
}

function someSql(relation: ManyRelation | LinkRelation, condition: Condition, holder: string, sql: SqlText): string {
  const other = sql.listedAlias()
  const notDeleted = [...sql.watching(other), notDeletedSql(condition, other, sql)].join(' and ')
  const { from, where } = listMembers(relation, `${holder}."id"`, other, sql)
  return `exists (select 1 from ${from} where ${where} and ${notDeleted})`
}

export function notDeletedSql(condition: Condition, alias: string, sql: SqlText): string {
  const test = condition.is === 'always' ? '' : ` and ${conditionSql(condition, alias, sql)}`
  return `${sql.notDeleted(alias)}${test}`
}

/** Each is served by an index, so that a page does not walk over hidden records. */
export function alternatives(
  condition: Condition,
  isServed: (condition: Condition) => boolean = isDirect,
): readonly Condition[] {
  return condition.is === 'any' && condition.of.every(isServed) ? condition.of : [condition]
}
export const isDirect = (condition: Condition): boolean =>
  !['any', 'related', 'some'].includes(condition.is) && innerConditions(condition).every(isDirect)
/** Few records, found by an index: the actor's own, or those of the access code. */
export const isOwn = (condition: Condition): boolean =>
  condition.is === 'actor' || condition.is === 'code' || (condition.is === 'all' && condition.of.some(isOwn))
