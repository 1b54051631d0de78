// Fields that are worked out whenever they are read, from other fields of the same record. Never stored, never sent.

import type { AnyField, Field, Fields } from '../field/field.ts'
import type { Among } from './action.ts'
import type { Given, Row } from './row.ts'
import type { Composite, Word } from './value-kind.ts'

/** What can be worked out: a value with a form of its own; not a relation, a state or a secret. */
type Workable = Field<Exclude<Word, 'one'> | Composite, unknown, unknown, unknown, string>

/** `Said` is the union of the field it is like and of the names it is made from. */
export interface Computed<Name extends string, F extends Fields, Said> {
  /** What readers see, such as `text({ max: 400 })`. */
  readonly as: Among<Workable, Said>
  /** The fields that `make` is given, and the only ones that are loaded for it. */
  readonly from: readonly Among<keyof Row<Name, F> & string, Said>[]
  /** A pure function: it awaits nothing, and makes the same of the same record. */
  readonly make: (row: Pick<Row<Name, F>, Extract<Said, keyof Row<Name, F>>>) => ValueOf<Extract<Said, AnyField>>
}
type ValueOf<As extends AnyField> = Given<As['phantom']['value']>
