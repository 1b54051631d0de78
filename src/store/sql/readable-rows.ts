// All rows of a resource that a condition leaves, whatever their order: what is counted and added up.

import type { Condition } from '../../resource/model/condition.ts'
import { quote } from './dialect.ts'
import { ledTable, listsOf } from './list.ts'
import { rowKey, rowsSql } from './list-rows.ts'
import type { ListShape } from './list-shape.ts'
import { leadOf } from './rule-lead.ts'
import type { SqlText } from './sql-text.ts'

/** As a table under this alias, and what is asked of it. */
export function readableRows(
  shape: ListShape,
  condition: Condition,
  alias: string,
  sql: SqlText,
): { readonly from: string; readonly where: string } {
  const parts = listsOf(shape, condition, true, sql)
  const [first] = parts
  const rowsOf = (of: string, { part, each }: (typeof parts)[number]) => {
    const led = leadOf(part, each)
    const isLed = led !== null
    const scope = { shape: led?.shape ?? part, condition: led?.condition ?? each, alias: of, within: null, isLed }
    const { from, where } = rowsSql(scope, sql)
    return { from: isLed ? ledTable(led, from, of, sql) : from, where }
  }
  if (parts.length === 1) return rowsOf(alias, first!)
  const keys = parts.map((each) => {
    const of = sql.alias()
    const { from, where } = rowsOf(of, each)
    return `select ${of}.${rowKey(sql)} from ${from} where ${where}`
  })
  return {
    from: `${quote(shape.resource.table)} ${alias}`,
    where: `${alias}.${rowKey(sql)} in (${keys.join(' union ')})`,
  }
}
