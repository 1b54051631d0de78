// Numbers with a point, as exact as the 64 bits of a double are. (contract 11.1.3)

import { type Field, type FieldKind, field, type NeedOf, type SpecBase, shown } from './field.ts'

interface FloatSpec extends SpecBase {
  readonly min?: number
  readonly max?: number
}

/** A number of 64 bits with a point, for what is measured; for money take `decimal`. */
export const float = <const D extends number = never>(
  options: { min?: number; max?: number; default?: D; was?: string; about?: string } = {},
): Field<'float', number, number, NeedOf<D>> => field('float', options)

const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number
const least = ({ min = NEGATIVE_INFINITY }: FloatSpec) => min
const most = ({ max = POSITIVE_INFINITY }: FloatSpec) => max

export const kind: FieldKind<FloatSpec> = {
  column: 'double',
  options: ['min', 'max', 'default', 'was'],
  embeddable: true,
  graphql: 'Float',
  compares: 'in order',
  check(spec, value, problem) {
    if (typeof value !== 'number' || !Number.isFinite(value)) return problem('', 'Must be a number.')
    if (value < least(spec)) return problem('', `At least ${least(spec)}.`)
    if (value > most(spec)) return problem('', `At most ${most(spec)}.`)
    return value + 0 // −0 is 0
  },
  ofText: (text) => (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?$/.test(text) ? Number(text) : text),
  excess(spec, value) {
    if (typeof value !== 'number' || Number.isNaN(value)) return null
    if (value > Math.min(most(spec), Number.MAX_VALUE))
      return `The result is larger than ${Math.min(most(spec), Number.MAX_VALUE)}.`
    return value < least(spec) ? `The result is smaller than ${least(spec)}.` : null
  },
  example: (spec) => Math.min(Math.max(1.5, least(spec)), most(spec)),
  schema: ({ min, max }) => ({
    type: 'number',
    format: 'double',
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }),
  contradiction(spec) {
    for (const limit of [spec.min ?? 0, spec.max ?? 0])
      if (!Number.isFinite(limit)) return [`its limit ${shown(limit)} is no number`, 'choose a finite number, or none']
    if (least(spec) <= most(spec)) return null
    return [`its min ${least(spec)} is more than its max ${most(spec)}`, 'lower one or raise the other']
  },
}
