// A value as visible to its reader: null if it, or a record on its path, is hidden or missing.

import type { VisibleValue } from '../../../resource/model/rule/visible-value.ts'
import { conditionSql, notDeletedSql } from '../condition/condition.ts'
import { quote } from '../text/dialect.ts'
import type { SqlText } from '../text/sql-text.ts'

/** `of`: the expression to select of the column. */
export function visibleValueSql(
  visibleValue: VisibleValue,
  alias: string,
  sql: SqlText,
  of: (column: string) => string,
): string {
  const [step, ...steps] = visibleValue.steps
  if (step === undefined) {
    const value = of(`${alias}.${quote(visibleValue.path.column.name)}`)
    return visibleValue.condition.is === 'always'
      ? value
      : `case when ${conditionSql(visibleValue.condition, alias, sql)} then ${value} end`
  }
  const { relation, from, to } = step
  const other = sql.alias()
  const target = `${other}."id" = ${alias}.${quote(relation.column.name)}`
  const tests = [
    target,
    notDeletedSql(to, other, sql),
    ...(from.is === 'always' ? [] : [conditionSql(from, alias, sql)]),
  ]
  const value = visibleValueSql({ ...visibleValue, steps }, other, sql, of)
  return `(select ${value} from ${quote(relation.target.table)} ${other} where ${tests.join(' and ')})`
}
