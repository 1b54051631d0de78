// Starting points of a rule, as a table: the caller's organizations, the users followed.

import type { LinkRelation } from '../../../resource/model/model.ts'
import type { Condition } from '../../../resource/model/rule/condition.ts'
import { quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'
import { type DrivingTable, findDrivingTable, hasActor } from './driving-table.ts'
import { linkSides } from './list-members.ts'

type NotDeletedSql = (condition: Condition, alias: string, sql: SqlText) => string

/** A table with the column `id`, without repetition. */
export function joinedDrivingTable({ some, target }: DrivingTable, sql: SqlText, notDeletedSql: NotDeletedSql): string {
  const [named, other] = [sql.alias(), sql.alias()]
  const isSqlite = sql.dialect.engine === 'sqlite'
  const notDeleted = notDeletedSql(some.condition, other, sql)
  const tables = membersSql(some, other, sql, notDeletedSql)
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
export function belowSql({ some }: DrivingTable, sql: SqlText, notDeletedSql: NotDeletedSql): string {
  const [other, link] = [sql.alias(), sql.alias()]
  const notDeleted = notDeletedSql(some.condition, other, sql)
  const tables = membersSql(some, other, sql, notDeletedSql)
  const { table } = (some.relation as LinkRelation).link
  const join = `join ${quote(table)} ${link} on ${link}."target_id" = ${other}."id"`
  return `select ${link}."source_id" from ${tables} ${join} where ${notDeleted}`
}

/** Found by the actor, or by starting points in turn. */
function membersSql(
  { relation: { target }, condition }: DrivingTable['some'],
  other: string,
  sql: SqlText,
  notDeletedSql: NotDeletedSql,
): string {
  const table = `${quote(target.table)} ${other}`
  const drivingTable = hasActor(condition) ? null : findDrivingTable(condition)
  if (drivingTable === null) return table
  const first = sql.alias()
  const join = sql.dialect.engine === 'sqlite' ? 'cross join' : 'join'
  return `${joinedDrivingTable(drivingTable, sql, notDeletedSql)} ${first} ${join} ${table} on ${other}.${quote(drivingTable.column)} = ${first}.id`
}
