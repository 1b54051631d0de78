// One filter of a list, as SQL that narrows it.

import { quote } from './dialect.ts'
import type { FilterUse } from './list-shape.ts'
import { placeSql } from './place.ts'
import type { SqlText } from './sql-text.ts'

/** The filter's value is bound at `index`. */
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
