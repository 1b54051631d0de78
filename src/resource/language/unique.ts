// Types of constraints between records: values that are unique together, and intervals that must not overlap.

import type { Fields } from '../field/field.ts'
import type { Named, Nullable, Stored } from './row/row.ts'
import type { Composite, Word } from './row/value-kind.ts'
import type { Anonymous, Rule } from './rule/rule.ts'
import type { RuleAbout, RuleNames } from './rule-type.ts'

/** Kinds that are compared in their stored form. */
type Comparable<F extends Fields> = {
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

/**
 * Records with the same values in `fields` must not overlap; otherwise 409. Intervals include their start and exclude their end. A
 * record with a null among the fields never collides. (contract 11.5)
 */
export interface Exclusion<F extends Fields> {
  readonly fields: readonly Comparable<F>[]
  /** The fields of start and end: two timestamps, dates or integers. The start is required; without an end, the interval is endless. */
  readonly overlap: Interval<F>
  /** Only among records that match this rule about their own values. */
  readonly where?: Rule<RuleNames<F>, RuleAbout<F>, Anonymous>
  /** The tenant inside which records are compared, if there are several; `everywhere`: the whole service. By default the nearest. */
  readonly per?: string
}
type Interval<F extends Fields> = {
  [K in 'timestamp' | 'date' | 'integer']: readonly [start: Exclude<Named<F, K>, Nullable<F>>, end: Named<F, K>]
}['timestamp' | 'date' | 'integer']
