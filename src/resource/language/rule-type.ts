// Type checks for rules: names that exist and tests that fit, on the resource and through its relations.

import type { AnyField, Fields } from '../field/field.ts'
import type { AnyResource } from './row/any-resource.ts'
import type { Given, Named, Stored } from './row/row.ts'
import type { Quantity } from './row/value-kind.ts'
import type { CalendarTime, FieldOf, Me, RequestTime } from './rule/comparison.ts'
import type { Filter } from './rule/filter.ts'
import type { Absent, AnyFollows, Follows, Present, RelationTo, RelationToMany, ShownToken } from './rule/rule.ts'

type Moments = 'createdAt' | 'updatedAt'
type ToMany<F extends Fields> = Named<F, 'many' | 'manyToMany'>
type Tokens<F extends Fields> = Named<F, 'token'>
export type RuleNames<F extends Fields> = Stored<F> | ToMany<F> | Tokens<F> | Moments

/** `own`, `readable` and `through` need a relation, `some` a list of records, `when` a value of the field or a test of it. */
export type RuleAbout<F extends Fields> = {
  readonly [N in Stored<F>]?: AboutField<F, F[N], NonNullable<F[N]['phantom']['value']>>
} & { readonly [N in ToMany<F>]?: RelationToMany } & { readonly [N in Tokens<F>]?: ShownToken } & {
  readonly [N in Moments]?: AboutMoment<F>
}

type AboutField<F extends Fields, Of extends AnyField, Value> =
  | (Of['kind'] extends 'one' ? RelationTo<Of['target']> : Given<Of['phantom']['value']>)
  | (null extends Of['phantom']['value'] ? Present | Absent : never)
  | (Of['kind'] extends 'list'
      ? Filter<'contains', Word<Value> | Brought<F, Word<Value>>>
      : Of['kind'] extends 'timestamp'
        ? AboutMoment<F>
        : Of['kind'] extends 'json' | 'object'
          ? never
          :
              | Brought<F, Value>
              | Day<Of>
              | Filter<'oneOf', Given<Value> | Brought<F, Value> | Day<Of>>
              | InOrder<F, Of, Value>)
/** Today, or another beginning of a unit. */
type Day<Of extends AnyField> = Of['kind'] extends 'date' ? CalendarTime<never> : never
type InOrder<F extends Fields, Of extends AnyField, Value> = Of['kind'] extends Quantity
  ? Filter<
      'atLeast' | 'atMost' | (Of['kind'] extends 'date' ? 'before' | 'after' : never),
      Given<Value> | Brought<F, Value> | Day<Of>
    >
  : never
type AboutMoment<F extends Fields> = Moment<F> | Filter<'oneOf' | 'atLeast' | 'atMost' | 'before' | 'after', Moment<F>>
type Moment<F extends Fields> = Date | RequestTime<never> | Brought<F, Date> | FieldOf<Moments>
/** A comparison with another field of the same type, or with a field of the account. */
type Brought<F extends Fields, Value> = Me<string> | FieldOf<Alike<F, Value>>
type Alike<F extends Fields, Value> = {
  [N in keyof F]: [F[N]['phantom']['value']] extends [never]
    ? never
    : NonNullable<F[N]['phantom']['value']> extends Value
      ? N
      : never
}[keyof F]
/** The element of a list of words; lists of objects are not searched. */
type Word<List> = List extends readonly (infer E extends string)[] ? E : never

/** A compile error for each rule that names something the related record lacks; otherwise `never`. */
export type Misled<X extends AnyResource, All, Account extends Fields, Stated> =
  Extract<Stated, AnyFollows> extends infer S
    ? S extends Follows<infer R extends string, infer Names, infer About, infer Needs>
      ? Arrives<X, R, All> extends infer To extends AnyResource
        ? [Names] extends [RuleNames<To['fields']>]
          ? [About] extends [RuleAbout<To['fields']>]
            ? Misled<To, All, Account, Needs> | Unaccounted<To, Account, Needs>
            : `A rule of ${X['name']} that follows ${R} compares what the fields of ${To['name']} cannot hold.`
          : `A rule of ${X['name']} that follows ${R} names ${Exclude<Names, RuleNames<To['fields']>> & string}, which ${To['name']} lacks.`
        : never
      : never
    : never
type Arrives<X extends AnyResource, R extends string, All> = X['fields'][R]['target'] extends infer T extends keyof All
  ? All[T]
  : never
/** The same for fields of the caller's account. */
export type Unaccounted<X extends AnyResource, Account extends Fields, Stated> =
  Extract<Stated, Me<string>> extends infer S
    ? S extends Me<infer N extends string>
      ? N extends Stored<Account> | Moments | 'id'
        ? never
        : `A rule of ${X['name']} compares with me('${N}'), which accounts lack.`
      : never
    : never
