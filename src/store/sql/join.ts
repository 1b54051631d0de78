// The record that a reference leads to, read by the statement that reads who refers to it.

import type { Condition } from '../../resource/model/condition.ts'
import type { OneRelation } from '../../resource/model/model.ts'
import { livingSql } from './condition.ts'
import { quote } from './dialect.ts'
import type { SqlText } from './sql-text.ts'

/** What a statement selects of a table and of those that are joined to it; `joins` follows the table's alias. */
export interface Selected {
  readonly columns: string
  readonly joins: string
}
/** Makes that of the table with this alias. Called once for each variant of a statement, with its own parameters. */
export type Select = (alias: string, sql: SqlText) => Selected
/** Nothing is joined. */
export const onlyColumns = (columns: string): Selected => ({ columns, joins: '' })

/** Joins the living record for which the condition holds, under `alias`; where there is none, its columns are null. */
export function joinSql(
  relation: OneRelation,
  condition: Condition,
  holder: string,
  alias: string,
  sql: SqlText,
): string {
  const table = quote(relation.target.table)
  const test = `${alias}."id" = ${holder}.${quote(relation.column.name)} and ${livingSql(condition, alias, sql)}`
  if (sql.dialect.engine === 'sqlite') return ` left join ${table} ${alias} on ${test}`
  // Planned without knowing the limit, a plain join would read the whole table.
  return ` left join lateral (select * from ${table} ${alias} where ${test} limit 1) ${alias} on true`
}
