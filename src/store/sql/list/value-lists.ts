// On PostgreSQL, a page from one list per value of a condition, if the index has the order within each.

import type { Condition } from '../../../resource/model/rule/condition.ts'
import { quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'
import { orderSql, ownKey } from './keyset.ts'
import { rowKey, rowsSql } from './list-rows.ts'
import type { LeadingValues } from './scan-size.ts'

/** Distinct and in order; reads no more rows of each value than the page has. */
export function keysByValue(
  { value: { column, operand }, shape }: LeadingValues,
  condition: Condition,
  limit: string,
  sql: SqlText,
): string {
  const [each, rows, alias] = [sql.alias(), sql.alias(), sql.alias()]
  const values = `${sql.parameter({ from: 'where', index: operand.index })}::${sql.dialect.codec(column.type).cast}[]`
  const sorted = shape.sort.map((key) => `${alias}.${quote(key.column.name)}`).join(', ')
  const { from, where, key } = rowsSql({ shape, condition, alias, within: null }, sql)
  const own = `${alias}.${quote(column.name)} = ${each}.value`
  const list = `select ${alias}.${rowKey(sql)} k, ${sorted} from ${from} where ${own} and ${where} order by ${orderSql(shape, key, sql)} ${limit}`
  // A subquery, so that the plan is independent of the values and is reused.
  const lists = `unnest((select ${values})) ${each}(value) cross join lateral (${list}) ${rows}`
  // Sorted before the rows are read: the index has the sort columns.
  return `select ${rows}.k from ${lists} order by ${orderSql(shape, ownKey(rows, sql), sql)} ${limit}`
}
