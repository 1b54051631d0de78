// 64-bit integers: bigint in code, text in JSON, whose numbers are not exact in this range. (contract 11.1.4)

import { type Field, type FieldKind, field, type NeedOf, type SpecBase, shown, type Was } from './field.ts'
import { excessOf, inRange, type Range, rangeContradiction } from './range.ts'

interface BigintSpec extends SpecBase {
  readonly min?: bigint
  readonly max?: bigint
}
const most64 = 2n ** 63n - 1n
const least64 = -most64 - 1n

/** A 64-bit integer, or narrower: bigint in code, text such as `"9007199254740993"` in JSON. */
export const bigint = <const D extends bigint = never>(
  options: { min?: bigint; max?: bigint; default?: D; unique?: true; was?: Was; column?: string; about?: string } = {},
): Field<'bigint', bigint, bigint, NeedOf<D>> => field('bigint', options)

const form = /^(?:0|-?[1-9]\d{0,18})$/
const inputForm = /^-?(?:0|[1-9]\d{0,18})$/
const rangeOf = ({ min = least64, max = most64 }: BigintSpec): Range<bigint> => ({ least: min, most: max })

export const isBigintText = (text: string): boolean => form.test(text) && is64(BigInt(text))
const is64 = (value: bigint): boolean => value >= least64 && value <= most64

export const kind: FieldKind<BigintSpec> = {
  column: 'bigint',
  options: ['min', 'max', 'default', 'unique', 'was', 'column'],
  embeddable: true,
  graphql: {
    name: 'BigInt',
    about: 'A whole number of 64 bits as text, such as `9007199254740993`.',
    clause: '11.1.4',
  },
  compares: 'in order',
  compared: () => ({ kind: 'bigint' }),
  check(spec, value, problem) {
    if (typeof value !== 'string') return problem('', 'Must be a whole number as text, such as "42".')
    if (inputForm.test(value)) return inRange(rangeOf(spec), BigInt(value), problem)
    if (!/^-?[1-9]\d*$/.test(value)) return problem('', 'Must be a whole number as text, such as "42".')
    // More than 64 bits: not parsed, which would take long.
    return inRange(rangeOf(spec), value.startsWith('-') ? least64 - 1n : most64 + 1n, problem)
  },
  checkValue(spec, value, problem) {
    if (typeof value !== 'bigint') return problem('', 'Must be a bigint.')
    return inRange(rangeOf(spec), value, problem)
  },
  read: (_, value) => (typeof value === 'string' ? BigInt(value) : value),
  write: (_, value) => (typeof value === 'bigint' ? String(value) : value),
  excess: (spec, value) => (typeof value === 'bigint' ? excessOf(rangeOf(spec), value) : null),
  example(spec) {
    const { least, most } = rangeOf(spec)
    return String(least > 42n ? least : most < 42n ? most : 42n)
  },
  schema(spec, input) {
    const { least, most } = rangeOf(spec)
    const pattern = (input ? inputForm : form).source
    const exact = { 'x-minimum': String(least), 'x-maximum': String(most) }
    return {
      type: 'string',
      format: 'int64',
      pattern,
      maxLength: 20,
      ...exact,
      description: `From ${least} to ${most}.`,
    }
  },
  contradiction(spec) {
    const range = rangeOf(spec)
    for (const limit of [range.least, range.most]) {
      if (typeof limit !== 'bigint' || !is64(limit))
        return [`its limit ${shown(limit)} is no bigint of 64 bits`, 'write a whole number with an n, such as 10n']
    }
    return rangeContradiction(range)
  },
}
