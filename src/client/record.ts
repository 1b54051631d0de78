// What records look like to a client: dates are ISO text, a relation `author` is `authorId`, and a version has its names.

import type { Numbered } from '../resource/field/counter.ts'
import type { Decimal } from '../resource/field/decimal.ts'
import type { AnyField, Fields, Id } from '../resource/field/field.ts'
import type { Collective } from '../resource/language/action.ts'
import type { AnyResource } from '../resource/language/any-resource.ts'
import type { Input } from '../resource/language/row.ts'

type Unread = 'many' | 'manyToMany' | 'argument' | 'password' | 'token' | 'secret'
/** A value in JSON, whose moments are `Moment` and whose names are in this case. A JSON object of any form stays as it is. */
export type Json<V, Moment, Case extends 'camel' | 'snake' = 'camel'> = V extends Date
  ? Moment
  : V extends readonly (infer E)[]
    ? readonly Json<E, Moment, Case>[]
    : V extends string | number | boolean | null
      ? V
      : V extends bigint | Decimal
        ? string
        : string extends keyof V
          ? V
          : { readonly [N in keyof V as InCase<PartName<N, NonNullable<V[N]>>, Case>]: Json<V[N], Moment, Case> }
type InCase<Name, Case> = Case extends 'snake' ? Snake<Name> : Name
/** `minTotal` → `min_total`. */
type Snake<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ''
/** A value as it is answered. */
export type Wire<V> = Json<V, string>
/** The value of a field as it is answered: by then every number is counted. */
export type Answered<F extends AnyField> = F['kind'] extends Numbered ? number : Wire<F['phantom']['value']>
/** A value as it is sent: a date may be a Date. */
type Sendable<V> = Json<V, Date | string>
/** Only ids have this key, however they are wrapped. */
type IdKey = Exclude<keyof Id<string>, keyof string>
type PartName<N, V> = IdKey extends keyof V ? `${N & string}Id` : N

/** What version `V` calls a field. */
type Older<X extends AnyResource, V> = V extends keyof X['versions'] ? X['versions'][V] : {}
type Called<N, Names> = N extends keyof Names ? Names[N] & string : N
type FieldName<N, F extends AnyField, Names> = F['kind'] extends 'one'
  ? `${Called<N, Names> & string}Id`
  : F['kind'] extends 'argument'
    ? PartName<N, NonNullable<F['phantom']['input']>>
    : Called<N, Names>

type Hidden<P> = { [N in keyof P]: P[N] extends { readonly read: unknown } ? N : never }[keyof P]
type Shown<F extends Fields, Names, Out> = {
  readonly [N in keyof F as F[N]['kind'] extends Unread
    ? never
    : N extends Out
      ? never
      : FieldName<N, F[N], Names>]: Answered<F[N]>
}
type Sometimes<F extends Fields, Names, Out> = {
  readonly [N in keyof F & Out as F[N]['kind'] extends Unread ? never : FieldName<N, F[N], Names>]?: Wire<
    F[N]['phantom']['value']
  >
}
type Computed<C, Out> = {
  readonly [N in keyof C as N extends Out ? never : N]: Wire<ComputedValue<C[N]>>
} & { readonly [N in keyof C & Out]?: Wire<ComputedValue<C[N]>> }
type ComputedValue<Said> = Extract<Said, AnyField>['phantom']['value']
interface Common<Name extends string> {
  readonly id: Id<Name>
  readonly createdAt: string
  readonly updatedAt: string
}

/** A record as it is answered. What some readers may not see is optional. */
export type RecordOf<X extends AnyResource, V = unknown> = Common<X['name']> &
  Shown<X['fields'], Older<X, V>, Hidden<X['protect']>> &
  ([Hidden<X['protect']>] extends [never] ? unknown : Sometimes<X['fields'], Older<X, V>, Hidden<X['protect']>>) &
  ([keyof X['computed']] extends [never] ? unknown : Computed<X['computed'], Hidden<X['protect']>>) &
  ('manyToMany' extends X['fields'][keyof X['fields']]['kind'] ? LinkIds<X['fields'], LinksOf<X>> : unknown)

