// The types of an action: its keys, in the order they run, and what its callbacks receive. `Stated` unites everything it
// mentions.

import type { Deprecating } from '../deprecation.ts'
import type { Fields, Id } from '../field/field.ts'
import type { SingularOf } from '../naming/plural.ts'
import type { DueTime } from './due.ts'
import type { AnyResource, KeyFields, Resource, RowOf } from './row/any-resource.ts'
import type {
  CodePage,
  Greatest,
  Matching,
  MaxOf,
  Numeric,
  Ordering,
  ReadAs,
  Single,
  SumOf,
  TransactionReads,
} from './row/reading.ts'
import type { Acceptable, Change, Given, Input, Named, New, Row, Sent, StateOf, Stored, Writable } from './row/row.ts'
import type { Sql } from './row/sql.ts'
import type { Composite } from './row/value-kind.ts'
import type { WherePath } from './row/where.ts'
import type { CalendarTime, Me, RequestTime } from './rule/comparison.ts'
import type { Filter } from './rule/filter.ts'
import type {
  Absent,
  Anonymous,
  AnyFollows,
  Anyone,
  AnyRule,
  CallerAccount,
  Permitted,
  Present,
  RelationTo,
  Rule,
} from './rule/rule.ts'
import type { RuleAbout, RuleNames } from './rule-type.ts'

/** What `from` may require of a field: a value, `present` or `absent`. */
export type About<F extends Fields> = {
  readonly [N in Stored<F>]?:
    | (F[N]['kind'] extends 'one' ? RelationTo<F[N]['target']> : Given<F[N]['phantom']['value']>)
    | (null extends F[N]['phantom']['value'] ? Present | Absent : never)
}
type From<F extends Fields> = {
  readonly [N in Stored<F>]?:
    | About<F>[N]
    | (F[N]['kind'] extends 'one' | Composite ? never : Filter<'oneOf', Given<NonNullable<F[N]['phantom']['value']>>>)
}
/** The state that the effect of create may choose, if the definition has `begins`. */
type Beginning<F extends Fields> = {
  readonly [N in Named<F, 'state'> as [F[N]['by']] extends [never] ? never : N]?: F[N]['by']
}
export type Verb<Actions> = 'manage' | `${Actions extends 'update' ? 'edit' : Actions & string}${'' | '_own' | '_any'}`
export type RuleOn<F extends Fields, Actions> = Rule<
  RuleNames<F>,
  RuleAbout<F>,
  Anonymous | Permitted<Verb<Actions>> | AnyFollows | Me<string>
>

export interface Emits<out E> {
  readonly phantom: E
}
export interface Event<out Name, out By, out With = never, out Changed = never>
  extends Emits<{ readonly event: Name; readonly by: By; readonly with: With; readonly changed: Changed }> {}
/**
 * Names an event. `by`: subscribers may listen to one record of that relation. `with`: tokens made by this create, passed to
 * reactions only (contract 10.1.19). `changed`: emitted only if one of these fields changed, with their previous values (contract
 * 13.9).
 */
export const event = <
  const N extends string,
  const B extends string = never,
  const W extends string = never,
  const C extends string = never,
>(
  name: N,
  options?: { by?: B; with?: readonly W[]; changed?: readonly C[]; about?: string },
): Event<N, B, W, C> => ({ event: name, ...options }) as never

export interface Collective {
  readonly collective: true
}
/** Marks an action that concerns no single record: `POST /posts/import`, `importPosts`. */
export const collection: Collective = 'collection' as never

export type Usual = 'read' | 'create' | 'update' | 'delete'
/** The message of a 422, shown to people. */
type Sentence = string
/** Infers `Stated`; a compile error lists what is `Allowed`. */
export type Among<Allowed, Stated> = Stated extends Allowed ? Stated : Allowed

