// Unordered readable rows, for counts and sums.

import type { Condition } from '../../../resource/model/rule/condition.ts'
import { drivingTableOf } from '../condition/driving-table.ts'
import type { ListShape } from '../condition/list-shape.ts'
import { quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'
import { drivenTable, listsOf } from './list.ts'
import { rowKey, rowsSql } from './list-rows.ts'

export function readableRows(
  shape: ListShape,
  condition: Condition,
  alias: string,
  sql: SqlText,
): { readonly from: string; readonly where: string } {
  const parts = listsOf(shape, condition, true, sql)
  const [first] = parts
  const rowsOf = (of: string, { part, each }: (typeof parts)[number]) => {
    const driven = drivingTableOf(part, each)
    const isDriven = driven !== null
    const scope = {
      shape: driven?.shape ?? part,
      condition: driven?.condition ?? each,
      alias: of,
      within: null,
      isDriven,
    }
    const { from, where } = rowsSql(scope, sql)
    return { from: isDriven ? drivenTable(driven, from, of, sql) : from, where }
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
