// Exact, sortable sums of any size.

import type { ColumnType } from '../../../resource/field/field.ts'
import type { Value } from '../../store.ts'
import { isDecimalType } from './codec.ts'
import type { Dialect } from './dialect.ts'

/** Digits after the point; 0 for what is no decimal. */
export const scaleOf = (type: ColumnType): number =>
  isDecimalType(type) ? Number(type.slice(type.indexOf(',') + 1, -1)) : 0

/**
 * Null if all values are null. SQLite's own sum is limited to 64 bits: there it is a sortable text made of the sums of upper and
 * lower halves.
 */
export function sumSql(expression: string, { engine }: Dialect): string {
  if (engine === 'postgres') return `sum(${expression})::numeric`
  const upper = `sum(${expression} >> 32)`
  const lower = `sum(${expression} & ${halfMax})`
  const text = `printf('%0${upperDigits}d%010d', ${upper} + (${lower} >> 32) + ${middle}, ${lower} & ${halfMax})`
  return `case when count(${expression}) > 0 then ${text} end`
}
const halfMax = 4_294_967_295
/** Added to the upper half, so that it is not negative. */
const middle = 2n ** 62n
const upperDigits = 19

/** In cursors. */
export const sumType = (type: ColumnType, { engine }: Dialect): ColumnType =>
  engine === 'postgres' ? `decimal(38,${scaleOf(type)})` : 'text'

/** In units of the last digit. */
export function sumOf(value: Value, { engine }: Dialect): bigint {
  const text = String(value)
  if (engine === 'postgres') return BigInt(text.replace('.', ''))
  return (BigInt(text.slice(0, upperDigits)) - middle) * (BigInt(halfMax) + 1n) + BigInt(text.slice(upperDigits))
}

/** `1250` with scale 2 is `12.50`. */
export function pointed(number: bigint, scale: number): string {
  const digits = String(number < 0n ? -number : number).padStart(scale + 1, '0')
  const sign = number < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Rounds half to even. */
export function average(sum: bigint, count: number, moreDigits: number): bigint {
  const divisor = BigInt(count)
  const size = (sum < 0n ? -sum : sum) * 10n ** BigInt(moreDigits)
  const whole = size / divisor
  const twice = (size % divisor) * 2n
  const rounded = twice > divisor || (twice === divisor && whole % 2n === 1n) ? whole + 1n : whole
  return sum < 0n ? -rounded : rounded
}
