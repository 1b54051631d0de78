// SQL that converts a column's values to another type, for the statements suggested by a refusal.

import { type Form, isJson } from '../sql/text/form.ts'
import type { Engine } from '../store.ts'

/** The kind of a column; `decimal` with its scale. */
export interface Held {
  readonly kind: string
  readonly scale: number
  readonly precision?: number
}

/** SQLite uses three types for all kinds, so the form determines the kind. */
export function heldBy(declared: string, form: Form | null): Held {
  const digits = /^(?:numeric|decimal)\((\d+),(\d+)\)/.exec(form?.types[0] ?? declared)
  if (digits !== null) return { kind: 'decimal', precision: Number(digits[1]), scale: Number(digits[2]) }
  if (isJson(form)) return { kind: 'json', scale: 0 }
  const kind = form === null || form.words !== undefined ? /^\w+/.exec(declared.toLowerCase())![0] : form.types[0]!
  return { kind: kinds[kind] ?? kind, scale: 0 }
}
const kinds: Readonly<Record<string, string>> = { timestamptz: 'timestamp', real: 'double' }

/** Numbers and moments convert as Unix seconds, texts as in JSON. */
export function conversion(engine: Engine, name: string, from: Held, to: Held): string {
  const { asNumber, ofNumber, asText, ofText, between } = engines[engine]
  const direct = between[`${from.kind} ${to.kind}`]
  if (direct !== undefined) return direct(name)
  const isNumeric = from.kind in asNumber && to.kind in ofNumber
  return isNumeric ? ofNumber[to.kind]!(asNumber[from.kind]!(name, from), from, to) : ofText(asText(name, from), to)
}

/** The number or moment as Unix seconds; null for a value of another kind. */
export const numberOf = (engine: Engine, name: string, from: Held): string | null =>
  engines[engine].asNumber[from.kind]?.(name, from) ?? null

export const textOf = (engine: Engine, name: string, from: Held): string => engines[engine].asText(name, from)

export const isNumber = (kind: string): boolean => ['integer', 'bigint', 'decimal', 'double'].includes(kind)

/** Whether values become the other kind as numbers, or directly, and can be converted back. */
export function isReversible(engine: Engine, from: Held, to: Held): boolean {
  const { asNumber, ofNumber, between } = engines[engine]
  const isDirect = `${from.kind} ${to.kind}` in between && `${to.kind} ${from.kind}` in between
  return isDirect || (from.kind in asNumber && to.kind in ofNumber)
}

interface Conversions {
  readonly asNumber: Readonly<Record<string, (value: string, from: Held) => string>>
  readonly ofNumber: Readonly<Record<string, (value: string, from: Held, to: Held) => string>>
  asText(value: string, from: Held): string
  ofText(value: string, to: Held): string
  readonly between: Readonly<Record<string, (value: string) => string>>
}

const same = (value: string): string => value
const factor = (scale: number): string => `1${'0'.repeat(scale)}`
/** These SQLite functions convert null to text. */
const unlessNull = (value: string, result: string): string => `case when ${value} is not null then ${result} end`
const isTrue = (value: string): string => `${value} <> 0`

/** Changes the scale of a number that is stored without its point. */
function rescaled(value: string, from: Held, to: Held): string {
  if (from.kind === 'double') return `cast(round(${value} * ${factor(to.scale)}) as integer)`
  if (from.scale === to.scale) return value
  const steps = factor(Math.abs(to.scale - from.scale))
  return from.scale < to.scale ? `${value} * ${steps}` : `${value} / ${steps}`
}

const sqlite: Conversions = {
  asNumber: {
    integer: same,
    bigint: same,
    boolean: same,
    double: same,
    decimal: same,
    timestamp: (value) => `cast(strftime('%s', ${value}) as integer)`,
    date: (value) => `cast(strftime('%s', ${value}) as integer)`,
  },
  ofNumber: {
    integer: rescaled,
    bigint: rescaled,
    decimal: rescaled,
    boolean: isTrue,
    double: (value, { scale }) => (scale === 0 ? `cast(${value} as real)` : `${value} / ${factor(scale)}.0`),
    timestamp: (value, from) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${seconds(value, from)}, 'unixepoch')`,
    date: (value, from) => `strftime('%Y-%m-%d', ${seconds(value, from)}, 'unixepoch')`,
  },
  asText(value, { kind, scale }) {
    if (kind === 'boolean') return `case ${value} when 1 then 'true' when 0 then 'false' end`
    if (kind !== 'decimal' || scale === 0) return `cast(${value} as text)`
    const digits = `abs(${value}) / ${factor(scale)}, abs(${value}) % ${factor(scale)}`
    return unlessNull(value, `printf('%s%d.%0${scale}d', iif(${value} < 0, '-', ''), ${digits})`)
  },
  ofText(value, { kind, scale }) {
    if (kind === 'json') return unlessNull(value, `json_quote(${value})`)
    if (kind === 'boolean') return `lower(${value}) in ('true', 't', 'yes', 'y', 'on', '1')`
    if (kind === 'integer' || kind === 'bigint') return `cast(${value} as integer)`
    if (kind === 'double') return `cast(${value} as real)`
    if (kind !== 'decimal') return value
    const point = `instr(${value} || '.', '.')`
    const fraction = `substr(substr(${value}, ${point} + 1) || '${'0'.repeat(scale)}', 1, ${scale})`
    return `cast(substr(${value}, 1, ${point} - 1) || ${fraction} as integer)`
  },
  between: {
    'timestamp date': (value) => `substr(${value}, 1, 10)`,
    'date timestamp': (value) => `${value} || 'T00:00:00.000Z'`,
  },
}
const seconds = (value: string, { scale }: Held): string => (scale === 0 ? value : `${value} / ${factor(scale)}.0`)

const inUtc = (value: string): string => `(${value} at time zone 'UTC')`
const postgres: Conversions = {
  asNumber: {
    integer: same,
    bigint: same,
    boolean: (value) => `${value}::integer`,
    double: (value) => `${value}::numeric`,
    decimal: same,
    timestamp: (value) => `floor(extract(epoch from ${value}))`,
    date: (value) => `extract(epoch from ${value})`,
  },
  ofNumber: {
    integer: (value) => `${value}::integer`,
    bigint: (value) => `${value}::bigint`,
    decimal: same,
    boolean: isTrue,
    double: (value) => `${value}::double precision`,
    timestamp: (value) => `to_timestamp(${value}::double precision)`,
    date: (value) => `${inUtc(`to_timestamp(${value}::double precision)`)}::date`,
  },
  asText(value, { kind }) {
    if (kind === 'timestamp') return `to_char(${inUtc(value)}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    return kind === 'json' ? `(${value} #>> '{}')` : `${value}::text`
  },
  ofText(value, { kind }) {
    if (kind === 'json') return `to_json(${value})`
    if (kind === 'double') return `${value}::double precision`
    if (kind === 'text') return value
    return `${value}::${types[kind] ?? kind}`
  },
  between: {
    'json text': (value) => `${value}::text`,
    'timestamp date': (value) => `${inUtc(value)}::date`,
    'date timestamp': (value) => inUtc(`${value}::timestamp`),
  },
}
const types: Readonly<Record<string, string>> = { timestamp: 'timestamptz', decimal: 'numeric' }

const engines: Readonly<Record<Engine, Conversions>> = { sqlite, postgres }
