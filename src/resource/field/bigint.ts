// Whole numbers of 64 bits: digits in JSON, whose numbers are not exact so far, bigint inside. (contract 11.1.4)

import { type Field, type FieldKind, field, type NeedOf, type Problem, type SpecBase, shown } from './field.ts'

interface BigintSpec extends SpecBase {
  readonly min?: bigint
  readonly max?: bigint
}
const most64 = 2n ** 63n - 1n
const least64 = -most64 - 1n

/** A whole number of 64 bits, or narrower: bigint inside, text such as `"9007199254740993"` in JSON. */
export const bigint = <const D extends bigint = never>(
  options: { min?: bigint; max?: bigint; default?: D; unique?: true; was?: string; about?: string } = {},
): Field<'bigint', bigint, bigint, NeedOf<D>> => field('bigint', options)

const form = /^(?:0|-?[1-9]\d{0,18})$/
const inputForm = /^-?(?:0|[1-9]\d{0,18})$/
const least = (spec: BigintSpec) => spec.min ?? least64
const most = (spec: BigintSpec) => spec.max ?? most64

/** Whether a text is a number of 64 bits, as it is answered. */
export const isBigintText = (text: string): boolean => form.test(text) && is64(BigInt(text))
const is64 = (value: bigint): boolean => value >= least64 && value <= most64

export const kind: FieldKind<BigintSpec> = {
  column: 'bigint',
  options: ['min', 'max', 'default', 'unique', 'was'],
  embeddable: true,
  graphql: {
    name: 'BigInt',
    about: 'A whole number of 64 bits as text, such as `9007199254740993`.',
    clause: '11.1.4',
  },
  compares: 'in order',
  check(spec, value, problem) {
    if (typeof value !== 'string') return problem('', 'Must be a whole number as text, such as "42".')
    if (inputForm.test(value)) return inRange(spec, BigInt(value), problem)
    if (!/^-?[1-9]\d*$/.test(value)) return problem('', 'Must be a whole number as text, such as "42".')
    // It has more than 64 bits, and would take long to read.
    return inRange(spec, value.startsWith('-') ? least64 - 1n : most64 + 1n, problem)
  },
  checkValue(spec, value, problem) {
    if (typeof value !== 'bigint') return problem('', 'Must be a bigint.')
    return inRange(spec, value, problem)
  },
  read: (_, value) => (typeof value === 'string' ? BigInt(value) : value),
  write: (_, value) => (typeof value === 'bigint' ? String(value) : value),
  excess(spec, value) {
    if (typeof value !== 'bigint') return null
    if (value > most(spec)) return `The result is larger than ${most(spec)}.`
    return value < least(spec) ? `The result is smaller than ${least(spec)}.` : null
  },
  example: (spec) => String(least(spec) > 42n ? least(spec) : most(spec) < 42n ? most(spec) : 42n),
  schema: (spec, input) => ({
    type: 'string',
    format: 'int64',
    pattern: (input ? inputForm : form).source,
    maxLength: 20,
    description: `From ${least(spec)} to ${most(spec)}.`,
  }),
  contradiction(spec) {
    for (const limit of [least(spec), most(spec)]) {
      if (typeof limit !== 'bigint' || !is64(limit))
        return [`its limit ${shown(limit)} is no bigint of 64 bits`, 'write a whole number with an n, such as 10n']
    }
    if (least(spec) <= most(spec)) return null
    return [`its min ${least(spec)} is more than its max ${most(spec)}`, 'lower one or raise the other']
  },
}

function inRange(spec: BigintSpec, value: bigint, problem: Problem): unknown {
  if (value < least(spec)) return problem('', `At least ${least(spec)}.`)
  if (value > most(spec)) return problem('', `At most ${most(spec)}.`)
  return value
}
