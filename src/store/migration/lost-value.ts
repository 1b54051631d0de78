// Which stored values a conversion would change, so that no suggested statement destroys any.

import { literal } from '../sql/text/dialect.ts'
import type { Engine } from '../store.ts'
import { conversion, type Held, isReversible, numberOf, textOf } from './conversion.ts'

/** A condition for values that `conversion` does not keep; null if it keeps all. Null is always kept. */
export function lostValue(engine: Engine, name: string, from: Held, to: Held): string | null {
  if (isIncluded(from, to)) return null
  const text = textOf(engine, name, from)
  if (isText(to)) {
    const isRounded = engine === 'sqlite' && from.kind === 'double'
    return isRounded ? `${name} is not null and cast(${text} as real) <> ${name}` : null
  }
  if (isReversible(engine, from, to)) return changed(engine, name, from, to)
  const test = readsAs(engine, text, to)
  return test === null ? null : `${name} is not null and not (${test})`
}

const isText = ({ kind }: Held): boolean => kind === 'text' || kind === 'json'

const isIncluded = (from: Held, to: Held): boolean =>
  from.kind === to.kind &&
  from.scale === to.scale &&
  (from.kind !== 'decimal' || (from.precision ?? digitsMax) <= (to.precision ?? digitsMax))

/** Digits of a decimal on SQLite. */
const digitsMax = 18

/** It is converted there and back; what is out of range cannot even be converted. */
function changed(engine: Engine, name: string, from: Held, to: Held): string {
  const there = `(${conversion(engine, name, from, to)})`
  const rounded = engine === 'postgres' && to.kind === 'decimal' ? `round(${there}::numeric, ${to.scale})` : there
  // An integer of PostgreSQL fails where it has no room.
  const isInteger = engine === 'postgres' && (from.kind === 'integer' || from.kind === 'bigint')
  const back = (isInteger && numberOf(engine, rounded, to)) || conversion(engine, rounded, to, from)
  const outside = isOutside(engine, name, from, to)
  const cases = outside === null ? '' : `when ${outside} then true `
  return `case when ${name} is null then false ${cases}else (${back}) is distinct from ${name} end`
}

function isOutside(engine: Engine, name: string, from: Held, to: Held): string | null {
  const [least, most] = rangeOf(to) ?? []
  const number = numberOf(engine, name, from)
  if (least === undefined || number === null) return null
  const value = engine === 'sqlite' ? `cast(${number} as real) / 1${'0'.repeat(from.scale)}` : `(${number})::numeric`
  return `${value} not between ${least} and ${most}`
}

function rangeOf({ kind, precision = digitsMax, scale }: Held): readonly [least: string, most: string] | null {
  if (kind === 'decimal') {
    const most = `${'9'.repeat(precision - scale) || '0'}.${'9'.repeat(scale) || '0'}`
    return [`-${most}`, most]
  }
  return ranges[kind] ?? null
}
const ranges: Readonly<Record<string, readonly [string, string]>> = {
  integer: ['-2147483648', '2147483647'],
  bigint: ['-9223372036854774784', '9223372036854774784'],
  // The years 1 to 9999.
  timestamp: ['-62135596800', '253402300799'],
  date: ['-62135596800', '253402300799'],
}

/** Whether the text is the usual form of a value of this kind: no leading zero or plus, of which a number keeps nothing. */
function readsAs(engine: Engine, text: string, { kind, precision = digitsMax, scale }: Held): string | null {
  const { integer, double, decimal, matches } = readers[engine]
  if (kind === 'boolean') return `lower(${text}) in (${booleans.map(literal).join(', ')})`
  if (kind === 'integer' || kind === 'bigint') return integer(text, ranges[kind]!)
  if (kind === 'double') return double(text)
  if (kind === 'decimal') return decimal(text, precision - scale, scale)
  // On SQLite they are texts, whose form the next start tests.
  return matches === null ? null : matches(text, patterns[kind]!)
}
const booleans = ['true', 't', 'yes', 'y', 'on', '1', 'false', 'f', 'no', 'n', 'off', '0']
const day = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])'
const patterns: Readonly<Record<string, string>> = {
  date: day,
  timestamp: `${day}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,3})?(Z|[+-][0-9]{2}:[0-9]{2})`,
  uuid: '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
}

interface Readers {
  readonly integer: (text: string, range: readonly [string, string]) => string
  readonly double: (text: string) => string
  readonly decimal: (text: string, digits: number, scale: number) => string
  readonly matches: ((text: string, pattern: string) => string) | null
}

const matches = (text: string, pattern: string): string => `${text} ~ '^(${pattern})$'`
/** So many digits are exact in a double. */
const exactDigits = 15

/** JSON has the usual form of numbers. */
const isPlainNumber = (text: string, more: string): string =>
  `case when json_valid(${text}) then json_type(${text}) in ('integer', 'real') and ${text} not glob '*[^0-9.-]*' and ${more} else false end`

const readers: Readonly<Record<Engine, Readers>> = {
  sqlite: {
    integer: (text, [least, most]) =>
      `cast(cast(${text} as integer) as text) = ${text} and cast(${text} as integer) between ${least} and ${most}`,
    double: (text) => isPlainNumber(text, `length(replace(replace(${text}, '-', ''), '.', '')) <= ${exactDigits}`),
    decimal(text, digits, scale) {
      const point = `instr(${text} || '.', '.')`
      const whole = `length(ltrim(substr(${text}, 1, ${point} - 1), '-0')) <= ${digits}`
      return isPlainNumber(text, `${whole} and length(rtrim(substr(${text}, ${point} + 1), '0')) <= ${scale}`)
    },
    matches: null,
  },
  postgres: {
    integer: (text, [least, most]) =>
      `case when ${matches(text, '0|-?[1-9][0-9]{0,18}')} then (${text})::numeric between ${least} and ${most} else false end`,
    double: (text) =>
      `${matches(text, '-?(0|[1-9][0-9]*)(\\.[0-9]+)?')} and length(translate(${text}, '-.', '')) <= ${exactDigits}`,
    decimal(text, digits, scale) {
      const whole = digits === 0 ? '0' : `0|[1-9][0-9]{0,${digits - 1}}`
      return matches(text, `-?(${whole})(\\.[0-9]{0,${scale}}0*)?`)
    },
    matches,
  },
}
