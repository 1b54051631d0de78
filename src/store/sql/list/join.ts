// Joins of records that a statement also reads.

import type { OneRelation } from '../../../resource/model/model.ts'
import type { Condition } from '../../../resource/model/rule/condition.ts'
import { notDeletedSql } from '../condition/condition.ts'
import { quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'

/** `joins` follows the table's alias. */
export interface Selected {
  readonly columns: string
  readonly joins: string
}
/** Called once per variant of a statement, as each has its own parameters. */
export type Select = (alias: string, sql: SqlText) => Selected
export const onlyColumns = (columns: string): Selected => ({ columns, joins: '' })

/** Joins the record if it is not deleted and meets the condition; otherwise its columns are null. */
export function joinSql(
  relation: OneRelation,
  condition: Condition,
  holder: string,
  alias: string,
  sql: SqlText,
): string {
  const table = quote(relation.target.table)
  const test = `${alias}."id" = ${holder}.${quote(relation.column.name)} and ${notDeletedSql(condition, alias, sql)}`
  if (sql.dialect.engine === 'sqlite') return ` left join ${table} ${alias} on ${test}`
  // A plain join, planned without the limit, would scan the table.
  return ` left join lateral (select * from ${table} ${alias} where ${test} limit 1) ${alias} on true`
}
