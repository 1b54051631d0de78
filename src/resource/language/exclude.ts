// Types of exclusions: records whose intervals must not overlap.

import type { Fields } from '../field/field.ts'
import type { Named, Nullable } from './row/row.ts'
import type { Anonymous, Rule } from './rule/rule.ts'
import type { RuleAbout, RuleNames } from './rule-type.ts'
import type { Comparable } from './unique.ts'

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
