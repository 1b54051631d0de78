// Exact decimal numbers such as money: text in JSON, a bignumber.js value in code. (contract 11.1.5)

import { BigNumber } from 'bignumber.js'
import { type Decimal, exactOf, form, lengthMax } from './exact.ts'
import {
  type Field,
  type FieldKind,
  field,
  type NeedOf,
  type Problem,
  type SpecBase,
  shown,
  type Was,
} from './field.ts'

interface DecimalSpec extends SpecBase {
  readonly precision: number
  readonly scale: number
  readonly min?: Decimal | string
  readonly max?: Decimal | string
}

/**
 * An exact number of at most `precision` digits (1 to 18), `scale` of them after the point: a Decimal in code, text with exactly
 * `scale` decimals in JSON, such as `"12.50"`. Code may give text instead. Code must round results with more decimals:
 * `price.times(rate).decimalPlaces(2)`.
 */
export const decimal = <const D extends string = never>(options: {
  precision: number
  scale: number
  min?: string
  max?: string
  default?: D
  unique?: true
  was?: Was
  column?: string
  about?: string
}): Field<'decimal', Decimal, Decimal, NeedOf<D>> => field('decimal', options)

const Exact = exactOf(0)
const digitsMax = 18

const limitOf = (precision: number, scale: number): Decimal => new Exact(10).pow(precision).minus(1).shiftedBy(-scale)
const least = (spec: DecimalSpec): Decimal =>
  spec.min === undefined ? limitOf(spec.precision, spec.scale).negated() : new Exact(spec.min)
const most = (spec: DecimalSpec): Decimal =>
  spec.max === undefined ? limitOf(spec.precision, spec.scale) : new Exact(spec.max)
const isDecimal = (value: unknown): value is Decimal => BigNumber.isBigNumber(value)

/** Positive if the first is larger, 0 if equal. */
export const compareDecimalTexts = (one: string, other: string): number => new Exact(one).comparedTo(other) ?? 0

export function isDecimalText(text: string, precision: number, scale: number): boolean {
  if (text.length > lengthMax || !form.test(text)) return false
  const number = new Exact(text)
  return textOf(number, scale) === text && !number.abs().isGreaterThan(limitOf(precision, scale))
}

export const kind: FieldKind<DecimalSpec> = {
  column: { of: ({ precision, scale }) => `decimal(${precision},${scale})` },
  options: ['precision', 'scale', 'min', 'max', 'default', 'unique', 'was', 'column'],
  embeddable: true,
  graphql: { name: 'Decimal', about: 'An exact number as text, such as `12.50`.', clause: '11.1.5' },
  compares: 'in order',
  // The highest precision, as only the scale depends on the stored type.
  compared: ({ scale }) => ({ kind: 'decimal', precision: digitsMax, scale }) as DecimalSpec,
  check(spec, value, problem) {
    if (typeof value !== 'string' || value.length > lengthMax || !form.test(value))
      return problem('', `Must be a number as text, such as "${exampleOf(spec)}".`)
    const number = new Exact(value)
    const digits = value.length - value.indexOf('.') - 1
    if (value.includes('.') && digits > spec.scale)
      return problem(
        '',
        spec.scale === 0 ? 'Must be a whole number as text.' : `At most ${spec.scale} digits after the point.`,
      )
    return inRange(spec, number, problem)
  },
  checkValue(spec, value, problem) {
    if (typeof value === 'string') return kind.check(spec, value, problem, (part) => part)
    if (!isDecimal(value) || !value.isFinite()) return problem('', 'Must be a Decimal, or text such as "12.50".')
    if (value.decimalPlaces()! > spec.scale)
      return problem(
        '',
        `Has more than ${spec.scale} digits after the point: round it by decimalPlaces(${spec.scale}).`,
      )
    return inRange(spec, new Exact(value), problem)
  },
  read: ({ scale }, value) => (typeof value === 'string' && form.test(value) ? new (exactOf(scale))(value) : value),
  write({ scale }, value) {
    const number = typeof value === 'string' && value.length <= lengthMax && form.test(value) ? new Exact(value) : value
    if (!isDecimal(number)) return value
    // `check` refuses more decimals.
    return number.decimalPlaces()! > scale ? number.toFixed() : textOf(number, scale)
  },
  excess(spec, value) {
    if (!isDecimal(value) || value.isNaN()) return null
    if (value.isGreaterThan(most(spec))) return `The result is larger than ${textOf(most(spec), spec.scale)}.`
    return value.isLessThan(least(spec)) ? `The result is smaller than ${textOf(least(spec), spec.scale)}.` : null
  },
  example: exampleOf,
  schema(spec, input) {
    const { precision, scale } = spec
    const whole = precision === scale ? '0' : `(?:0|[1-9]\\d{0,${precision - scale - 1}})`
    const fraction = scale === 0 ? '' : input ? `(?:\\.\\d{1,${scale}})?` : `\\.\\d{${scale}}`
    const [from, to] = [textOf(least(spec), scale), textOf(most(spec), scale)]
    return {
      type: 'string',
      format: 'decimal',
      pattern: `^-?${whole}${fraction}$`,
      maxLength: precision + 3,
      // JSON Schema has no bounds for numbers in text; the contract check reads these.
      'x-minimum': from,
      'x-maximum': to,
      description: `From ${from} to ${to}.`,
    }
  },
  contradiction,
}

const textOf = (number: Decimal, scale: number): string => (number.isZero() ? new Exact(0) : number).toFixed(scale)

function inRange(spec: DecimalSpec, number: Decimal, problem: Problem): unknown {
  if (number.isLessThan(least(spec))) return problem('', `At least ${textOf(least(spec), spec.scale)}.`)
  if (number.isGreaterThan(most(spec))) return problem('', `At most ${textOf(most(spec), spec.scale)}.`)
  return new (exactOf(spec.scale))(number.isZero() ? 0 : number)
}

function exampleOf(spec: DecimalSpec): string {
  const usual = new Exact('12.5').decimalPlaces(spec.scale)
  return textOf(Exact.min(Exact.max(usual, least(spec)), most(spec)), spec.scale)
}

function contradiction(spec: DecimalSpec): ReturnType<NonNullable<FieldKind['contradiction']>> {
  const { precision, scale, min, max } = spec
  if (!isCount(precision) || precision < 1 || precision > digitsMax)
    return [`its precision ${shown(precision)} is none`, `set its number of digits, from 1 to ${digitsMax}`]
  if (!isCount(scale) || scale > precision)
    return [`its scale ${shown(scale)} is none`, `set how many of its ${precision} digits follow the point`]
  for (const limit of [min, max]) {
    if (limit === undefined) continue
    let unfit = false
    kind.checkValue!({ kind: 'decimal', precision, scale } as DecimalSpec, limit, () => {
      unfit = true
    })
    if (unfit) return [`its limit ${shown(limit)} is none of its values`, 'write a number as text, such as "0"']
  }
  if (least(spec).isLessThanOrEqualTo(most(spec))) return null
  return [`its min ${String(min)} is more than its max ${String(max)}`, 'lower one or raise the other']
}
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
