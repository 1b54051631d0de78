// Whole numbers that GraphQL's Int can hold. (contract 2.2.7)

import { type Field, type FieldKind, field, type NeedOf, type SpecBase, shown } from './field.ts'

interface IntegerSpec extends SpecBase {
  readonly min?: number
  readonly max?: number
}
export const integerMax = 2_147_483_647

/** A whole number, between −2,147,483,648 and 2,147,483,647 unless narrower. */
export const integer = <const D extends number = never>(options?: {
  min?: number
  max?: number
  default?: D
  was?: string
  about?: string
}): Field<'integer', number, number, NeedOf<D>> => field('integer', options)

const least = (spec: IntegerSpec) => spec.min ?? -integerMax - 1
const most = (spec: IntegerSpec) => spec.max ?? integerMax

export const kind: FieldKind<IntegerSpec> = {
  column: 'integer',
  options: ['min', 'max', 'default', 'was'],
  graphql: 'Int',
  compares: 'in order',
  check(spec, value, problem) {
    if (typeof value !== 'number' || !Number.isInteger(value)) return problem('', 'Must be a whole number.')
    if (value < least(spec)) return problem('', `At least ${least(spec)}.`)
    if (value > most(spec)) return problem('', `At most ${most(spec)}.`)
    return value + 0 // −0 is 0
  },
  ofText: (text) => (/^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : text),
  excess(spec, value) {
    if (typeof value !== 'number') return null
    if (!Number.isInteger(value)) return 'The result is no whole number.'
    if (value > most(spec)) return `The result is larger than ${most(spec)}.`
    return value < least(spec) ? `The result is smaller than ${least(spec)}.` : null
  },
  example: (spec) => Math.min(Math.max(1, spec.min ?? 1), spec.max ?? Number.POSITIVE_INFINITY),
  schema: (spec) => ({ type: 'integer', format: 'int32', minimum: least(spec), maximum: most(spec) }),
  embeddable: true,
  contradiction(spec) {
    for (const limit of [least(spec), most(spec)]) {
      if (!Number.isInteger(limit) || limit < -integerMax - 1 || limit > integerMax)
        return [`its limit ${shown(limit)} is not in GraphQL's Int`, 'choose a whole number of 32 bits']
    }
    if (least(spec) <= most(spec)) return null
    return [`its min ${least(spec)} is more than its max ${most(spec)}`, 'lower one or raise the other']
  },
}