/** A child in a list of an input. Its fields are those of another resource, so their types are not known here. */
export type SentChild<Name extends string> = { readonly id: Id<Name>; readonly [field: string]: unknown }
/** Lists of an input: children, and ids of linked records: `lines`, `tagIds`. (contract 13.1.23) */
type SentLists<F extends Fields, Stated> = {
  readonly [N in Extract<Stated, Named<F, 'many' | 'manyToMany'>> as F[N]['kind'] extends 'many'
    ? N
    : `${SingularOf<N>}Ids`]: F[N]['kind'] extends 'many'
    ? readonly SentChild<F[N]['target']>[]
    : readonly Id<F[N]['target']>[]
}

export interface Moment<Name extends string, F extends Fields, Stated, Key> {
  /** Null if the rule admits anonymous callers. */
  readonly actor: Extract<Stated, Anonymous> extends never ? CallerAccount : CallerAccount | null
  readonly now: Date
  /** What the action accepts; in an update, only the fields that were sent. */
  readonly input: Key extends 'update'
    ? Partial<Input<F, Stated> & SentLists<F, Stated>>
    : Key extends 'create'
      ? Input<F, Stated> & SentLists<F, Stated>
      : Input<F, Stated>
  readonly record: Key extends 'create'
    ? 'There is no record before it is created.'
    : Extract<Stated, Collective> extends never
      ? Row<Name, F>
      : OnlyCollective
  readonly tokens: Key extends 'create'
    ? { readonly [N in Named<F, 'token'>]: string }
    : 'Tokens are known only when they are made.'
}
export interface Transaction<Name extends string, F extends Fields, Stated, Key> extends Moment<Name, F, Stated, Key> {
  /** The id of the new record, for records created with it. */
  readonly id: Key extends 'create' ? Id<Name> : 'The record has it.'
  readonly records: EffectRecords<Name, F>
  /** Changes fields of the record being written. */
  readonly assign: Extract<Stated, Collective> extends never
    ? (change: Key extends 'create' ? Change<F> & Beginning<F> : Change<F>) => void
    : OnlyCollective
}
export interface CheckMoment<Name extends string, F extends Fields, Stated, Key> extends Moment<Name, F, Stated, Key> {
  /** For asynchronous checks only. */
  readonly records: CheckRecords<Name, F>
}
type Set<F extends Fields, M> = {
  readonly [N in Writable<F>]?:
    | Given<F[N]['phantom']['value']>
    | (F[N]['kind'] extends 'timestamp' ? RequestTime<never> : never)
    | (F[N]['kind'] extends 'date' ? CalendarTime<never> : never)
    | ((moment: M) => Given<F[N]['phantom']['value']>)
}

// biome-ignore lint/suspicious/noConfusingVoidType: an effect that refuses nothing returns nothing
type Effect<T> = (transaction: T) => Promise<void | Sentence>

/** Lists an input may hold: children, and ids of linked records. */
/** One of them, or both. */
type Terms = { readonly min: number; readonly into?: AnyRule } | { readonly min?: never; readonly into: AnyRule }
type AcceptableList<F extends Fields, Key> = Key extends 'create' | 'update' ? Named<F, 'many' | 'manyToMany'> : never

export type Action<Name extends string, F extends Fields, Stated, Key, Actions> = Key extends Usual
  ? UsualAction<Name, F, Stated, Key, Actions>
  : Move<Name, F, Stated, Key, Actions>
