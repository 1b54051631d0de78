// The few ways in which the two databases differ: parameters, how values are stored, lists of keys, locks.

import type { ColumnType } from '../../resource/field/field.ts'
import type { Engine, Value } from '../store.ts'
import { elementsTable } from './names.ts'

export interface Dialect {
  readonly engine: Engine
  /** The text of parameter `number`, counted from 1. One number may stand in several places. */
  parameter(number: number): string
  readonly columnTypes: Readonly<Record<ColumnType, string>>
  /** A record's value as a statement takes it. */
  encode(value: unknown, type: ColumnType): Value
  /** A stored value as callbacks see it. */
  decode(value: Value, type: ColumnType): unknown
  /** A stored value, not null, as JSON text. */
  readonly json: Readonly<Record<ColumnType, (value: Value) => string>>
  /** SQL for what `json` makes of a column of this type; `plain` where no character of a text is one that JSON escapes. */
  jsonSql(expression: string, type: ColumnType, plain: boolean): string
  /** Texts, none of them null, as one. */
  concat(texts: readonly string[]): string
  /** An aggregate: the texts of a subquery's rows, in their order, with commas between. */
  joinTexts(expression: string): string
  /** Many keys as one parameter, … */
  keys(values: readonly Value[]): Value
  /** … whether an expression is among them, … */
  among(expression: string, parameter: string): string
  /** … and a table of them, `alias(value, place)`, in their order; the first place is 0. */
  keyTable(parameter: string, alias: string): string
  /** The same of several such parameters, each a column; null where executions are not combined: SQLite is in this process. */
  readonly valueTable: ((columns: readonly TableColumn[], alias: string) => string) | null
  /** Whether a text with its limit saves planning it for every execution. */
  readonly inlinesLimits: boolean
  /** `order by` with null greater than any value. (contract 4.4.12) */
  order(expression: string, descending: boolean, nullable: boolean): string
  /** Ends a select whose rows are about to be written. */
  lock(strength: 'update' | 'share', alias: string): string
  /**
   * A condition: the JSON list in this column (`alias."name"`) of this table has the element, or an object whose part
   * has it. Served by the index that the filter derives.
   */
  listContains(column: string, part: string | null, parameter: string, table: string): string
  /** The same without its index: of any row, whether or not it is stored. */
  listHolds(column: string, parameter: string): string
  /** Where such elements are kept apart: the table `(value, created_at, id)` in which they are. */
  readonly elements: ((table: string, column: string, part: string | null) => string) | null
}

/** A column of values that a parameter holds, and what the database takes them for. */
export interface TableColumn {
  readonly name: string
  readonly parameter: string
  readonly type: string
}

export const quote = (name: string): string => `"${name}"`
/** An encoded value in the text of a statement, where a parameter will not do. */
export const literal = (value: Value): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

/** For what is short, to look whether it must be escaped takes half the time of escaping it. */
const toText = (value: Value): string =>
  (value as string).length < 64 && !escaped.test(value as string) ? `"${value as string}"` : JSON.stringify(value)
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/
/** Ids and moments consist of characters that JSON does not escape. */
const plainText = (value: Value): string => `"${value as string}"`

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  parameter: (number) => `?${number}`,
  columnTypes: { text: 'text', integer: 'integer', boolean: 'integer', timestamp: 'text', json: 'text' },
  encode(value, type) {
    if (value === null || value === undefined) return null
    if (type === 'boolean') return value ? 1 : 0
    return encode(value, type)
  },
  decode: (value, type) => (type === 'boolean' && value !== null ? value === 1 : decode(value, type)),
  json: {
    text: toText,
    integer: String,
    boolean: (value) => (value === 1 ? 'true' : 'false'),
    timestamp: plainText,
    json: (value) => value as string,
  },
  jsonSql(expression, type, plain) {
    if (type === 'boolean') return `case ${expression} when 1 then 'true' when 0 then 'false' end`
    if (type === 'timestamp' || plain) return `'"' || ${expression} || '"'`
    return type === 'text' ? `json_quote(${expression})` : expression
  },
  // As a function it does not copy what it has so far for each text.
  concat: (texts) => grouped(texts, mostArguments, (group) => `concat(${group.join(', ')})`),
  joinTexts: (expression) => `group_concat(${expression}, ',')`,
  keys: (ids) => JSON.stringify(ids),
  among: (expression, parameter) => `${expression} in (select value from json_each(${parameter}))`,
  keyTable: (parameter, alias) => `(select value, key as place from json_each(${parameter})) ${alias}`,
  valueTable: null,
  inlinesLimits: false,
  order: (expression, descending, nullable) =>
    `${expression} ${descending ? 'desc' : 'asc'}${nullable ? (descending ? ' nulls first' : ' nulls last') : ''}`,
  lock: () => '',
  listContains(column, part, parameter, table) {
    const [alias, name] = column.split('.') as [string, string]
    const elements = quote(elementsTable(table, name.replaceAll('"', ''), part))
    const same = `e.created_at = ${alias}."created_at" and e.id = ${alias}."id"`
    return `exists (select 1 from ${elements} e where e.value = ${parameter} and ${same})`
  },
  listHolds: (column, parameter) => `exists (select 1 from json_each(${column}) where value = ${parameter})`,
  elements: elementsTable,
}

