// How a database stores the values of one type of column. What kinds of fields make of them is not known here.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { isBigintText } from '../../resource/field/bigint.ts'
import { isDate } from '../../resource/field/date.ts'
import { isDecimalText } from '../../resource/field/decimal.ts'
import type { ColumnType, DecimalType, PlainType } from '../../resource/field/field.ts'
import { integerMax } from '../../resource/field/number.ts'
import { isoText, parseTimestamp } from '../../resource/field/timestamp.ts'
import { isSmallUuid } from '../../resource/field/uuid.ts'
import type { Value } from '../store.ts'

/** Null is none of the values. */
export interface Codec {
  /** The type as a table declares it. */
  readonly declared: string
  /** What a parameter is taken for where nothing else tells; empty where no parameter needs it. */
  readonly cast: string
  /** SQL for a parameter that stands for a column, where the database would not take it for one of the type. */
  typed?(parameter: string): string
  /** A value of JSON as a statement takes it; a moment may be a Date. */
  encode(value: unknown): Value
  /** The reverse; moments are Dates. */
  decode(value: Value): unknown
  /** SQL for what is selected of a column, where that is not the column itself: numbers that are more than doubles come as texts. */
  selected?(expression: string): string
  /** A value, as it is selected or as a statement takes it, as JSON text. */
  json(value: Value): string
  /** SQL for what `json` makes of a column; `plain` where no character of a text is one that JSON escapes. Without it, the database would make other digits. */
  jsonSql?(expression: string, plain: boolean): string
}
export type Codecs = (type: ColumnType) => Codec

/** The codecs of one database; those of decimals are made as they are asked for. */
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

/** What is stored as JSON has it. */
export const asIs = { encode: (value: unknown) => value as Value, decode: (value: Value) => value } as const
export const asJson = {
  encode: (value: unknown) => JSON.stringify(value),
  decode: (value: Value) => JSON.parse(value as string),
  json: (value: Value) => value as string,
} as const

/** For what is short, to look whether it must be escaped takes half the time of escaping it. */
export const textJson = (value: Value): string =>
  (value as string).length < 64 && !escaped.test(value as string) ? `"${value as string}"` : JSON.stringify(value)
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/

export const isoOf = (value: unknown): string => (value instanceof Date ? isoText(value) : (value as string))
/** What is no number for JavaScript, as a text without an escape. */
export const quotedJson = (value: Value): string => `"${String(value)}"`
/** SQL for a text, none of whose characters JSON escapes, as JSON. */
export const quotedSql = (expression: string): string => `'"' || ${expression} || '"'`

/** Whether a value of JSON is one that a column of this type can hold, whatever the limits of its field. */
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
