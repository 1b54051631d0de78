// SQL of filters.

import { quote } from '../text/dialect.ts'
import { placeSql } from '../text/place.ts'
import type { SqlText } from '../text/sql-text.ts'
import type { FilterUse } from './list-shape.ts'

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
