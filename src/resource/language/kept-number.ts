// Numbers that a record keeps of its lists, as the compiler sees them. (contract 13.2)

import type { Decimal } from '../field/decimal.ts'
import type { Field, Fields } from '../field/field.ts'
import type { KeptKind, Named } from './row.ts'
import type { AnyRule } from './rule.ts'

interface KeptNumber<out Of> {
  readonly of: Of
  /** Which of the list's records count: a rule about values of theirs, such as `when({ status: 'PUBLISHED' })`. */
  readonly where?: AnyRule
  /**
   * Says that whoever reads the record may learn how many there are, or what they add up to, also of records that are hidden
   * from them. Needed where it cannot be proven that none is.
   */
  readonly shown?: 'to all'
  readonly about?: string
}
type List<F extends Fields> = Named<F, 'many' | 'manyToMany'>
/** How many living records a list has: `{ likes: 'likes' }` is the field `likesCount`. */
export type Count<F extends Fields> = List<F> | KeptNumber<List<F>>
type Path<F extends Fields> = `${Named<F, 'many'>}.${string}`
/** What a field of a list's living records adds up to: `{ total: 'lines.amount' }` is the field `total`. */
export type Sum<F extends Fields> = Path<F> | KeptNumber<Path<F>>

/** The fields of a record with those that these are. What a sum is depends on what it adds up. */
export type WithKept<F extends Fields, Counts, Sums> = [keyof NoInfer<Counts> | keyof NoInfer<Sums>] extends [never]
  ? F
  : F & KeptFields<NoInfer<Counts>, NoInfer<Sums>>
type KeptFields<Counts, Sums> = {
  readonly [N in keyof Counts & string as `${N}Count`]: Field<'integer' & KeptKind, number, never, 'free'>
} & {
  readonly [N in keyof Sums & string]: Field<
    ('integer' | 'bigint' | 'decimal') & KeptKind,
    number | bigint | Decimal,
    never,
    'free'
  >
}
