// How a database stores the values of a column type, independent of fields.

import { getOrInsert } from '../../../cache/get-or-insert.ts'
import { isBigintText } from '../../../resource/field/bigint.ts'
import { isDate } from '../../../resource/field/date.ts'
import { isDecimalText } from '../../../resource/field/decimal.ts'
import type { ColumnType, DecimalType, PlainType } from '../../../resource/field/field.ts'
import { integerMax } from '../../../resource/field/number.ts'
import { isoText, parseTimestamp } from '../../../resource/field/timestamp.ts'
import { isSmallUuid } from '../../../resource/field/uuid.ts'
import type { Value } from '../../store.ts'

export interface Codec {
  readonly declared: string
  /** The cast of a parameter whose type cannot be inferred; empty if unnecessary. */
  readonly cast: string
  /** Gives a parameter the column's type, if the database would not. */
  typed?(parameter: string): string
  encode(value: unknown): Value
  decode(value: Value): unknown
  /** The select expression, unless the column itself: numbers beyond doubles become text. */
  selected?(expression: string): string
  /** JSON text of a value, as selected or encoded. */
  json(value: Value): string
  /** SQL equivalent to `json`; `plain`: a text needs no escaping. Absent if the database would print other digits. */
  jsonSql?(expression: string, plain: boolean): string
}
export type Codecs = (type: ColumnType) => Codec

export function codecsOf(
  plain: Readonly<Record<PlainType, Codec>>,
  decimal: (precision: number, scale: number) => Codec,
): Codecs {
  const decimals = new Map<DecimalType, Codec>()
  return (type) =>
    plain[type as PlainType] ??
    getOrInsert(decimals, type as DecimalType, (decimalType) => decimal(...digitsOf(decimalType)))
}

export const isDecimalType = (type: ColumnType): type is DecimalType => type.startsWith('decimal(')
const digitsOf = (type: DecimalType): readonly [precision: number, scale: number] => {
  const [precision, scale] = type.slice('decimal('.length, -1).split(',').map(Number)
  return [precision!, scale!]
}

export const asIs = { encode: (value: unknown) => value as Value, decode: (value: Value) => value } as const
export const asJson = {
  encode: (value: unknown) => JSON.stringify(value),
  decode: (value: Value) => JSON.parse(value as string),
  json: (value: Value) => value as string,
} as const

/** For short texts, testing takes half the time of escaping. */
export const textJson = (value: Value): string =>
  (value as string).length < 64 && !escaped.test(value as string) ? `"${value as string}"` : JSON.stringify(value)
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/

export const isoOf = (value: unknown): string => (value instanceof Date ? isoText(value) : (value as string))
/** A number beyond JavaScript's precision, which needs no escaping. */
export const quotedJson = (value: Value): string => `"${String(value)}"`
export const quotedSql = (expression: string): string => `'"' || ${expression} || '"'`

/** By type alone, without the field's limits. */
export function isOfType(type: ColumnType, value: unknown): boolean {
  if (isDecimalType(type)) return isText(value) && isDecimalText(value, ...digitsOf(type))
  return tests[type](value)
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
const textThat =
  (holds: (text: string) => boolean) =>
  (value: unknown): boolean =>
    typeof value === 'string' && holds(value)

const tests: Readonly<Record<PlainType, (value: unknown) => boolean>> = {
  text: isText,
  integer: (value) => Number.isInteger(value) && Math.abs(value as number) <= integerMax,
  boolean: (value) => typeof value === 'boolean',
  timestamp: textThat((text) => parseTimestamp(text) !== null),
  json: isText,
  date: textThat(isDate),
  uuid: textThat(isSmallUuid),
  bigint: textThat(isBigintText),
  double: (value) => Number.isFinite(value),
}
