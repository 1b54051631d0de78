// What no two records of a resource may have alike: fields together, perhaps of some records only, perhaps whatever the case.

import type { Fields } from '../field/field.ts'
import type { Named, Stored } from './row.ts'
import type { Anonymous, Rule } from './rule.ts'
import type { RuleAbout, RuleNames } from './rule-type.ts'
import type { Composite, Word } from './value-kind.ts'

/** What can be compared as it is stored. */
export type Comparable<F extends Fields> = {
  readonly names: Exclude<Stored<F>, Named<F, Composite>>
}['names']

/** Fields whose values, taken together, no two records may have. A record in which one of them is null collides with none. */
export type Unique<F extends Fields> =
  | readonly Comparable<F>[]
  | {
      readonly fields: readonly Comparable<F>[]
      /** Among these records only: a rule about values of the record itself. */
      readonly where?: Rule<RuleNames<F>, RuleAbout<F>, Anonymous>
      /** Texts that differ in nothing but case, or in the width and composition of letters, are the same. */
      readonly caseless?: true
      /** In this tenant, where the record is in several; `everywhere`: in the whole service. The nearest unless said. */
      readonly per?: string
    }

/** What a record can be named by: values that a path can hold, and that are always there. */
export type KeyField<F extends Fields> = {
  readonly names: {
    [N in keyof F]: F[N]['kind'] extends Word ? (null extends F[N]['phantom']['value'] ? never : N) : never
  }[keyof F] &
    string
}['names']
