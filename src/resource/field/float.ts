// Numbers with a point, as exact as the 64 bits of a double are. (contract 11.1.3)

import { type Field, type FieldKind, field, type NeedOf, type SpecBase, shown } from './field.ts'
import { excessOf, inRange, type Range, rangeContradiction } from './range.ts'

interface FloatSpec extends SpecBase {
  readonly min?: number
  readonly max?: number
}

/** A number of 64 bits with a point, for what is measured; for money take `decimal`. */
export const float = <const D extends number = never>(
  options: { min?: number; max?: number; default?: D; was?: string; about?: string } = {},
): Field<'float', number, number, NeedOf<D>> => field('float', options)

const { MAX_VALUE } = Number
const rangeOf = ({ min = -MAX_VALUE, max = MAX_VALUE }: FloatSpec): Range<number> => ({ least: min, most: max })

export const kind: FieldKind<FloatSpec> = {
  column: 'double',
  options: ['min', 'max', 'default', 'was'],
  embeddable: true,
  graphql: 'Float',
  compares: 'in order',
  check(spec, value, problem) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return problem('', 'Must be a number.')
    return inRange(rangeOf(spec), value + 0, problem) // −0 is 0
  },
  ofText: (text) => (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/.test(text) ? Number(text) : text),
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
