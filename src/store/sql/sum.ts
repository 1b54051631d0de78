// Sums that are exact on both databases, however many values there are.

import { readValue } from '../../resource/field/registry.ts'
import type { Column } from '../../resource/model/column.ts'
import type { StoredRow } from '../store.ts'
import type { Dialect } from './dialect.ts'
import { sumOf, sumSql } from './exact-sum.ts'

const isWhole = ({ type }: Column, { engine }: Dialect): boolean => engine === 'sqlite' && type !== 'double'

/** The column of a sum of this expression. */
export function sumColumn(expression: string, column: Column, dialect: Dialect): string {
  if (isWhole(column, dialect)) return sumSql(`(${expression})`, dialect)
  return column.type === 'double' ? `sum(${expression})` : `cast(sum(${expression}) as text)`
}

/** The sum that a row of these columns holds, as callbacks see it; that of no values is 0. */
export function readSum(row: StoredRow, column: Column, dialect: Dialect): unknown {
  if (column.type === 'double') return (row[0] as number | null) ?? 0
  const sum = row[0] as string | null
  const digits = sum === null ? '0' : isWhole(column, dialect) ? String(sumOf(sum, dialect)) : sum
  if (column.type === 'integer') return Number(digits)
  return readValue(column.spec, dialect.decode(digits, column.type))
}