export const postgresDialect: Dialect = {
  engine: 'postgres',
  parameter: (number) => `$${number}`,
  columnTypes: {
    text: 'text collate "C"',
    integer: 'integer',
    boolean: 'boolean',
    timestamp: 'timestamptz(3)',
    // Not jsonb, which keeps the members of an object in an order of its own. (contract 4.5.6)
    json: 'json',
  },
  encode: (value, type) => (value === null || value === undefined ? null : encode(value, type)),
  decode: (value, type) =>
    type === 'timestamp' && value !== null ? new Date(isoOfPostgres(value as string)) : decode(value, type),
  json: {
    text: toText,
    integer: String,
    boolean: String,
    timestamp: (value) => `"${isoOfPostgres(value as string)}"`,
    json: (value) => value as string,
  },
  jsonSql(expression, type, plain) {
    if (type === 'timestamp') return `'"' || to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`
    if (plain) return `'"' || ${expression} || '"'`
    return type === 'text' ? `to_json(${expression})::text` : `${expression}::text`
  },
  concat: (texts) => grouped(texts, 2, (group) => `(${group.join(' || ')})`),
  joinTexts: (expression) => `string_agg(${expression}, ',')`,
  keys: (values) => `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`,
  among: (expression, parameter) => `${expression} = any(${parameter}::text[])`,
  keyTable: (parameter, alias) => unnested([{ name: 'value', parameter, type: 'text' }], alias),
  valueTable: unnested,
  inlinesLimits: true,
  order: (expression, descending) => `${expression} ${descending ? 'desc' : 'asc'}`,
  lock: (strength, alias) => ` for ${strength} of ${alias}`,
  listContains: (column, part, parameter) =>
    part === null
      ? `${column}::jsonb @> jsonb_build_array(${parameter}::text)`
      : `${column}::jsonb @> jsonb_build_array(jsonb_build_object('${part}', ${parameter}::text))`,
  listHolds: (column, parameter) => `${column}::jsonb @> jsonb_build_array(${parameter}::text)`,
  elements: null,
}

/** SQLite's functions take 127 arguments, and its expressions nest a thousand deep: less than a chain of `||` may have. */
const mostArguments = 100

/** One expression of any number, as a tree that is as deep as the logarithm of that number. */
function grouped(texts: readonly string[], most: number, join: (group: readonly string[]) => string): string {
  if (texts.length <= most) return join(texts)
  const each = Math.ceil(texts.length / most)
  const groups = Array.from({ length: Math.ceil(texts.length / each) }, (_, at) =>
    grouped(texts.slice(at * each, (at + 1) * each), most, join),
  )
  return join(groups)
}

function unnested(columns: readonly TableColumn[], alias: string): string {
  const names = columns.map(({ name }) => name).join(', ')
  const arrays = columns.map(({ parameter, type }) => `${parameter}::${type}[]`).join(', ')
  return `(select ${names}, (number - 1)::integer as place from unnest(${arrays}) with ordinality as k(${names}, number)) ${alias}`
}

function encode(value: unknown, type: ColumnType): Value {
  switch (type) {
    case 'timestamp':
      return value instanceof Date ? value.toISOString() : (value as string)
    case 'json':
      return JSON.stringify(value)
    default:
      return value as Value
  }
}

function decode(value: Value, type: ColumnType): unknown {
  if (value === null) return null
  if (type === 'timestamp') return new Date(value as string)
  return type === 'json' ? JSON.parse(value as string) : value
}

/** `2026-11-20 09:30:00.5+00`, as PostgreSQL writes it in UTC, to `2026-11-20T09:30:00.500Z`. */
export function isoOfPostgres(text: string): string {
  const fraction = text.slice(19, -3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction === '' ? '.000' : fraction.padEnd(4, '0')}Z`
}

export const dialectOf = (engine: Engine): Dialect => (engine === 'sqlite' ? sqliteDialect : postgresDialect)
