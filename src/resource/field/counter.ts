// Numbers that are counted: 1, 2, 3 … without a gap, given once by the transaction that makes a record, or that moves it. (contract 11.3.5)

import { type Field, type FieldKind, field, type SpecBase, shown } from './field.ts'
import { kind as integerKind, integerMax } from './number.ts'

export interface CounterSpec extends SpecBase {
  readonly within?: string
  readonly on?: string
}
/** The kind of a counter that every record has a number of. */
export type Numbered = 'counter' & { readonly always: true }

/**
 * A number that nobody writes: 1, 2, 3 … in the order in which transactions end, `within` each record that this relation names.
 * A new record gets it, or a record that is moved `on` this action, which has none before. Nothing that fails skips a number, and a
 * delete leaves a hole. In `check`, `set` and `effect` of what gives it, it is null. (contract 11.3.5–11.3.9)
 */
export const counter = <const On extends string = never>(
  options: { within?: string; on?: On; was?: string; about?: string } = {},
): Field<[On] extends [never] ? Numbered : 'counter', number | null, never, 'free'> =>
  field('counter', { ...options, ...(options.on === undefined ? {} : { optional: true }) })

export const kind: FieldKind<CounterSpec> = {
  column: 'integer',
  options: ['within', 'on', 'was'],
  graphql: 'Int',
  compares: 'in order',
  check: (_, value, problem) => integerKind.check({ kind: 'integer', min: 1 }, value, problem, (part) => part),
  ofText: (text) => integerKind.ofText!(text),
  schema: () => ({ type: 'integer', format: 'int32', minimum: 1, maximum: integerMax }),
  example: () => 1,
  // Until it is counted.
  initial: () => null,
  embeddable: false,
  contradiction({ within, on }) {
    for (const [option, name] of Object.entries({ within, on }))
      if (name !== undefined && typeof name !== 'string')
        return [`its ${option} ${shown(name)} is no name`, 'make it a text']
    return null
  },
}