interface UsualAction<Name extends string, F extends Fields, Stated, Key, Actions>
  extends ActionParts<Name, F, Stated, Key, Actions> {
  /** Who may run it. Required. */
  readonly allow: Rule<unknown, unknown, Stated> & RuleOn<F, Actions>
  readonly at?: never
  readonly past?: never
  readonly shown?: never
}
// One interface, not a union: that costs a thousand instantiations a resource.
interface Move<Name extends string, F extends Fields, Stated, Key, Actions>
  extends ActionParts<Name, F, Stated, Key, Actions> {
  /** Who may run it. Required, unless the move has `at`: then only the clock makes it. */
  readonly allow?: Rule<unknown, unknown, Stated> & RuleOn<F, Actions>
  /**
   * When the service itself moves the record: a timestamp, perhaps shifted (`field('closedAt').plus({ days: 30 })`), or one of
   * a referenced record (`field('booking.startsAt')`). Each value moves the record once; null never does. (contract 14.1)
   */
  readonly at?: Moments<F> | DueTime<Moments<F> | `${Named<F, 'one'>}.${string}`, Named<F, 'integer'>>
  /** True: also moves records already due when this move was defined. */
  readonly past?: true
  /** Callers who see the change but may not read `at` can conclude it. */
  readonly shown?: 'to all'
}
type Moments<F extends Fields> = Named<F, 'timestamp'> | 'createdAt'
interface ActionParts<Name extends string, F extends Fields, Stated, Key, Actions> {
  /**
   * Callers who may read only these fields, with `id`, `createdAt` and `updatedAt`; `allow` protects all others. (contract
   * 10.1.24)
   */
  readonly partly?: Key extends 'read'
    ? { readonly allow: Rule<unknown, unknown, Stated> & RuleOn<F, Actions>; readonly fields: readonly string[] }
    : 'Only reading can be partial.'
  /** `collection`: concerns no single record. Returns what its effect writes of this resource. */
  readonly on?: Key extends Usual ? OnlyMoves : Among<Collective, Stated>
  /** How many seconds shared caches may keep a response. */
  readonly maxAgeSeconds?: Key extends 'read'
    ? [Stated] extends [never]
      ? OnlyPublic
      : [Stated] extends [Anyone]
        ? number
        : OnlyPublic
    : 'Only reading is cached.'
  /**
   * What clients may send; nothing else is writable. In create, a `many` takes new children (each under its own `create`) and a
   * `manyToMany` ids. (contract 13.1) `{ list: 'lines', min: 1 }` needs that many, and `{ list: 'tags', into: own('owner') }` takes
   * only records of which the rule holds. (contract 13.1.24, 13.1.26)
   */
  readonly accept?: Key extends 'read' | 'delete'
    ? 'Reading and deleting take no input.'
    : readonly (
        | Among<Acceptable<F> | AcceptableList<F, Key>, Stated>
        | ({ readonly list: Among<AcceptableList<F, Key>, Stated> } & Terms)
      )[]
  /** Moves that may run in the same request: `publish: true` in the input of create, under the rule of publish. */
  readonly mayFollow?: Key extends 'create'
    ? readonly Among<Exclude<Actions, Usual>, Stated>[]
    : 'Only create may be followed at once.'
  /** The state a move starts from, or a condition such as `{ publishedAt: absent, payment: oneOf('DUE', 'FAILED') }`. Otherwise 409. */
  readonly from?: Key extends Usual ? OnlyMoves : StateOf<F> | readonly StateOf<F>[] | From<F>
  /**
   * Returns true, or the message of a 422. An `async` check may read `records`, which are locked until commit, in a transaction
   * of its own.
   */
  readonly check?: Key extends 'read'
    ? OnlyWrites
    : (moment: CheckMoment<Name, F, Stated, Key>) => true | Sentence | Promise<true | Sentence>
  readonly to?: Key extends Usual ? OnlyMoves : StateOf<F>
  readonly set?: Key extends 'read' | 'delete' ? OnlyWrites : Set<F, Moment<Name, F, Stated, Key>>
  /** Adds the actor to this many-to-many relation; `unlink` removes it. */
  readonly link?: Key extends 'read' | 'delete' ? OnlyWrites : Named<F, 'manyToMany'>
  readonly unlink?: Key extends 'read' | 'delete' ? OnlyWrites : Named<F, 'manyToMany'>
  /** Further changes in the same transaction. Returning a message answers 422 and undoes everything. */
  readonly effect?: Key extends 'read' ? OnlyWrites : Effect<Transaction<Name, F, Stated, Key>>
  readonly deprecated?: Deprecating
  /** The description in the documents; by default a sentence made from the name. */
  readonly about?: string
  /** Notifies subscribers who may read the record; for `delete`, those who could before. */
  readonly emit?: Key extends 'read'
    ? OnlyWrites
    : Emits<Stated> &
        Event<
          string,
          Named<F, 'one' | 'either'>,
          Key extends 'create' ? Named<F, 'token'> : never,
          Key extends 'create' | 'delete' ? never : Stored<F>
        >
}
// Compile errors for keys in the wrong place.
type OnlyPublic = 'Only what anyone may read, always, may be kept in shared caches.'
type OnlyCollective = 'What is on the collection has no record of its own.'
type OnlyMoves = 'Only a move has a state to start from and one to reach.'
type OnlyWrites = 'Reading changes nothing, and deleting leaves no record.'

