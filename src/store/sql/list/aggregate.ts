// Exact sums, greatest values and numbers of different values, on both databases.

import { readValue } from '../../../resource/field/registry.ts'
import type { Column } from '../../../resource/model/column.ts'
import type { StoredRow } from '../../store.ts'
import { decodeValue } from '../text/column-value.ts'
import type { Dialect } from '../text/dialect.ts'
import { sumOf, sumSql } from '../text/exact-sum.ts'

/** What is made of a field of all records of a list. */
export interface Aggregate {
  readonly make: 'sum' | 'max' | 'distinct'
  readonly column: Column
}

const isWhole = ({ type }: Column, { engine }: Dialect): boolean => engine === 'sqlite' && type !== 'double'

export function aggregateColumn(expression: string, { make, column }: Aggregate, dialect: Dialect): string {
  if (make === 'distinct') return `count(distinct ${expression})`
  if (make === 'max') return dialect.codec(column.type).selected?.(`max(${expression})`) ?? `max(${expression})`
  if (isWhole(column, dialect)) return sumSql(`(${expression})`, dialect)
  return column.type === 'double' ? `sum(${expression})` : `cast(sum(${expression}) as text)`
}

/** As callbacks see it. Without values, a sum is 0 and a greatest value null. */
export function readAggregateValue(row: StoredRow, { make, column }: Aggregate, dialect: Dialect): unknown {
  if (make === 'distinct') return Number(row[0])
  if (make === 'max') return decodeValue(column, row[0]!, dialect)
  if (column.type === 'double') return (row[0] as number | null) ?? 0
  const sum = row[0] as string | null
  const digits = sum === null ? '0' : isWhole(column, dialect) ? String(sumOf(sum, dialect)) : sum
  if (column.type === 'integer') return Number(digits)
  return readValue(column.spec, dialect.decode(digits, column.type))
}