/** The many-to-many relations that an action of it takes. */
type LinksOf<X extends AnyResource> = {
  [N in Extract<X['actions'][keyof X['actions']], keyof X['fields']>]: X['fields'][N]['kind'] extends 'manyToMany'
    ? N
    : never
}[Extract<X['actions'][keyof X['actions']], keyof X['fields']>]
/** Left out where they are too many, or the credential may not read them. */
type LinkIds<F extends Fields, N extends keyof F> = {
  readonly [L in N as ListName<L & string, F[L]>]?: readonly Id<F[L]['target']>[]
}

/** What the caller may do with a record, answered where `fields` names it. */
export type CanOf<X extends AnyResource> = [OnRecord<X>] extends [never]
  ? {}
  : { readonly can: { readonly [K in OnRecord<X>]: boolean } }
type OnRecord<X extends AnyResource> = {
  [K in keyof X['actions']]: K extends 'read' | 'create'
    ? never
    : [Extract<X['actions'][K], Collective>] extends [never]
      ? K
      : never
}[keyof X['actions']]

/** What is answered once: when the record is made. */
export type ShownOnce<F extends Fields> = {
  readonly [N in keyof F as F[N]['kind'] extends 'token' ? N : never]: string
}

type Free<F extends Fields, Said> = {
  [N in Extract<Said, keyof F>]: F[N]['phantom']['need'] extends 'free' | 'actor' ? N : never
}[Extract<Said, keyof F>]
type SentAs<F extends Fields, Said, Names> = {
  readonly [N in keyof Input<F, Said> as N extends keyof F ? FieldName<N, F[N], Names> : never]: Sendable<
    Input<F, Said>[N]
  >
}
/**
 * What an action takes: needed what has no default; `publish: true` where that move may follow at once. A relation to a resource of
 * `All` that has keys can be named by one.
 */
export type InputOf<X extends AnyResource, K, V = unknown, All = {}> = K extends keyof X['actions']
  ? [ByKey<X['fields'], X['actions'][K], All>] extends [never]
    ? SaidInput<X['fields'], X['actions'][K], Older<X, V>>
    : SaidInput<X['fields'], Exclude<X['actions'][K], ByKey<X['fields'], X['actions'][K], All>>, Older<X, V>> &
        EitherOf<X, ByKey<X['fields'], X['actions'][K], All>, V, All>
  : {}
/**
 * The same with the lists that it takes: children as their own create takes them, less the relation to their parent, in an update also
 * those that are there, by their ids, and the ids of what is linked.
 */
export type WholeInputOf<X extends AnyResource, K, V = unknown, All = {}> = InputOf<X, K, V, All> &
  (K extends keyof X['actions']
    ? [ListsIn<X['fields'], X['actions'][K]>] extends [never]
      ? unknown
      : ListInputs<X, ListsIn<X['fields'], X['actions'][K]>, V, All, K>
    : unknown)
type ListsIn<F extends Fields, Said> = {
  [N in Extract<Said, keyof F>]: F[N]['kind'] extends 'many' | 'manyToMany' ? N : never
}[Extract<Said, keyof F>]
type ListInputs<X extends AnyResource, N extends keyof X['fields'], V, All, K> = {
  readonly [L in N as ListName<L & string, X['fields'][L]>]?: X['fields'][L]['kind'] extends 'many'
    ? readonly (
        | ChildInput<X['fields'][L], 'create', V, All>
        | (K extends 'update' ? StoredChild<X['fields'][L], V, All> : never)
      )[]
    : readonly Id<X['fields'][L]['target']>[]
}
/** A child that is there, and what changes of it. */
type StoredChild<F extends AnyField, V, All> = { readonly id: Id<F['target']> } & Partial<
  ChildInput<F, 'update', V, All>
>
type ListName<N extends string, F extends AnyField> = F['kind'] extends 'many' ? N : `${Singular<N>}Ids`
type Singular<N extends string> = N extends `${infer Stem}ies`
  ? `${Stem}y`
  : N extends `${string}ss`
    ? N
    : N extends `${infer Stem}s`
      ? Stem
      : N