/** The moves of a resource: named actions on one record. */
export type MoveOf<R extends AnyResource> = {
  [M in keyof R['actions']]: M extends Usual ? never : Extract<R['actions'][M], Collective> extends never ? M : never
}[keyof R['actions']]
/** The input of a move; required if the move requires any of it. */
export type MoveInput<R extends AnyResource, Move> =
  Sent<R['fields'], R['actions'][Move & keyof R['actions']]> extends infer S
    ? [keyof S] extends [never]
      ? [input?: { readonly [name: string]: never }]
      : {} extends S
        ? [input?: S]
        : [input: S]
    : never
/** A complete new record and the arguments its create accepts. */
type Complete<R extends AnyResource> = New<R['fields']> &
  Sent<R['fields'], Extract<StatedAtCreate<R['actions']>, Named<R['fields'], 'argument'>>>
type StatedAtCreate<Actions> = Actions extends { readonly create: infer Stated } ? Stated : never
/** One of its keys, in code. */
type CodeKey<F extends Fields, Keys> = Keys extends readonly (infer K)[]
  ? K extends readonly (infer N)[] | { readonly fields: readonly (infer N)[] }
    ? { readonly [Field in N & keyof F]: Given<NonNullable<F[Field]['phantom']['value']>> }
    : never
  : never
/** For a resource whose actions are not typed yet; checked at run time. */
type SentByName<F extends Fields> = { readonly [N in Acceptable<F>]?: Given<F[N]['phantom']['input']> }

/** The resource being defined: filters are not typed yet, and any field may be in `where`. */
type Here<Name extends string, F extends Fields> = Resource<
  Name,
  string,
  F,
  {},
  { readonly [name: string]: unknown },
  {},
  {},
  {},
  {},
  readonly KeyFields[],
  readonly WherePath<F>[]
>
/** `C`, if it has no other members than `Allowed`. */
type Only<C, Allowed> = C & { readonly [N in keyof C]: N extends keyof Allowed ? Required<Allowed>[N] : never }
/** Like `Records`, for the resource being defined. */
export interface RecordsHere<Name extends string, F extends Fields> {
  /** Protected fields are absent; relations to hidden records are null. */
  get(id: Id<Name>): Promise<Row<Name, F>>
  list(
    which?: Ordering<Here<Name, F>> & CodePage,
  ): Promise<{ readonly records: readonly Row<Name, F>[]; readonly hasNext: boolean }>
  each(which?: Ordering<Here<Name, F>>): AsyncIterable<Row<Name, F>>
  count(which?: Matching<Here<Name, F>>): Promise<number>
  sum<N extends Numeric<F>>(field: N, which?: Matching<Here<Name, F>>): Promise<SumOf<F, N>>
  max<N extends Greatest<F>>(field: N, which?: Matching<Here<Name, F>>): Promise<MaxOf<F, N>>
  distinct(field: Single<F>, which?: Matching<Here<Name, F>>): Promise<number>
  remove(id: Id<Name>): Promise<void>
  lockReadable(ids: readonly Id<Name>[]): Promise<readonly Row<Name, F>[]>
  lockExisting(ids: readonly Id<Name>[]): Promise<readonly Row<Name, F>[]>
  change<const C extends {}>(id: Id<Name>, change: (record: Row<Name, F>) => Only<C, Change<F>>): Promise<void>
  change(id: Id<Name>, change: Change<F>): Promise<void>
  create(record: New<F> & Pick<SentByName<F>, Named<F, 'argument'> & Acceptable<F>>): Promise<Row<Name, F>>
  run(id: Id<Name>, move: string, input?: SentByName<F>): Promise<void>
}

