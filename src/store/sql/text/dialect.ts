// The differences between the databases: parameters, storage of values, key lists, locks.

import type { ColumnType } from '../../../resource/field/field.ts'
import type { Engine, Value } from '../../store.ts'
import type { Codec, Codecs } from './codec.ts'
import { elementsTable } from './names.ts'
import { postgresCodecs } from './postgres-codecs.ts'
import { sqliteCodecs } from './sqlite-codecs.ts'

export interface Dialect {
  readonly engine: Engine
  /** `number` starts at 1 and may repeat. */
  parameter(number: number): string
  readonly codec: Codecs
  /** From JSON, null included; a moment may be a Date. */
  encode(value: unknown, type: ColumnType): Value
  /** Moments are Dates. */
  decode(value: Value, type: ColumnType): unknown
  concat(texts: readonly string[]): string
  /** Aggregates a subquery's texts in order, separated by commas. */
  joinTexts(expression: string): string
  keys(values: readonly Value[]): Value
  among(expression: string, parameter: string): string
  amongValues(expression: string, parameter: string, type: ColumnType): string
  /** Among the parts of one text between its commas. */
  amongParts(expression: string, parameter: string): string
  /** A table `alias(value, place)` in order; `place` starts at 0. */
  keyTable(parameter: string, alias: string): string
  /** For several parameters, each a column; null if executions are not combined. */
  readonly valueTable: ((columns: readonly TableColumn[], alias: string) => string) | null
  readonly inlinesLimits: boolean
  /** Null is greater than any value. (contract 4.4.12) */
  order(expression: string, descending: boolean, nullable: boolean): string
  lock(strength: Lock, alias: string): string
  /** Whether the JSON list in `alias."name"` contains the element, or an object with this `part`, by the filter's index. */
  listContains(column: string, part: string | null, parameter: string, table: string): string
  /** Compares letter by letter, with a text that is not empty. */
  endsWith(column: string, parameter: string): string
  includes(column: string, parameter: string): string
  /** Without the index, for any row, stored or not. */
  listHolds(column: string, parameter: string): string
  /** The table `(value, created_at, id)` of elements, if there is one. */
  readonly elements: ((table: string, column: string, part: string | null) => string) | null
}

/** `no key update` excludes writers but permits references, as keys never change. `skip locked` omits rows locked by others. */
export type Lock = Strength | `${Strength} skip locked`
export type Strength = 'no key update' | 'share'

export interface TableColumn {
  readonly name: string
  readonly parameter: string
  readonly type: string
}

export const quote = (name: string): string => `"${name}"`
export const literal = (value: Value): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  parameter: (number) => `?${number}`,
  codec: sqliteCodecs,
  encode: (value, type) => encode(value, sqliteCodecs(type)),
  decode: (value, type) => decode(value, sqliteCodecs(type)),
  // Unlike `||`, a function does not copy its prefix for each text.
  concat: (texts) => grouped(texts, mostArguments, (group) => `concat(${group.join(', ')})`),
  joinTexts: (expression) => `group_concat(${expression}, ',')`,
  keys: (ids) => JSON.stringify(ids),
  among: (expression, parameter) => `${expression} in (select value from json_each(${parameter}))`,
  amongValues: (expression, parameter, type) =>
    `${expression} in (select ${sqliteCodecs(type).typed?.('value') ?? 'value'} from json_each(${parameter}))`,
  amongParts: (expression, parameter) =>
    `${expression} in (select value from json_each('["' || replace(${parameter}, ',', '","') || '"]'))`,
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
  endsWith: (column, parameter) => `substr(${column}, -length(${parameter})) = ${parameter}`,
  includes: (column, parameter) => `instr(${column}, ${parameter}) > 0`,
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
  keys: (values) => `{${values.map(elementText).join(',')}}`,
  among: (expression, parameter) => `${expression} = any(${parameter}::text[])`,
  amongValues: (expression, parameter, type) => `${expression} = any(${parameter}::${postgresCodecs(type).cast}[])`,
  amongParts: (expression, parameter) => `${expression} = any(string_to_array(${parameter}, ','))`,
  keyTable: (parameter, alias) => unnested([{ name: 'value', parameter, type: 'text' }], alias),
  valueTable: unnested,
  inlinesLimits: true,
  order: (expression, descending) => `${expression} ${descending ? 'desc' : 'asc'}`,
  lock: (lock, alias) => {
    const strength = lock.replace(' skip locked', '')
    return ` for ${strength} of ${alias}${strength === lock ? '' : ' skip locked'}`
  },
  listContains: (column, part, parameter) =>
    part === null
      ? `${column}::jsonb @> jsonb_build_array(${parameter}::text)`
      : `${column}::jsonb @> jsonb_build_array(jsonb_build_object('${part}', ${parameter}::text))`,
  endsWith: (column, parameter) => `right(${column}, length(${parameter}::text)) = ${parameter}::text`,
  includes: (column, parameter) => `strpos(${column}, ${parameter}::text) > 0`,
  listHolds: (column, parameter) => `${column}::jsonb @> jsonb_build_array(${parameter}::text)`,
  elements: null,
}

/** As PostgreSQL reads elements of arrays. */
const elementText = (value: Value): string =>
  value === null ? 'null' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`

/** SQLite permits 127 arguments, and nesting of 1,000, which a chain of `||` may exceed. */
const mostArguments = 100

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