type ChildInput<F extends AnyField, K, V, All> = F['target'] extends keyof All
  ? All[F['target']] extends AnyResource
    ? Less<WholeInputOf<All[F['target']], K, V, All>, `${F['by']}Id` | F['by']>
    : never
  : never
type Less<I, Names> = I extends unknown ? { readonly [N in keyof I as N extends Names ? never : N]: I[N] } : never

/** The relations among what an action takes whose records have keys. */
type ByKey<F extends Fields, Said, All> = {
  [N in Extract<Said, keyof F>]: F[N]['kind'] extends 'one'
    ? [KeysIn<All, F[N]['target']>] extends [never]
      ? never
      : N
    : never
}[Extract<Said, keyof F>]
type KeysIn<All, Target, V = unknown> = Target extends keyof All
  ? All[Target] extends AnyResource
    ? KeysOf<All[Target], V>
    : never
  : never
/** Each of these relations by its id or by a key, and not by both. */
type EitherOf<X extends AnyResource, N extends keyof X['fields'], V, All> = ({
  [K in N]: (each: [Either<X, K, V, All>]) => void
}[N] extends (all: infer Every extends readonly [unknown]) => void
  ? Every
  : never)[0]
type Either<X extends AnyResource, N extends keyof X['fields'], V, All> = EitherName<
  SaidInput<X['fields'], N, Older<X, V>>,
  Called<N, Older<X, V>> & string,
  KeysIn<All, X['fields'][N]['target'], V>
>
type EitherName<ById, Name extends string, Key> =
  | (ById & { readonly [N in Name]?: never })
  | ({ readonly [N in keyof ById]?: never } & ({} extends ById
      ? { readonly [N in Name]?: Key }
      : { readonly [N in Name]: Key }))
type SaidInput<F extends Fields, Said, Names> = SentAs<F, Exclude<Said, Free<F, Said>>, Names> &
  Partial<SentAs<F, Free<F, Said>, Names>> & {
    readonly [Also in Exclude<Extract<Said, string>, keyof F>]?: boolean
  }

/** What names a record: the fields of one of its keys. */
export type KeysOf<X extends AnyResource, V = unknown> = X['keys'] extends readonly (infer K)[]
  ? K extends readonly (keyof X['fields'])[]
    ? SentAs<X['fields'], K[number], Older<X, V>>
    : never
  : never
/** What create takes; what the key says can be left out. */
export type UpsertInputOf<X extends AnyResource, V, Key, All = {}> =
  WholeInputOf<X, 'create', V, All> extends infer I
    ? I extends unknown
      ? Pick<I, Exclude<keyof I, keyof Key>> & Partial<Pick<I, keyof I & keyof Key>>
      : never
    : never

/** Values for these fields; those that have a default, or may be absent, can be left out. */
export type ValuesOf<Args> = Args extends Fields
  ? SentAs<Args, Exclude<keyof Args, Free<Args, keyof Args>>, {}> & Partial<SentAs<Args, Free<Args, keyof Args>, {}>>
  : {}

/** Names of fields whose values are JSON of any form, in this version: their inside is nobody's to rename. */
export type JsonNames<X extends AnyResource, V> =
  | JsonField<X['fields'], Older<X, V>>
  | JsonPart<X['fields']>
  | JsonMade<X>
type JsonField<F extends Fields, Names> = {
  [N in keyof F]: F[N]['kind'] extends 'json' ? Called<N, Names> : never
}[keyof F] &
  string
type JsonPart<F extends Fields> = {
  [N in keyof F]: F[N]['kind'] extends 'list' | 'object' ? JsonWithin<F[N]['phantom']['value'], N> : never
}[keyof F] &
  string
type JsonWithin<V, N> = V extends string | number | bigint | boolean | null | Date | Decimal
  ? never
  : V extends readonly (infer E)[]
    ? JsonWithin<E, N>
    : string extends keyof V
      ? N
      : { [P in keyof V]: JsonWithin<V[P], P> }[keyof V]
type JsonMade<X extends AnyResource> = {
  [N in keyof X['computed']]: JsonWithin<ComputedValue<X['computed'][N]>, N>
}[keyof X['computed']] &
  string
