// Whose records a rule leads to, as a table: the organizations that one is in, those whom one follows.

import type { Condition } from '../../resource/model/condition.ts'
import { quote } from './dialect.ts'
import { linkSides } from './list-members.ts'
import { hasActor, type RuleLead, ruleLead } from './rule-lead.ts'
import type { SqlText } from './sql-text.ts'

/** What is asked of the living records of an alias. */
type Living = (condition: Condition, alias: string, sql: SqlText) => string

/** The ids of the living records that the column may name, each once, as a table with the column `id`. */
export function leadTable({ some, target }: RuleLead, sql: SqlText, livingSql: Living): string {
  const [named, other] = [sql.alias(), sql.alias()]
  const isSqlite = sql.dialect.engine === 'sqlite'
  const living = livingSql(some.condition, other, sql)
  const tables = membersSql(some, other, sql, livingSql)
  const id = `select distinct ${named}."id" as id`
  // Looked up one by one: PostgreSQL would rather read the whole table.
  const of = (by: string) => {
    const test = `${named}."id" = ${by} and ${named}."deleted_at" is null`
    const table = `${quote(target.table)} ${named}`
    return isSqlite
      ? `join ${table} on ${test}`
      : `cross join lateral (select ${named}."id" from ${table} where ${test} limit 1) ${named}`
  }
  if (some.relation.kind === 'many') {
    const by = `${other}.${quote(some.relation.by.column.name)}`
    return `(${id} from ${tables} ${of(by)} where ${living})`
  }
  const [mine, theirs] = linkSides(some.relation)
  const link = sql.alias()
  const join = `join ${quote(some.relation.link.table)} ${link} on ${link}."${theirs}_id" = ${other}."id"`
  return `(${id} from ${tables} ${join} ${of(`${link}."${mine}_id"`)} where ${living})`
}

/** The records of the list, found by the actor, or by what leads to them in turn. */
function membersSql(
  { relation: { target }, condition }: RuleLead['some'],
  other: string,
  sql: SqlText,
  livingSql: Living,
): string {
  const table = `${quote(target.table)} ${other}`
  const lead = hasActor(condition) ? null : ruleLead(condition)
  if (lead === null) return table
  const first = sql.alias()
  const join = sql.dialect.engine === 'sqlite' ? 'cross join' : 'join'
  return `${leadTable(lead, sql, livingSql)} ${first} ${join} ${table} on ${other}.${quote(lead.column)} = ${first}.id`
}
