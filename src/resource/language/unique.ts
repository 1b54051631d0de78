// Types of unique constraints: fields together, optionally conditional or ignoring case.

import type { Fields } from '../field/field.ts'
import type { Named, Stored } from './row/row.ts'
import type { Composite, Word } from './row/value-kind.ts'
import type { Anonymous, Rule } from './rule/rule.ts'
import type { RuleAbout, RuleNames } from './rule-type.ts'

/** Kinds that are compared in their stored form. */
export type Comparable<F extends Fields> = {
  readonly names: Exclude<Stored<F>, Named<F, Composite>>
}['names']

/** Fields whose values must be unique together. A record with a null among them never collides. */
export type Unique<F extends Fields> =
  | readonly Comparable<F>[]
  | {
      readonly fields: readonly Comparable<F>[]
      /** Only among records that match this rule about their own values. */
      readonly where?: Rule<RuleNames<F>, RuleAbout<F>, Anonymous>
      /** Ignores case, and the width and composition of letters. */
      readonly caseless?: true
      /** The tenant inside which it is unique, if there are several; `everywhere`: the whole service. By default the nearest. */
      readonly per?: string
    }

/** A key whose fields may be left out of some records, or that only records have which match `where`. */
export type Key<F extends Fields> =
  | readonly KeyField<F>[]
  | {
      readonly fields: readonly KeyField<F>[]
      /** Only these records have the key: a rule about their own values. */
      readonly where?: Rule<RuleNames<F>, RuleAbout<F>, Anonymous>
    }
/** Fields of a key: of kinds that a path can hold. */
export type KeyField<F extends Fields> = {
  readonly names: { [N in keyof F]: F[N]['kind'] extends Word | 'counter' ? N : never }[keyof F] & string
}['names']
