// Floating-point numbers with 64 bits. (contract 11.1.3)

import { isRounded, losesDigits } from '../../json/exact-number.ts'
import { type Field, type FieldKind, field, type NeedOf, type SpecBase, shown, type Was } from './field.ts'
import { excessOf, inRange, type Range, rangeContradiction } from './range.ts'

interface FloatSpec extends SpecBase {
  readonly min?: number
  readonly max?: number
}

/** A 64-bit floating-point number, for measurements; for money use `decimal`. */
export const float = <const D extends number = never>(
  options: { min?: number; max?: number; default?: D; was?: Was; column?: string; about?: string } = {},
): Field<'float', number, number, NeedOf<D>> => field('float', options)

const { MAX_VALUE } = Number
const rangeOf = ({ min = -MAX_VALUE, max = MAX_VALUE }: FloatSpec): Range<number> => ({ least: min, most: max })

export const kind: FieldKind<FloatSpec> = {
  column: 'double',
  options: ['min', 'max', 'default', 'was', 'column'],
  embeddable: true,
  graphql: 'Float',
  compares: 'in order',
  compared: () => ({ kind: 'float' }),
  check(spec, value, problem) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return problem('', 'Must be a number.')
    return inRange(rangeOf(spec), value + 0, problem) // −0 becomes 0
  },
  ofText(text, problem) {
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/.test(text)) return text
    return isRounded(text) ? problem('', losesDigits) : Number(text)
  },
  excess: (spec, value) => (typeof value === 'number' ? excessOf(rangeOf(spec), value) : null),
  example(spec) {
    const { least, most } = rangeOf(spec)
    return Math.min(Math.max(1.5, least), most)
  },
  schema: ({ min, max }) => ({
    type: 'number',
    format: 'double',
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }),
  contradiction(spec) {
    for (const limit of [spec.min ?? 0, spec.max ?? 0])
      if (!Number.isFinite(limit)) return [`its limit ${shown(limit)} is no number`, 'choose a finite number, or none']
    return rangeContradiction(rangeOf(spec))
  },
}
