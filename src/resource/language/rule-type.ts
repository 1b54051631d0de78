// What rules may say of a resource, by its fields: names that are there, tests that fit, and the same of records that they lead to.

import type { AnyField, Fields } from '../field/field.ts'
import type { AnyResource } from './any-resource.ts'
import type { FieldOf, Me, RequestTime } from './comparison.ts'
import type { Filter } from './filter.ts'
import type { Given, Named, Stored } from './row.ts'
import type { Absent, AnyFollows, Follows, Present, RelationTo, RelationToMany, ShownToken } from './rule.ts'
import type { Quantity } from './value-kind.ts'

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
          : Brought<F, Value> | Filter<'oneOf', Given<Value> | Brought<F, Value>> | InOrder<F, Of, Value>)
type InOrder<F extends Fields, Of extends AnyField, Value> = Of['kind'] extends Quantity
  ? Filter<
      'atLeast' | 'atMost' | (Of['kind'] extends 'date' ? 'before' | 'after' : never),
      Given<Value> | Brought<F, Value>
    >
  : never
type AboutMoment<F extends Fields> = Moment<F> | Filter<'oneOf' | 'atLeast' | 'atMost' | 'before' | 'after', Moment<F>>
type Moment<F extends Fields> = Date | RequestTime<never> | Brought<F, Date> | FieldOf<Moments>
/** What is not a value of the definition: another field of the kind, or one of the account's. */
type Brought<F extends Fields, Value> = Me<string> | FieldOf<Alike<F, Value>>
type Alike<F extends Fields, Value> = {
  [N in keyof F]: [F[N]['phantom']['value']] extends [never]
    ? never
    : NonNullable<F[N]['phantom']['value']> extends Value
      ? N
      : never
}[keyof F]
/** What can be looked for in a list: its words, not its objects. */
type Word<List> = List extends readonly (infer E extends string)[] ? E : never

/** A sentence for each rule that speaks of what the record it leads to lacks; `never` when there is none. */
export type Misled<X extends AnyResource, All, Account extends Fields, Said> =
  Extract<Said, AnyFollows> extends infer S
    ? S extends Follows<infer R extends string, infer Names, infer About, infer Needs>
      ? Arrives<X, R, All> extends infer To extends AnyResource
        ? [Names] extends [RuleNames<To['fields']>]
          ? [About] extends [RuleAbout<To['fields']>]
            ? Misled<To, All, Account, Needs> | Unaccounted<To, Account, Needs>
            : `A rule of ${X['name']} that follows ${R} says what does not fit the fields of ${To['name']}.`
          : `A rule of ${X['name']} that follows ${R} speaks of ${Exclude<Names, RuleNames<To['fields']>> & string}, which ${To['name']} lacks.`
        : never
      : never
    : never
type Arrives<X extends AnyResource, R extends string, All> = X['fields'][R]['target'] extends infer T extends keyof All
  ? All[T]
  : never
/** The same of what a rule asks of the account of whoever asks. */
export type Unaccounted<X extends AnyResource, Account extends Fields, Said> =
  Extract<Said, Me<string>> extends infer S
    ? S extends Me<infer N extends string>
      ? N extends Stored<Account> | Moments | 'id'
        ? never
        : `A rule of ${X['name']} compares with me('${N}'), which accounts lack.`
      : never
    : never
