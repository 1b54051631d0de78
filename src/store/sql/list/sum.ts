// Exact sums on both databases, for any number of values.

import { readValue } from '../../../resource/field/registry.ts'
import type { Column } from '../../../resource/model/column.ts'
import type { StoredRow } from '../../store.ts'
import type { Dialect } from '../text/dialect.ts'
import { sumOf, sumSql } from '../text/exact-sum.ts'

const isWhole = ({ type }: Column, { engine }: Dialect): boolean => engine === 'sqlite' && type !== 'double'

export function sumColumn(expression: string, column: Column, dialect: Dialect): string {
  if (isWhole(column, dialect)) return sumSql(`(${expression})`, dialect)
  return column.type === 'double' ? `sum(${expression})` : `cast(sum(${expression}) as text)`
}

/** As callbacks see it; 0 without values. */
export function readSum(row: StoredRow, column: Column, dialect: Dialect): unknown {
  if (column.type === 'double') return (row[0] as number | null) ?? 0
  const sum = row[0] as string | null
  const digits = sum === null ? '0' : isWhole(column, dialect) ? String(sumOf(sum, dialect)) : sum
  if (column.type === 'integer') return Number(digits)
  return readValue(column.spec, dialect.decode(digits, column.type))
}
