// Types of the counts and sums a record keeps of its lists. (contract 13.2)

import type { Decimal } from '../field/exact.ts'
import type { Field, Fields } from '../field/field.ts'
import type { KeptKind, Named } from './row/row.ts'
import type { AnyRule } from './rule/rule.ts'

interface KeptNumber<out Of> {
  readonly of: Of
  /** Counts only records that match this rule about their own values, such as `when({ status: 'PUBLISHED' })`. */
  readonly where?: AnyRule
  /**
   * `to all`: readers of the record may learn the number even if it includes records hidden from them. Required unless all are
   * provably readable.
   */
  readonly shown?: 'to all'
  readonly about?: string
}
type List<F extends Fields> = Named<F, 'many' | 'manyToMany'>
/** The number of records in a list, without deleted ones: `{ likes: 'likes' }` is the field `likesCount`. */
export type Count<F extends Fields> = List<F> | KeptNumber<List<F>>
type Path<F extends Fields> = `${Named<F, 'many'>}.${string}`
/** The sum of a field over a list, without deleted records: `{ total: 'lines.amount' }` is the field `total`. */
export type Sum<F extends Fields> =
  | Path<F>
  | (KeptNumber<Path<F>> & {
      /** The kind of the summed field, which gives the sum its type in code. */
      readonly as?: keyof Sums
    })
interface Sums {
  readonly integer: number
  readonly bigint: bigint
  readonly decimal: Decimal
}

/** Adds the kept numbers to the fields. The type of a sum is that of the field it adds, if `as` names it. */
export type WithKept<F extends Fields, Counts, Added> = [keyof NoInfer<Counts> | keyof NoInfer<Added>] extends [never]
  ? F
  : F & KeptFields<NoInfer<Counts>, NoInfer<Added>>
type KeptFields<Counts, Added> = {
  readonly [N in keyof Counts & string as `${N}Count`]: Field<'integer' & KeptKind, number, never, 'free'>
} & {
  readonly [N in keyof Added & string]: Added[N] extends { readonly as: infer K extends keyof Sums }
    ? Field<K & KeptKind, Sums[K], never, 'free'>
    : Field<keyof Sums & KeptKind, Sums[keyof Sums], never, 'free'>
}
