// Named queries with arguments: records by a rule, or ids found in code.

import type { AnyField, Field, Fields, Id } from '../field/field.ts'
import type { Among, Verb } from './action.ts'
import type { Given, Stored } from './row/row.ts'
import type { Quantity, Word } from './row/value-kind.ts'
import type { Arg, CalendarTime, Me, RequestTime } from './rule/comparison.ts'
import type { Filter } from './rule/filter.ts'
import type { Absent, Anonymous, AnyFollows, CallerAccount, Permitted, Present, RelationTo, Rule } from './rule/rule.ts'
import type { RuleAbout, RuleNames } from './rule-type.ts'

type Arguments = { readonly [name: string]: Field<Word, unknown, unknown, unknown, string> }
/** Never if a query takes no arguments. */
type ArgumentsIn<Stated> = Extract<Stated, Arguments>

type Moments = 'createdAt' | 'updatedAt'
type ArgsLike<Stated, Value> = [ArgumentsIn<Stated>] extends [never] ? never : NamesLike<ArgumentsIn<Stated>, Value>
type NamesLike<Args extends Arguments, Value> = {
  [N in keyof Args]: NonNullable<Args[N]['phantom']['value']> extends Value ? N : never
}[keyof Args]
type MomentIn<Stated> = Date | Arg<ArgsLike<Stated, Date>> | RequestTime<ArgsLike<Stated, number>>
/** What `where` may test: as in rules, and arguments of the request. */
type Scoped<F extends Fields, Stated> = {
  readonly [N in Stored<F>]?: ScopedField<F[N], NonNullable<F[N]['phantom']['value']>, Stated> | RuleAbout<F>[N]
} & {
  readonly [N in Exclude<RuleNames<F>, Stored<F>>]?:
    | RuleAbout<F>[N]
    | (N extends Moments ? Filter<'atLeast' | 'atMost', MomentIn<Stated>> : never)
}
type ScopedField<Of extends AnyField, Value, Stated> =
  | (Of['kind'] extends 'one' ? RelationTo<Of['target']> : never)
  | (null extends Of['phantom']['value'] ? Present | Absent : never)
  | (Of['kind'] extends 'list'
      ? Filter<'contains', Element<Value> | Arg<ArgsLike<Stated, Element<Value>>>>
      : Of['kind'] extends Quantity
        ?
            | Given<Value>
            | Arg<ArgsLike<Stated, Value>>
            | Filter<'atLeast' | 'atMost', Given<Value> | Arg<ArgsLike<Stated, Value>> | DayIn<Of, Stated>>
            | DayIn<Of, Stated>
        : Of['kind'] extends 'timestamp'
          ? MomentIn<Stated> | Filter<'atLeast' | 'atMost', MomentIn<Stated>>
          : Value | Arg<ArgsLike<Stated, Value>>)
type DayIn<Of extends AnyField, Stated> = Of['kind'] extends 'date' ? CalendarTime<ArgsLike<Stated, number>> : never
type Element<List> = List extends readonly (infer E extends string)[] ? E : never

interface QueryCall<Stated> {
  readonly args: { readonly [N in keyof ArgumentsIn<Stated>]: ArgumentsIn<Stated>[N]['phantom']['value'] }
  readonly actor: Extract<Stated, Anonymous> extends never ? CallerAccount : CallerAccount | null
  readonly now: Date
  /** Aborts when the time limit of the request is reached. */
  readonly signal: AbortSignal
}

export interface Query<Name extends string, F extends Fields, Stated, Verbs> {
  /** Who may run it; unreadable records are left out anyway. Required. */
  readonly allow: Rule<unknown, unknown, Stated> & Rule<never, {}, Anonymous | Permitted<Verb<Verbs>>>
  readonly args?: Among<Arguments, Stated>
  /**
   * A rule about the records; may compare with `now` and `arg('…')`. A test on an optional argument is dropped if it is not
   * sent.
   */
  readonly where?: Rule<RuleNames<F>, Scoped<F, Stated>, Anonymous | AnyFollows | Me<string>>
  /** Instead of `where`: returns the ids of the records, in order, from any source. */
  readonly ids?: (call: QueryCall<Stated>) => Promise<readonly Id<Name>[]>
  /** The default order; otherwise that of `ids`, or newest first. */
  readonly sort?: readonly (Sortable<F> | `-${Sortable<F>}`)[]
  /** The description in the documents; by default a sentence made from `where`. */
  readonly about?: string
}
type Sortable<F extends Fields> = Stored<F> | Moments
