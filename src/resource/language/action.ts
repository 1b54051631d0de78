// What may be done with a record: the keys of an action, in the order they run, and what callbacks are given.
// `Said` is one union of all that an action says about itself: the names it accepts, its permissions, its event.

import type { Deprecating } from '../deprecation.ts'
import type { Fields, Id } from '../field/field.ts'
import type { AnyResource, RowOf } from './any-resource.ts'
import type { Me, RequestTime } from './comparison.ts'
import type { Numeric, Reads, Sight, SumOf } from './reading.ts'
import type { Acceptable, Change, Given, Input, Named, New, Row, Sent, StateOf, Stored, Writable } from './row.ts'
import type { Absent, Anonymous, AnyFollows, Anyone, Caller, Permitted, Present, RelationTo, Rule } from './rule.ts'
import type { RuleAbout, RuleNames } from './rule-type.ts'
import type { Sql } from './sql.ts'

/** What the state that a move starts from may mention: a value of a field, `present` or `absent`. */
export type About<F extends Fields> = {
  readonly [N in Stored<F>]?:
    | (F[N]['kind'] extends 'one' ? RelationTo<F[N]['target']> : Given<F[N]['phantom']['value']>)
    | (null extends F[N]['phantom']['value'] ? Present | Absent : never)
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
 * Names what happened. With `by`, subscribers listen to one record of that relation. `with` names tokens of the record that a
 * create makes: reactions are handed them, and nobody else (contract 10.1.19). With `changed`, it is told of only where one of
 * these fields changed, together with the values that they had before (contract 13.9).
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
/** Says that an action is about no record in particular: `POST /posts/import`, `importPosts`. */
export const collection: Collective = 'collection' as never

export type Usual = 'read' | 'create' | 'update' | 'delete'
/** What a person reads when the business says no. */
type Sentence = string
/** Infers what was said; whatever is not among the allowed is told what is. */
export type Among<Allowed, Said> = Said extends Allowed ? Said : Allowed

/** What a callback is given. */
export interface Moment<Name extends string, F extends Fields, Said, Key> {
  /** Null where the rule lets in somebody who is not signed in. */
  readonly actor: Extract<Said, Anonymous> extends never ? Caller : Caller | null
  readonly now: Date
  /** Only what the action accepts; in an update, what was sent of it. */
  readonly input: Key extends 'update' ? Partial<Input<F, Said>> : Input<F, Said>
  readonly record: Key extends 'create'
    ? 'There is no record before it is created.'
    : Extract<Said, Collective> extends never
      ? Row<Name, F>
      : OnlyCollective
  readonly tokens: Key extends 'create'
    ? { readonly [N in Named<F, 'token'>]: string }
    : 'Tokens are known only when they are made.'
}
export interface Transaction<Name extends string, F extends Fields, Said, Key> extends Moment<Name, F, Said, Key> {
  /** The id of the record that is made, for the records that are made with it. */
  readonly id: Key extends 'create' ? Id<Name> : 'The record has it.'
  readonly records: EffectRecords<Name, F>
  /** Fills in fields of the record that is being written. */
  readonly assign: Extract<Said, Collective> extends never ? (change: Change<F>) => void : OnlyCollective
}
/** What a check is given. */
export interface CheckMoment<Name extends string, F extends Fields, Said, Key> extends Moment<Name, F, Said, Key> {
  /** For asynchronous checks alone. */
  readonly records: CheckRecords<Name, F>
}
type Set<F extends Fields, M> = {
  readonly [N in Writable<F>]?:
    | Given<F[N]['phantom']['value']>
    | (F[N]['kind'] extends 'timestamp' ? RequestTime<never> : never)
    | ((moment: M) => Given<F[N]['phantom']['value']>)
}

// biome-ignore lint/suspicious/noConfusingVoidType: an effect that refuses nothing returns nothing
type Effect<T> = (transaction: T) => Promise<void | Sentence>

/** Lists that inputs may hold: children that are made with their parent, or replaced, and the records that one is linked with. */
type AcceptableList<F extends Fields, Key> = Key extends 'create' | 'update' ? Named<F, 'many' | 'manyToMany'> : never

/** Its keys in the order they run. */
export interface Action<Name extends string, F extends Fields, Said, Key, Actions> {
  /** Who may. Cannot be left out. */
  readonly allow: Rule<unknown, unknown, Said> & RuleOn<F, Actions>
  /** `collection`: about no record in particular. What its effect writes of this resource is what it answers. */
  readonly on?: Key extends Usual ? OnlyMoves : Among<Collective, Said>
  /** How long shared caches may keep an answer, in seconds. */
  readonly maxAgeSeconds?: Key extends 'read'
    ? [Said] extends [never]
      ? OnlyPublic
      : [Said] extends [Anyone]
        ? number
        : OnlyPublic
    : 'Only reading is cached.'
  /**
   * What a client may send. Nothing else is writable. A `many` of create takes new children, each under the `create` of its own; a
   * `manyToMany` the ids of all records that it shall be linked with. (contract 13.1)
   */
  readonly accept?: Key extends 'read' | 'delete'
    ? 'Reading and deleting take no input.'
    : readonly Among<Acceptable<F> | AcceptableList<F, Key>, Said>[]
  /** Moves that may follow at once: `publish: true` in the input of create, under the rule of publish. */
  readonly mayFollow?: Key extends 'create'
    ? readonly Among<Exclude<Actions, Usual>, Said>[]
    : 'Only create may be followed at once.'
  /** The state a move starts from, or a condition such as `{ publishedAt: absent }`. Otherwise 409. */
  readonly from?: Key extends Usual ? OnlyMoves : StateOf<F> | readonly StateOf<F>[] | About<F>
  /**
   * True, or the sentence that says why not: 422. An `async` function may read `records`; what it reads is locked until the write is
   * committed, and the write is a transaction of its own.
   */
  readonly check?: Key extends 'read' | 'delete'
    ? OnlyWrites
    : (moment: CheckMoment<Name, F, Said, Key>) => true | Sentence | Promise<true | Sentence>
  readonly to?: Key extends Usual ? OnlyMoves : StateOf<F>
  readonly set?: Key extends 'read' | 'delete' ? OnlyWrites : Set<F, Moment<Name, F, Said, Key>>
  /** Puts the actor into, or takes the actor out of, this many-to-many relation of the record. */
  readonly link?: Key extends 'read' | 'delete' ? OnlyWrites : Named<F, 'manyToMany'>
  readonly unlink?: Key extends 'read' | 'delete' ? OnlyWrites : Named<F, 'manyToMany'>
  /** What else changes in the same transaction. A returned sentence is 422 and undoes everything. */
  readonly effect?: Key extends 'read' ? OnlyWrites : Effect<Transaction<Name, F, Said, Key>>
  /** Asks clients to leave this action. */
  readonly deprecated?: Deprecating
  /** What clients are told that it does; otherwise a sentence made of its name. */
  readonly about?: string
  /** Tells whoever may read the record. Of a `delete`, who could read it until then, with what they saw of it. */
  readonly emit?: Key extends 'read'
    ? OnlyWrites
    : Emits<Said> &
        Event<
          string,
          Named<F, 'one'>,
          Key extends 'create' ? Named<F, 'token'> : never,
          Key extends 'create' | 'delete' ? never : Stored<F>
        >
}
// What a person reads who writes a key where it cannot stand.
type OnlyPublic = 'Only what anyone may read, always, may be kept in shared caches.'
type OnlyCollective = 'What is on the collection has no record of its own.'
type OnlyMoves = 'Only a move has a state to start from and one to reach.'
type OnlyWrites = 'Reading changes nothing, and deleting leaves nothing.'

/** The actions of a resource that are about one record and have a name of their own. */
export type MoveOf<R extends AnyResource> = {
  [M in keyof R['actions']]: M extends Usual ? never : Extract<R['actions'][M], Collective> extends never ? M : never
}[keyof R['actions']]
/** The input of a move: it cannot be left out where the move needs any of it. */
export type MoveInput<R extends AnyResource, Move> =
  Sent<R['fields'], R['actions'][Move & keyof R['actions']]> extends infer S
    ? [keyof S] extends [never]
      ? [input?: { readonly [name: string]: never }]
      : {} extends S
        ? [input?: S]
        : [input: S]
    : never
/** A complete new record, and the arguments that its create accepts. */
type Complete<R extends AnyResource> = New<R['fields']> &
  Sent<R['fields'], Extract<SaidAtCreate<R['actions']>, Named<R['fields'], 'argument'>>>
type SaidAtCreate<Actions> = Actions extends { readonly create: infer Said } ? Said : never
/** The same of a resource whose actions are not known yet: what they accept is asked when it runs. */
type SentByName<F extends Fields> = { readonly [N in Acceptable<F>]?: Given<F[N]['phantom']['input']> }

/** Which records of a resource whose filters are not known yet. */
interface WhichHere {
  readonly filter?: { readonly [name: string]: string | number | boolean | Date }
  readonly sort?: readonly string[]
  readonly limit?: number
}
/** Like `Records`, of the resource whose definition it stands in. */
export interface RecordsHere<Name extends string, F extends Fields> {
  /** What is protected from the actor is missing. */
  get(id: Id<Name>): Promise<Row<Name, F>>
  list(which?: WhichHere): Promise<{ readonly records: readonly Row<Name, F>[]; readonly hasNext: boolean }>
  each(which?: Omit<WhichHere, 'limit'>): AsyncIterable<Row<Name, F>>
  count(which?: Pick<WhichHere, 'filter'>): Promise<number>
  sum<N extends Numeric<F>>(field: N, which?: Pick<WhichHere, 'filter'>): Promise<SumOf<F, N>>
  remove(id: Id<Name>): Promise<void>
  lockReadable(ids: readonly Id<Name>[]): Promise<readonly Row<Name, F>[]>
  lockExisting(ids: readonly Id<Name>[]): Promise<readonly Row<Name, F>[]>
  change(id: Id<Name>, change: Change<F>): Promise<void>
  create(record: New<F> & Pick<SentByName<F>, Named<F, 'argument'> & Acceptable<F>>): Promise<Row<Name, F>>
  run(id: Id<Name>, move: string, input?: SentByName<F>): Promise<void>
}

/** What a check reads, as its actor may see it. What it finds is locked until the transaction ends. */
export interface CheckRecords<Name extends string, F extends Fields>
  extends Pick<Reads<'reader'>, 'get' | 'list' | 'count' | 'tenantRole'> {
  /** The records of this same resource, which its definition cannot name before it exists. */
  readonly here: Pick<RecordsHere<Name, F>, 'get' | 'list' | 'count'>
}

/** What an effect changes beside its own record. */
export interface EffectRecords<Name extends string, F extends Fields> extends Records<'reader'> {
  /** The records of this same resource, which its definition cannot name before it exists. */
  readonly here: RecordsHere<Name, F>
}

/**
 * Other records, inside the transaction of an effect. What it writes is held to its fields as what clients send; a value
 * that does not fit is a bug, and nothing is stored.
 */
export interface Records<S extends Sight = 'reader'> extends Reads<S> {
  /** SQL of one's own in the same transaction; what it writes is told to nobody, and asks nothing. */
  readonly sql: Sql
  /** The readable ones among these, locked in id order; one that is missing is 422 with its field. */
  lockReadable<R extends AnyResource>(resource: R, ids: readonly Id<R['name']>[]): Promise<readonly RowOf<R>[]>
  /** Those among these that were not deleted, locked in id order, whether or not the actor may read them. */
  lockExisting<R extends AnyResource>(resource: R, ids: readonly Id<R['name']>[]): Promise<readonly RowOf<R>[]>
  /** Writes these fields, whatever the actions say. */
  change<R extends AnyResource>(resource: R, id: Id<R['name']>, change: Change<R['fields']>): Promise<void>
  /**
   * Runs the create of another resource, where it has one, without its `allow`: its `check`, `set`, `effect` and `emit`.
   * What is given here wins over what `set` would fill in.
   */
  create<R extends AnyResource>(resource: R, record: Complete<R>): Promise<RowOf<R>>
  /**
   * Runs a move of another resource with what it accepts: its `from`, `check`, `to`, `set`, `effect` and `emit`, without its
   * `allow`. Effects run each other three deep, and in no ring.
   */
  run<R extends AnyResource, const Move extends MoveOf<R>>(
    resource: R,
    id: Id<R['name']>,
    move: Move,
    ...input: MoveInput<R, Move>
  ): Promise<void>
  /**
   * Deletes a record without its `allow`, with all that is deleted along with it: the effect of its `delete` runs, and `onDelete` holds.
   * The record of the action itself is deleted by its own `delete` alone.
   */
  remove<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<void>
  /**
   * Does this work unless it was done before with the same key, such as the id of a provider's message: false then. The key is
   * kept with what the transaction changes, for 90 days.
   */
  once(key: string, work: (records: Records<S>) => Promise<unknown>): Promise<boolean>
}

/** Records inside a transaction of the service itself, whose reads show everything. */
export type ServiceEffectRecords = Omit<Records<'service'>, 'lockReadable'>
