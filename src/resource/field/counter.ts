// Counters: 1, 2, 3 … without gaps, assigned by the transaction that creates or moves a record. (contract 11.3.5)

import { type Field, type FieldKind, field, type SpecBase, shown } from './field.ts'
import { kind as integerKind, integerMax } from './number.ts'

export interface CounterSpec extends SpecBase {
  readonly within?: string
  readonly on?: string
}
export type Numbered = 'counter' & { readonly always: true }

/**
 * A read-only number 1, 2, 3 … in commit order, counted `within` each record of that relation. Assigned to new records, or `on`
 * this move to a record without one. Failures skip no number; deletes leave a gap. Null in `check`, `set` and `effect` of the
 * assigning action. (contract 11.3.5–11.3.9)
 */
export const counter = <const On extends string = never>(
  options: { within?: string; on?: On; was?: string; column?: string; about?: string } = {},
): Field<[On] extends [never] ? Numbered : 'counter', number | null, never, 'free'> =>
  field('counter', { ...options, ...(options.on === undefined ? {} : { optional: true }) })

export const kind: FieldKind<CounterSpec> = {
  column: 'integer',
  options: ['within', 'on', 'was', 'column'],
  graphql: 'Int',
  compares: 'in order',
  compared: () => ({ kind: 'integer' }),
  check: (_, value, problem) => integerKind.check({ kind: 'integer', min: 1 }, value, problem, (part) => part),
  ofText: (text, problem) => integerKind.ofText!(text, problem),
  schema: () => ({ type: 'integer', format: 'int32', minimum: 1, maximum: integerMax }),
  example: () => 1,
  // Null until it is assigned.
  initial: () => null,
  embeddable: false,
  contradiction({ within, on }) {
    for (const [option, name] of Object.entries({ within, on }))
      if (name !== undefined && typeof name !== 'string')
        return [`its ${option} ${shown(name)} is no name`, 'make it a text']
    return null
  },
}
