// Named lists: an author's own questions with arguments. Each says which records it means, as data, or finds their ids.

import type { AnyField, Field, Fields, Id } from '../field/field.ts'
import type { Among, Verb } from './action.ts'
import type { Filter } from './filter.ts'
import type { Stored } from './row.ts'
import type { Absent, Anonymous, Caller, Permitted, Present, RelationTo, Rule } from './rule.ts'

/** The place of a value that each request brings: an argument, or its moment. There is nothing in it to compare. */
export interface Given<out Value> {
  readonly given: Value
}
/** The moment at which a request is answered. */
export interface Now extends Given<Date> {
  minus(span: Span): Given<Date>
  plus(span: Span): Given<Date>
}
/** So long; what is not said is none of it. */
export interface Span {
  readonly days?: number | Given<number>
  readonly hours?: number | Given<number>
  readonly minutes?: number | Given<number>
}

/** What a query string can hold. */
type Word = 'text' | 'integer' | 'boolean' | 'timestamp' | 'choice' | 'one'
type Arguments = { readonly [name: string]: Field<Word, unknown, unknown, unknown, string> }
/** Never where a query takes none. */
type ArgumentsIn<Said> = Extract<Said, Arguments>

type Moments = 'createdAt' | 'updatedAt'
/** What a scope may say of fields: what rules say of them, and more of what is given. */
type Scoped<F extends Fields> = {
  readonly [N in Stored<F>]?: ScopedField<F[N], NonNullable<F[N]['phantom']['value']>>
} & { readonly [N in Moments]?: Filter<'atLeast' | 'atMost', Date | Given<Date>> }
type ScopedField<Of extends AnyField, Value> =
  | (Of['kind'] extends 'one' ? RelationTo<Of['target']> : never)
  | (null extends Of['phantom']['value'] ? Present | Absent : never)
  | (Of['kind'] extends 'list'
      ? Filter<'contains', Element<Value> | Given<Element<Value>>>
      : Of['kind'] extends 'integer' | 'timestamp'
        ? Value | Given<Value> | Filter<'atLeast' | 'atMost', Value | Given<Value>>
        : Value | Given<Value>)
/** What can be looked for in a list: its words, not its objects. */
type Element<List> = List extends readonly (infer E extends string)[] ? E : never

/** What `ids` is given. */
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
   * Which records: a rule about them, which may compare with what is given. Called once, when the service starts. A test
   * on an optional argument is left out of a request that does not send it.
   */
  readonly where?: (given: {
    readonly args: {
      readonly [N in keyof ArgumentsIn<Said>]: Given<NonNullable<ArgumentsIn<Said>[N]['phantom']['value']>>
    }
    readonly now: Now
  }) => Rule<Stored<F> | Moments, Scoped<F>, Anonymous>
  /** In place of `where`: the ids of the records, in their order, wherever they come from. */
  readonly ids?: (asking: Asking<Said>) => Promise<readonly Id<Name>[]>
  /** The order where a client asks for none; newest first, or that of `ids`, unless said. */
  readonly sort?: readonly (Sortable<F> | `-${Sortable<F>}`)[]
  /** What clients are told that it lists; otherwise a sentence made of `where`. */
  readonly about?: string
}
type Sortable<F extends Fields> = Stored<F> | Moments
