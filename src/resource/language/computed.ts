// Computed fields: derived from other fields of the same record, on each read or, if they are stored, after each change.

import type { AnyField, Field, Fields } from '../field/field.ts'
import type { Among } from './action.ts'
import type { Given, Row } from './row/row.ts'
import type { Composite, Word } from './row/value-kind.ts'

type Workable = Field<Exclude<Word, 'one'> | Composite, unknown, unknown, unknown, string>

/** `Stated` is the union of the field type and the names it is made from. */
export interface Computed<Name extends string, F extends Fields, Stated> {
  /** The type that readers see, such as `text({ max: 400 })`. */
  readonly as: Among<Workable, Stated>
  /** The only fields that are loaded for `make`. */
  readonly from: readonly Among<keyof Row<Name, F> & string, Stated>[]
  /**
   * Stores the value, so that lists can be filtered, sorted, searched and summed by it. `true` is revision 1: a function that
   * returns other values for the same record needs a higher one, `{ revision: 2 }`. (contract 13.2)
   */
  readonly stored?: Among<true | { readonly revision: number }, Stated>
  /** A pure, synchronous function of the record. */
  readonly make: (row: Pick<Row<Name, F>, Extract<Stated, keyof Row<Name, F>>>) => ValueOf<Extract<Stated, AnyField>>
}
type ValueOf<As extends AnyField> = Given<As['phantom']['value']>
