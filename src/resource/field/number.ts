// Integers in the range of GraphQL's Int. (contract 2.2.7)

import { type Field, type FieldKind, field, type NeedOf, type SpecBase, shown, type Was } from './field.ts'
import { excessOf, inRange, type Range, rangeContradiction } from './range.ts'

interface IntegerSpec extends SpecBase {
  readonly min?: number
  readonly max?: number
}
export const integerMax = 2_147_483_647

/** An integer from −2,147,483,648 to 2,147,483,647, or narrower. */
export const integer = <const D extends number = never>(options?: {
  min?: number
  max?: number
  default?: D
  was?: Was
  column?: string
  about?: string
}): Field<'integer', number, number, NeedOf<D>> => field('integer', options)

const rangeOf = ({ min = -integerMax - 1, max = integerMax }: IntegerSpec): Range<number> => ({ least: min, most: max })

export const kind: FieldKind<IntegerSpec> = {
  column: 'integer',
  options: ['min', 'max', 'default', 'was', 'column'],
  graphql: 'Int',
  compares: 'in order',
  compared: () => ({ kind: 'integer' }),
  check(spec, value, problem) {
    if (typeof value !== 'number' || !Number.isInteger(value)) return problem('', 'Must be a whole number.')
    return inRange(rangeOf(spec), value + 0, problem) // −0 becomes 0
  },
  ofText: (text) => (/^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : text),
  excess(spec, value) {
    if (typeof value !== 'number') return null
    if (!Number.isInteger(value)) return 'The result is no whole number.'
    return excessOf(rangeOf(spec), value)
  },
  example: (spec) => Math.min(Math.max(1, spec.min ?? 1), spec.max ?? Number.POSITIVE_INFINITY),
  schema(spec) {
    const { least, most } = rangeOf(spec)
    return { type: 'integer', format: 'int32', minimum: least, maximum: most }
  },
  embeddable: true,
  contradiction(spec) {
    const range = rangeOf(spec)
    for (const limit of [range.least, range.most]) {
      if (!Number.isInteger(limit) || limit < -integerMax - 1 || limit > integerMax)
        return [`its limit ${shown(limit)} is not in GraphQL's Int`, 'choose a whole number of 32 bits']
    }
    return rangeContradiction(range)
  },
}
