// The records of a query and of filters, as SQL. Every value is bound.

import type { ScopeCondition } from '../../../resource/model/rule/query-condition.ts'
import type { ScopeTest } from '../../../resource/model/scope.ts'
import { quote } from '../text/dialect.ts'
import { placeSql } from '../text/place.ts'
import type { SqlText } from '../text/sql-text.ts'
import { operators } from './comparison.ts'
import { listConditionSql } from './condition.ts'
import type { FilterUse } from './list-shape.ts'

export function scopeSql(scope: ScopeCondition, table: string, alias: string, sql: SqlText): string {
  switch (scope.is) {
    case 'condition':
      return listConditionSql(scope.condition, alias, sql)
    case 'test':
      return testSql(scope, table, alias, sql)
    default: {
      const word = scope.is === 'any' ? ' or ' : ' and '
      return `(${scope.of.map((each) => scopeSql(each, table, alias, sql)).join(word)})`
    }
  }
}

function testSql({ test, column, index }: ScopeTest, table: string, alias: string, sql: SqlText): string {
  const name = `${alias}.${quote(column.name)}`
  const value = sql.parameter({ from: 'scope', index })
  if (test === 'contains') return sql.dialect.listContains(name, null, value, table)
  const place = (expression: string) => (test === 'is' ? expression : placeSql(column, expression))
  return `${place(name)} ${operators[test]} ${place(value)}`
}

export function filterSql(
  { filter, present }: FilterUse,
  index: number,
  table: string,
  alias: string,
  sql: SqlText,
): string {
  const column = `${alias}.${quote(filter.column.name)}`
  const value = () => sql.parameter({ from: 'filter', index })
  const place = (expression: string) => placeSql(filter.column, expression)
  switch (filter.test) {
    case 'is':
      return `${column} = ${value()}`
    case 'atLeast':
      return `${place(column)} >= ${place(value())}`
    case 'atMost':
      return `${place(column)} <= ${place(value())}`
    case 'isPresent':
      return `${column} is ${present ? 'not null' : 'null'}`
    case 'contains':
      return sql.dialect.listContains(column, filter.part, value(), table)
  }
}
