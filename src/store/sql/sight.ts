// A value as its reader sees it, as SQL: null where it is hidden, or a record on the way to it is missing or hidden.

import type { Sight } from '../../resource/model/sight.ts'
import { conditionSql, livingSql } from './condition.ts'
import { quote } from './dialect.ts'
import type { SqlText } from './sql-text.ts'

/** Of the record under this alias; `of` makes what is answered of the column. */
export function sightSql(sight: Sight, alias: string, sql: SqlText, of: (column: string) => string): string {
  const [step, ...steps] = sight.steps
  if (step === undefined) {
    const value = of(`${alias}.${quote(sight.path.column.name)}`)
    return sight.condition.is === 'always'
      ? value
      : `case when ${conditionSql(sight.condition, alias, sql)} then ${value} end`
  }
  const { relation, from, to } = step
  const other = sql.alias()
  const target = `${other}."id" = ${alias}.${quote(relation.column.name)}`
  const tests = [target, livingSql(to, other, sql), ...(from.is === 'always' ? [] : [conditionSql(from, alias, sql)])]
  const value = sightSql({ ...sight, steps }, other, sql, of)
  return `(select ${value} from ${quote(relation.target.table)} ${other} where ${tests.join(' and ')})`
}