type ReadName = 'get' | 'list' | 'count' | 'sum' | 'max' | 'distinct'
/**
 * Reads as the service, protected values too. For a record in a tenant, only within its outermost tenant or none. (contract
 * 13.4.8)
 */
export interface AllRecords<Name extends string, F extends Fields>
  extends Pick<TransactionReads<'service'>, ReadName | 'summary'> {
  /** This resource, which its definition cannot name before it exists. */
  readonly here: Pick<RecordsHere<Name, F>, ReadName>
}
/** What a check reads, as its actor sees it, locked until the transaction ends. */
export interface CheckRecords<Name extends string, F extends Fields>
  extends Pick<TransactionReads<'reader'>, ReadName | 'summary' | 'tenantRole'> {
  /** This resource, which its definition cannot name before it exists. */
  readonly here: Pick<RecordsHere<Name, F>, ReadName>
  readonly all: AllRecords<Name, F>
}

/** What an effect may change besides its own record. */
export interface EffectRecords<Name extends string, F extends Fields> extends Records<'reader'> {
  readonly all: AllRecords<Name, F>
  /** This resource, which its definition cannot name before it exists. */
  readonly here: RecordsHere<Name, F>
}

/**
 * Other records, inside the transaction of an effect. Writes are validated; an invalid value is a bug and nothing is stored.
 */
export interface Records<S extends ReadAs = 'reader'> extends TransactionReads<S> {
  /** Your own SQL in the same transaction. Its writes emit no events and check no rules. */
  readonly sql: Sql
  /** Those that the actor may read, locked in id order. A missing one is 422 with its field. */
  lockReadable<R extends AnyResource>(resource: R, ids: readonly Id<R['name']>[]): Promise<readonly RowOf<R>[]>
  /** Those not deleted, readable or not, locked in id order. */
  lockExisting<R extends AnyResource>(resource: R, ids: readonly Id<R['name']>[]): Promise<readonly RowOf<R>[]>
  /** Writes fields without an action. A function gets all values of the locked record. A missing record is 422. */
  change<R extends AnyResource, const C extends {}>(
    resource: R,
    id: Id<R['name']>,
    change: (record: RowOf<R>) => Only<C, Change<R['fields']>>,
  ): Promise<void>
  change<R extends AnyResource>(resource: R, id: Id<R['name']>, change: Change<R['fields']>): Promise<void>
  /** Runs `create` without `allow`: `check`, `set`, `effect` and `emit`. Values given here override `set`. */
  create<R extends AnyResource>(resource: R, record: Complete<R>): Promise<RowOf<R>>
  /**
   * Creates the record with this key, as `create` does, or changes the fields of the one that has it: `upsert(Customer, {
   * externalId: '42' }, { name })`. (contract 13.3.16)
   */
  upsert<R extends AnyResource, const K extends CodeKey<R['fields'], R['keys']>>(
    resource: R,
    key: K,
    record: Omit<Complete<R>, keyof K>,
  ): Promise<RowOf<R>>
  /** Runs a move without `allow`. Effects may run each other three levels deep, without cycles. */
  run<R extends AnyResource, const Move extends MoveOf<R>>(
    resource: R,
    id: Id<R['name']>,
    move: Move,
    ...input: MoveInput<R, Move>
  ): Promise<void>
  /**
   * Deletes a record and its dependants without `allow`; the effect of `delete` and `onDelete` apply. Not for the action's own
   * record.
   */
  remove<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<void>
  /**
   * Runs `work` unless it ran before with this key; returns false then. Keys are committed with the transaction and kept for 90
   * days.
   */
  once(key: string, work: (records: Records<S>) => Promise<unknown>): Promise<boolean>
}

/** Records in a transaction of the service itself: all reads are unrestricted. */
export type ServiceEffectRecords = Omit<Records<'service'>, 'lockReadable'>
