// SQLite stores texts, 64-bit integers and doubles; other types are mapped to these.

import type { Value } from '../../store.ts'
import { asIs, asJson, type Codec, codecsOf, isoOf, quotedJson, quotedSql, textJson } from './codec.ts'

const unquoted = (expression: string): string => expression
const asText = (expression: string): string => `cast(${expression} as text)`
// Large numbers are passed as text, and compared with a column as numbers.
const asInteger = (parameter: string): string => `cast(${parameter} as integer)`
/** Texts that need no escaping in JSON. */
const plainText = { ...asIs, declared: 'text', cast: '', json: quotedJson, jsonSql: quotedSql } as const

export const sqliteCodecs = codecsOf(
  {
    text: {
      ...asIs,
      declared: 'text',
      cast: '',
      json: textJson,
      jsonSql: (expression, plain) => (plain ? quotedSql(expression) : `json_quote(${expression})`),
    },
    integer: { ...asIs, declared: 'integer', cast: '', json: String, jsonSql: unquoted },
    boolean: {
      declared: 'integer',
      cast: '',
      encode: (value) => (value ? 1 : 0),
      decode: (value) => value === 1,
      json: (value) => (value === 1 ? 'true' : 'false'),
      jsonSql: (expression) => `case ${expression} when 1 then 'true' when 0 then 'false' end`,
    },
    timestamp: { ...plainText, encode: isoOf, decode: (value) => new Date(value as string) },
    json: { ...asJson, declared: 'text', cast: '', jsonSql: unquoted },
    date: plainText,
    uuid: plainText,
    bigint: {
      declared: 'integer',
      cast: '',
      ...asIs,
      typed: asInteger,
      selected: asText,
      json: quotedJson,
      jsonSql: (expression) => quotedSql(asText(expression)),
    },
    double: { ...asIs, declared: 'real', cast: '', json: String },
  },
  (_, scale) => decimal(scale),
)

/** Integers in units of the last digit: exact and sortable. */
function decimal(scale: number): Codec {
  const decode = (value: Value): string => withPoint(String(value), scale)
  return {
    declared: 'integer',
    cast: '',
    encode: (value) => (value as string).replace('.', ''),
    typed: asInteger,
    decode,
    selected: asText,
    json: (value) => quotedJson(decode(value)),
    jsonSql: (expression) => quotedSql(withPointSql(expression, scale)),
  }
}

/** `-5` with scale 2 is `-0.05`. */
function withPoint(digits: string, scale: number): string {
  if (scale === 0) return digits
  const [sign, number] = digits.startsWith('-') ? ['-', digits.slice(1)] : ['', digits]
  const padded = number.padStart(scale + 1, '0')
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

function withPointSql(expression: string, scale: number): string {
  if (scale === 0) return asText(expression)
  const unit = `1${'0'.repeat(scale)}`
  const size = `abs(${expression})`
  return `iif(${expression} < 0, '-', '') || (${size} / ${unit}) || '.' || substr(${unit} + ${size} % ${unit}, 2)`
}
