// Named lists: an author's own questions with arguments. Each says which records it means, as data, or finds their ids.

import type { AnyField, Field, Fields, Id } from '../field/field.ts'
import type { Among, Verb } from './action.ts'
import type { Arg, Me, RequestTime } from './comparison.ts'
import type { Filter } from './filter.ts'
import type { Given, Stored } from './row.ts'
import type { Absent, Anonymous, AnyFollows, Caller, Permitted, Present, RelationTo, Rule } from './rule.ts'
import type { RuleAbout, RuleNames } from './rule-type.ts'
import type { Quantity, Word } from './value-kind.ts'

type Arguments = { readonly [name: string]: Field<Word, unknown, unknown, unknown, string> }
/** Never where a query takes none. */
type ArgumentsIn<Said> = Extract<Said, Arguments>

type Moments = 'createdAt' | 'updatedAt'
/** The arguments whose values are like this one. */
type ArgsLike<Said, Value> = [ArgumentsIn<Said>] extends [never] ? never : NamesLike<ArgumentsIn<Said>, Value>
type NamesLike<Args extends Arguments, Value> = {
  [N in keyof Args]: NonNullable<Args[N]['phantom']['value']> extends Value ? N : never
}[keyof Args]
type MomentIn<Said> = Date | Arg<ArgsLike<Said, Date>> | RequestTime<ArgsLike<Said, number>>
/** What `where` may say of fields: what rules say of them, and more of what a request brings. */
type Scoped<F extends Fields, Said> = {
  readonly [N in Stored<F>]?: ScopedField<F[N], NonNullable<F[N]['phantom']['value']>, Said> | RuleAbout<F>[N]
} & {
  readonly [N in Exclude<RuleNames<F>, Stored<F>>]?:
    | RuleAbout<F>[N]
    | (N extends Moments ? Filter<'atLeast' | 'atMost', MomentIn<Said>> : never)
}
type ScopedField<Of extends AnyField, Value, Said> =
  | (Of['kind'] extends 'one' ? RelationTo<Of['target']> : never)
  | (null extends Of['phantom']['value'] ? Present | Absent : never)
  | (Of['kind'] extends 'list'
      ? Filter<'contains', Element<Value> | Arg<ArgsLike<Said, Element<Value>>>>
      : Of['kind'] extends Quantity
        ?
            | Given<Value>
            | Arg<ArgsLike<Said, Value>>
            | Filter<'atLeast' | 'atMost', Given<Value> | Arg<ArgsLike<Said, Value>>>
        : Of['kind'] extends 'timestamp'
          ? MomentIn<Said> | Filter<'atLeast' | 'atMost', MomentIn<Said>>
          : Value | Arg<ArgsLike<Said, Value>>)
/** What can be looked for in a list: its words, not its objects. */
type Element<List> = List extends readonly (infer E extends string)[] ? E : never

/** What `ids` is called with. */
interface Asking<Said> {
  readonly args: { readonly [N in keyof ArgumentsIn<Said>]: ArgumentsIn<Said>[N]['phantom']['value'] }
  /** Null where the rule lets in somebody who is not signed in. */
  readonly actor: Extract<Said, Anonymous> extends never ? Caller : Caller | null
  readonly now: Date
  /** Aborts when the time for an answer is over. */
  readonly signal: AbortSignal
}

/** `Said` is one union of the arguments and of what the rule asks. */
export interface Query<Name extends string, F extends Fields, Said, Verbs> {
  /** Who may ask; what they are told of is still only what they may read. Cannot be left out. */
  readonly allow: Rule<unknown, unknown, Said> & Rule<never, {}, Anonymous | Permitted<Verb<Verbs>>>
  readonly args?: Among<Arguments, Said>
  /**
   * Which records: a rule about them, which may compare with `now` and with `arg('…')`. A test on an optional argument is
   * left out of a request that does not send it.
   */
  readonly where?: Rule<RuleNames<F>, Scoped<F, Said>, Anonymous | AnyFollows | Me<string>>
  /** In place of `where`: the ids of the records, in their order, wherever they come from. */
  readonly ids?: (asking: Asking<Said>) => Promise<readonly Id<Name>[]>
  /** The order where a client asks for none; newest first, or that of `ids`, unless said. */
  readonly sort?: readonly (Sortable<F> | `-${Sortable<F>}`)[]
  /** What clients are told that it lists; otherwise a sentence made of `where`. */
  readonly about?: string
}
type Sortable<F extends Fields> = Stored<F> | Moments
