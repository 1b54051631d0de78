// Sums that are exact on both databases, however many values there are.

import { readValue } from '../../resource/field/registry.ts'
import type { Column } from '../../resource/model/model.ts'
import type { StoredRow } from '../store.ts'
import type { Dialect } from './dialect.ts'

const isWhole = ({ type }: Column, { engine }: Dialect): boolean => engine === 'sqlite' && type !== 'double'

/**
 * The columns of a sum of this expression. SQLite adds whole numbers up in 64 bits and fails beyond them, so their halves are
 * added up apart.
 */
export function sumColumns(expression: string, column: Column, dialect: Dialect): string {
  if (isWhole(column, dialect))
    return `cast(sum((${expression}) >> 32) as text), cast(sum((${expression}) & 4294967295) as text)`
  return column.type === 'double' ? `sum(${expression})` : `cast(sum(${expression}) as text)`
}

/** The sum that a row of these columns holds, as callbacks see it; that of no values is 0. */
export function readSum(row: StoredRow, column: Column, dialect: Dialect): unknown {
  if (column.type === 'double') return (row[0] as number | null) ?? 0
  const [high, low] = row as readonly (string | null)[]
  const digits = isWhole(column, dialect) ? String((BigInt(high ?? 0) << 32n) + BigInt(low ?? 0)) : (high ?? '0')
  if (column.type === 'integer') return Number(digits)
  return readValue(column.spec, dialect.decode(digits, column.type))
}
