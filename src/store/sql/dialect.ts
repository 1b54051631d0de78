// The few ways in which the two databases differ: parameters, how values are stored, lists of keys, locks.

import type { ColumnType } from '../../resource/field/field.ts'
import type { Engine, Value } from '../store.ts'
import type { Codec, Codecs } from './codec.ts'
import { elementsTable } from './names.ts'
import { postgresCodecs } from './postgres-codecs.ts'
import { sqliteCodecs } from './sqlite-codecs.ts'

export interface Dialect {
  readonly engine: Engine
  /** The text of parameter `number`, counted from 1. One number may stand in several places. */
  parameter(number: number): string
  readonly codec: Codecs
  /** A value of JSON as a statement takes it, null included; a moment may be a Date. */
  encode(value: unknown, type: ColumnType): Value
  /** The reverse; moments are Dates. */
  decode(value: Value, type: ColumnType): unknown
  /** Texts, none of them null, as one. */
  concat(texts: readonly string[]): string
  /** An aggregate: the texts of a subquery's rows, in their order, with commas between. */
  joinTexts(expression: string): string
  /** Many keys as one parameter, … */
  keys(values: readonly Value[]): Value
  /** … whether an expression is among them, … */
  among(expression: string, parameter: string): string
  /** … the same of values of a type other than text, … */
  amongValues(expression: string, parameter: string, type: ColumnType): string
  /** … and a table of them, `alias(value, place)`, in their order; the first place is 0. */
  keyTable(parameter: string, alias: string): string
  /** The same of several such parameters, each a column; null where executions are not combined: SQLite is in this process. */
  readonly valueTable: ((columns: readonly TableColumn[], alias: string) => string) | null
  /** Whether a text with its limit saves planning it for every execution. */
  readonly inlinesLimits: boolean
  /** `order by` with null greater than any value. (contract 4.4.12) */
  order(expression: string, descending: boolean, nullable: boolean): string
  /** Ends a select whose rows are about to be written. */
  lock(strength: Lock, alias: string): string
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

/** `no key update`: nobody else writes the row, and others may still refer to it. */
export type Lock = 'update' | 'no key update' | 'share'

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

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  parameter: (number) => `?${number}`,
  codec: sqliteCodecs,
  encode: (value, type) => encode(value, sqliteCodecs(type)),
  decode: (value, type) => decode(value, sqliteCodecs(type)),
  // As a function it does not copy what it has so far for each text.
  concat: (texts) => grouped(texts, mostArguments, (group) => `concat(${group.join(', ')})`),
  joinTexts: (expression) => `group_concat(${expression}, ',')`,
  keys: (ids) => JSON.stringify(ids),
  among: (expression, parameter) => `${expression} in (select value from json_each(${parameter}))`,
  amongValues: (expression, parameter, type) =>
    `${expression} in (select ${sqliteCodecs(type).typed?.('value') ?? 'value'} from json_each(${parameter}))`,
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
  codec: postgresCodecs,
  encode: (value, type) => encode(value, postgresCodecs(type)),
  decode: (value, type) => decode(value, postgresCodecs(type)),
  concat: (texts) => grouped(texts, 2, (group) => `(${group.join(' || ')})`),
  joinTexts: (expression) => `string_agg(${expression}, ',')`,
  keys: (values) => `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`,
  among: (expression, parameter) => `${expression} = any(${parameter}::text[])`,
  amongValues: (expression, parameter, type) => `${expression} = any(${parameter}::${postgresCodecs(type).cast}[])`,
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

const encode = (value: unknown, codec: Codec): Value =>
  value === null || value === undefined ? null : codec.encode(value)
const decode = (value: Value, codec: Codec): unknown => (value === null ? null : codec.decode(value))

export const dialectOf = (engine: Engine): Dialect => (engine === 'sqlite' ? sqliteDialect : postgresDialect)
