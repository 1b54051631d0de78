// PostgreSQL's own types, in the text form of the driver.

import { asIs, asJson, codecsOf, isoOf, quotedJson, quotedSql, textJson } from './codec.ts'

const asText = (expression: string): string => `${expression}::text`
/** Texts that need no escaping in JSON. */
const plainText = { ...asIs, json: quotedJson, jsonSql: (expression: string) => quotedSql(asText(expression)) } as const

export const postgresCodecs = codecsOf(
  {
    text: {
      ...asIs,
      declared: 'text collate "C"',
      cast: 'text',
      json: textJson,
      jsonSql: (expression, plain) => (plain ? quotedSql(expression) : `to_json(${expression})::text`),
    },
    integer: { ...asIs, declared: 'integer', cast: 'integer', json: String, jsonSql: asText },
    boolean: { ...asIs, declared: 'boolean', cast: 'boolean', json: String, jsonSql: asText },
    timestamp: {
      declared: 'timestamptz(3)',
      cast: 'timestamptz',
      encode: isoOf,
      decode: (value) => new Date(isoOfPostgres(value as string)),
      json: (value) => `"${isoOfPostgres(value as string)}"`,
      jsonSql: (expression) => `'"' || to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`,
    },
    // Not jsonb, which reorders members. (contract 4.5.6)
    json: { ...asJson, declared: 'json', cast: 'json', jsonSql: asText },
    date: { ...plainText, declared: 'date', cast: 'date' },
    uuid: { ...plainText, declared: 'uuid', cast: 'uuid' },
    bigint: { ...plainText, declared: 'bigint', cast: 'bigint', selected: asText },
    double: { ...asIs, declared: 'double precision', cast: 'double precision', json: String },
  },
  (precision, scale) => ({ ...plainText, declared: `numeric(${precision},${scale})`, cast: 'numeric' }),
)

/** `2026-11-20 09:30:00.5+00` becomes `2026-11-20T09:30:00.500Z`; the latter stays unchanged. */
export function isoOfPostgres(text: string): string {
  if (text[10] === 'T') return text
  const fraction = text.slice(19, -3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction === '' ? '.000' : fraction.padEnd(4, '0')}Z`
}
