// The list of each value that a client asks for, where an index has the order behind each of them: what PostgreSQL makes a page of.

import type { Condition } from '../../resource/model/condition.ts'
import { isDirect } from './condition.ts'
import { quote } from './dialect.ts'
import { orderSql, ownKey } from './keyset.ts'
import { keyedRows, rowKey, rowsSql } from './list-rows.ts'
import type { LeadingValues } from './reach.ts'
import type { SqlText } from './sql-text.ts'

/** More lists than these are sorted: each that is merged takes its time even where it has no value. */
const mergedMax = 8

/**
 * The first rows of the values, in the order of the list, to be merged: no more of them are read than the page has. A rule that
 * asks other records would be prepared for each value, so its lists are not merged.
 */
export function mergedRows(values: LeadingValues, condition: Condition, reach: string, sql: SqlText): string | null {
  if (![condition, ...values.rest].every(isDirect)) return null
  const { shape } = values
  const lists = Array.from({ length: mergedMax }, (_, at) => {
    const alias = sql.alias()
    return `select ${alias}.* ${rowsOfValue(values, condition, alias, `(${valuesSql(values, sql)})[${at + 1}]`, sql)} ${reach}`
  })
  const alias = sql.alias()
  const rest = keyedRows(keysByValue(values, condition, reach, sql, mergedMax), shape.resource, alias, sql)
  const sorted = `select ${alias}.* from ${rest} order by ${orderSql(shape, ownKey(alias, sql), sql)}`
  return [...lists, sorted].map((each) => `(${each})`).join(' union all ')
}

/** The keys of the first rows of the values but for the first `skipped`. Each is found once. */
export function keysByValue(
  values: LeadingValues,
  condition: Condition,
  reach: string,
  sql: SqlText,
  skipped = 0,
): string {
  const [each, rows, alias] = [sql.alias(), sql.alias(), sql.alias()]
  const { sort } = values.shape
  // PostgreSQL plans this once, since no values make another index better.
  const all = `(select ${valuesSql(values, sql)})`
  const sorted = sort.map(({ column }) => `${alias}.${quote(column.name)}`).join(', ')
  const list = `select ${alias}.${rowKey(sql)} k, ${sorted} ${rowsOfValue(values, condition, alias, `${each}.value`, sql)} ${reach}`
  const from = `unnest(${skipped === 0 ? all : `${all}[${skipped + 1}:]`}) ${each}(value) cross join lateral (${list}) ${rows}`
  // Put in order before the rows are read: the index has what is sorted by.
  return `select ${rows}.k from ${from} order by ${orderSql(values.shape, ownKey(rows, sql), sql)} ${reach}`
}

/** The rows of one value in their order. */
function rowsOfValue(
  { value, shape }: LeadingValues,
  condition: Condition,
  alias: string,
  one: string,
  sql: SqlText,
): string {
  const { from, where, key } = rowsSql({ shape, condition, alias, within: null }, sql)
  const own = `${alias}.${quote(value.column.name)} = ${one}`
  return `from ${from} where ${own} and ${where} order by ${orderSql(shape, key, sql)}`
}

/** What is asked for, in an array of the type of the column; each value once. */
const valuesSql = ({ value: { column, operand } }: LeadingValues, sql: SqlText): string =>
  `${sql.parameter({ from: 'where', index: operand.index })}::${sql.dialect.codec(column.type).cast}[]`
