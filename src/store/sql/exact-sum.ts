// Sums that are exact however large they are, and can be sorted by.

import type { ColumnType } from '../../resource/field/field.ts'
import type { Value } from '../store.ts'
import { isDecimalType } from './codec.ts'
import type { Dialect } from './dialect.ts'

/** How many digits of a number are behind the point. */
export const scaleOf = (type: ColumnType): number =>
  isDecimalType(type) ? Number(type.slice(type.indexOf(',') + 1, -1)) : 0

/**
 * SQL for the sum of an expression of this type, null where all of it is. SQLite's own ends with 64 bits, and its numbers of decimals
 * have no point: there it is a text, made of the sums of the upper and of the lower halves, in the order of what it stands for.
 */
export function sumSql(expression: string, { engine }: Dialect): string {
  if (engine === 'postgres') return `sum(${expression})::numeric`
  const upper = `sum(${expression} >> 32)`
  const lower = `sum(${expression} & ${halfMax})`
  const text = `printf('%0${upperDigits}d%010d', ${upper} + (${lower} >> 32) + ${middle}, ${lower} & ${halfMax})`
  return `case when count(${expression}) > 0 then ${text} end`
}
const halfMax = 4_294_967_295
/** Added to the upper half, so that no sum is negative. */
const middle = 2n ** 62n
const upperDigits = 19

/** As a cursor has it. */
export const sumType = (type: ColumnType, { engine }: Dialect): ColumnType =>
  engine === 'postgres' ? `decimal(38,${scaleOf(type)})` : 'text'

/** The number of last digits that a sum stands for. */
export function sumOf(value: Value, { engine }: Dialect): bigint {
  const text = String(value)
  if (engine === 'postgres') return BigInt(text.replace('.', ''))
  return (BigInt(text.slice(0, upperDigits)) - middle) * (BigInt(halfMax) + 1n) + BigInt(text.slice(upperDigits))
}

/** `1250` with two digits behind the point is `12.50`. */
export function pointed(number: bigint, scale: number): string {
  const digits = String(number < 0n ? -number : number).padStart(scale + 1, '0')
  const sign = number < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** The average with so many more digits; what is in the midst goes to the even one. */
export function average(sum: bigint, count: number, moreDigits: number): bigint {
  const divisor = BigInt(count)
  const size = (sum < 0n ? -sum : sum) * 10n ** BigInt(moreDigits)
  const whole = size / divisor
  const twice = (size % divisor) * 2n
  const rounded = twice > divisor || (twice === divisor && whole % 2n === 1n) ? whole + 1n : whole
  return sum < 0n ? -rounded : rounded
}
