// Types of records for clients: dates are ISO text, the relation `author` is `authorId`, with the names of a version.

import type { Numbered } from '../../resource/field/counter.ts'
import type { Decimal } from '../../resource/field/exact.ts'
import type { AnyField, Fields, Id } from '../../resource/field/field.ts'
import type { Collective } from '../../resource/language/action.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { Hiding } from '../../resource/language/row/reading.ts'
import type { Input } from '../../resource/language/row/row.ts'
import type { SingularOf } from '../../resource/naming/plural.ts'

type Unread = 'many' | 'manyToMany' | 'either' | 'argument' | 'password' | 'token' | 'secret'
/** A JSON value with times of type `Moment` and names in this case. Free-form objects are unchanged. */
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
export type Wire<V> = Json<V, string>
export type Answered<F extends AnyField> = F['kind'] extends Numbered ? number : Wire<F['phantom']['value']>
/** A value in a request: a time may be a Date. */
type Sendable<V> = Json<V, Date | string>
/** A property only ids have, however they are wrapped. */
type IdKey = Exclude<keyof Id<string>, keyof string>
type PartName<N, V> = IdKey extends keyof V ? `${N & string}Id` : N

type Older<X extends AnyResource, V> = V extends keyof X['versions'] ? X['versions'][V] : {}
type Called<N, Names> = N extends keyof Names ? Names[N] & string : N
type FieldName<N, F extends AnyField, Names> = F['kind'] extends 'one'
  ? `${Called<N, Names> & string}Id`
  : F['kind'] extends 'argument'
    ? PartName<N, NonNullable<F['phantom']['input']>>
    : Called<N, Names>

type Hidden<P> = { [N in keyof P]: P[N] extends { readonly read: unknown } ? N : never }[keyof P]
type Shown<F extends Fields, Names, Out, Within> = {
  readonly [N in keyof F as F[N]['kind'] extends Unread ? never : N extends Out ? never : FieldName<N, F[N], Names>]:
    | Answered<F[N]>
    | Hiding<F[N], N, Within>
}
type Sometimes<F extends Fields, Names, Out, Within> = {
  readonly [N in keyof F & Out as F[N]['kind'] extends Unread ? never : FieldName<N, F[N], Names>]?:
    | Wire<F[N]['phantom']['value']>
    | Hiding<F[N], N, Within>
}
type Computed<C, Out> = {
  readonly [N in keyof C as N extends Out ? never : N]: Wire<ComputedValue<C[N]>>
} & { readonly [N in keyof C & Out]?: Wire<ComputedValue<C[N]>> }
type ComputedValue<Stated> = Extract<Stated, AnyField>['phantom']['value']
interface Common<Name extends string> {
  readonly id: Id<Name>
  readonly createdAt: string
  readonly updatedAt: string
}

/** A record in an answer. Fields that some readers may not see are optional. */
export type RecordOf<X extends AnyResource, V = unknown> = Common<X['name']> &
  Shown<X['fields'], Older<X, V>, Hidden<X['protect']>, X['within']> &
  ([Hidden<X['protect']>] extends [never]
    ? unknown
    : Sometimes<X['fields'], Older<X, V>, Hidden<X['protect']>, X['within']>) &
  ([keyof X['computed']] extends [never] ? unknown : Computed<X['computed'], Hidden<X['protect']>>) &
  ('manyToMany' extends X['fields'][keyof X['fields']]['kind'] ? LinkIds<X['fields'], LinksOf<X>> : unknown) &
  ('either' extends X['fields'][keyof X['fields']]['kind'] ? EitherFields<X['fields'], Older<X, V>> : unknown)

/** Null if the record has none of these relations, or if what it names is hidden. */
type EitherFields<F extends Fields, Names> = {
  readonly [N in keyof F as F[N]['kind'] extends 'either' ? Called<N, Names> : never]: OneOf<F, F[N]['by']> | null
}
type OneOf<F extends Fields, Branch extends string> = {
  readonly [B in Branch]: { readonly type: F[B]['target']; readonly id: Id<F[B]['target']> }
}[Branch]

type LinksOf<X extends AnyResource> = {
  [N in Extract<X['actions'][keyof X['actions']], keyof X['fields']>]: X['fields'][N]['kind'] extends 'manyToMany'
    ? N
    : never
}[Extract<X['actions'][keyof X['actions']], keyof X['fields']>]
/** Absent if there are too many, or if the credential may not read them. */
type LinkIds<F extends Fields, N extends keyof F> = {
  readonly [L in N as ListName<L & string, F[L]>]?: readonly Id<F[L]['target']>[]
}

/** What the caller may do with a record; sent if `fields` names `can`. */
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

/** Values shown only when the record is created. */
export type ShownOnce<F extends Fields> = {
  readonly [N in keyof F as F[N]['kind'] extends 'token' ? N : never]: string
}

type Free<F extends Fields, Stated> = {
  [N in Extract<Stated, keyof F>]: F[N]['phantom']['need'] extends 'free' | 'actor' ? N : never
}[Extract<Stated, keyof F>]
type SentAs<F extends Fields, Stated, Names> = {
  readonly [N in keyof Input<F, Stated> as N extends keyof F ? FieldName<N, F[N], Names> : never]: [
    F[N & keyof F]['kind'],
  ] extends ['either']
    ? OneOf<F, F[N & keyof F]['by']> | Extract<Input<F, Stated>[N], null>
    : Sendable<Input<F, Stated>[N]>
}
/**
 * The input of an action. Moves that may follow are flags: `publish: true`. A relation to a resource in `All` with keys also
 * accepts a key.
 */
export type InputOf<X extends AnyResource, K, V = unknown, All = {}> = K extends keyof X['actions']
  ? [ByKey<X['fields'], X['actions'][K], All>] extends [never]
    ? StatedInput<X['fields'], X['actions'][K], Older<X, V>>
    : StatedInput<X['fields'], Exclude<X['actions'][K], ByKey<X['fields'], X['actions'][K], All>>, Older<X, V>> &
        EitherOf<X, ByKey<X['fields'], X['actions'][K], All>, V, All>
  : {}
/**
 * The same with lists: children without the relation to the parent, in an update also existing ones by id, and ids of linked
 * records.
 */
export type WholeInputOf<X extends AnyResource, K, V = unknown, All = {}> = InputOf<X, K, V, All> &
  (K extends keyof X['actions']
    ? [ListsIn<X['fields'], X['actions'][K]>] extends [never]
      ? unknown
      : ListInputs<X, ListsIn<X['fields'], X['actions'][K]>, V, All, K>
    : unknown)
type ListsIn<F extends Fields, Stated> = {
  [N in Extract<Stated, keyof F>]: F[N]['kind'] extends 'many' | 'manyToMany' ? N : never
}[Extract<Stated, keyof F>]
type ListInputs<X extends AnyResource, N extends keyof X['fields'], V, All, K> = {
  readonly [L in N as ListName<L & string, X['fields'][L]>]?: X['fields'][L]['kind'] extends 'many'
    ? readonly (
        | ChildInput<X, X['fields'][L], 'create', V, All>
        | (K extends 'update' ? StoredChild<X, X['fields'][L], V, All> : never)
      )[]
    : readonly Id<X['fields'][L]['target']>[]
} & {
  readonly [L in N as X['fields'][L]['kind'] extends 'many'
    ? never
    : [KeysIn<All, X['fields'][L]['target']>] extends [never]
      ? never
      : Called<L, Older<X, V>> & string]?: readonly KeysIn<All, X['fields'][L]['target'], V>[]
}
type StoredChild<X extends AnyResource, F extends AnyField, V, All> = { readonly id: Id<F['target']> } & Partial<
  ChildInput<X, F, 'update', V, All>
>
type ListName<N extends string, F extends AnyField> = F['kind'] extends 'many' ? N : `${SingularOf<N>}Ids`
type ChildInput<X extends AnyResource, F extends AnyField, K, V, All> = F['target'] extends keyof All
  ? All[F['target']] extends AnyResource
    ? Less<
        WholeInputOf<All[F['target']], K, V, All>,
        | NamesOf<F['by'] | Extract<All[F['target']]['within'], TenantsOf<X, All>>>
        | EitherWith<All[F['target']]['fields'], F['by']>
      >
    : never
  : never
type NamesOf<Relation> = Relation | `${Relation & string}Id`
/** The relations to the record's tenants. A child has the common ones from its parent. */
type TenantsOf<X extends AnyResource, All> = X['within'] extends keyof X['fields']
  ?
      | X['within']
      | (X['fields'][X['within']]['target'] extends infer Holder extends keyof All
          ? All[Holder] extends AnyResource
            ? TenantsOf<All[Holder], All>
            : never
          : never)
  : never
/** The parent decides for the `either` of its relation. */
type EitherWith<F extends Fields, By> = {
  [N in keyof F]: [F[N]['kind']] extends ['either'] ? (By extends F[N]['by'] ? N : never) : never
}[keyof F]
type Less<I, Names> = I extends unknown ? { readonly [N in keyof I as N extends Names ? never : N]: I[N] } : never

type ByKey<F extends Fields, Stated, All> = {
  [N in Extract<Stated, keyof F>]: F[N]['kind'] extends 'one'
    ? [KeysIn<All, F[N]['target']>] extends [never]
      ? never
      : N
    : never
}[Extract<Stated, keyof F>]
type KeysIn<All, Target, V = unknown> = Target extends keyof All
  ? All[Target] extends AnyResource
    ? KeysOf<All[Target], V>
    : never
  : never
type EitherOf<X extends AnyResource, N extends keyof X['fields'], V, All> = ({
  [K in N]: (each: [Either<X, K, V, All>]) => void
}[N] extends (all: infer Every extends readonly [unknown]) => void
  ? Every
  : never)[0]
type Either<X extends AnyResource, N extends keyof X['fields'], V, All> = EitherName<
  StatedInput<X['fields'], N, Older<X, V>>,
  Called<N, Older<X, V>> & string,
  KeysIn<All, X['fields'][N]['target'], V> &
    (N extends X['within'] ? TenantPart<X['fields'][N]['target'], All> : unknown)
>
/** A key of what the record is within has its tenant, which an API key of it leaves out. (contract 11.2.33) */
type TenantPart<Name, All> = Name extends keyof All
  ? All[Name] extends infer X extends AnyResource
    ? X['within'] extends keyof X['fields']
      ? X['fields'][X['within']]['target'] extends infer Holder extends keyof All
        ? All[Holder] extends { readonly members: { readonly list: string } }
          ? { readonly [N in `${X['within'] & string}Id`]?: string }
          : TenantPart<Holder, All>
        : unknown
      : unknown
    : unknown
  : unknown
type EitherName<ById, Name extends string, Key> =
  | (ById & { readonly [N in Name]?: never })
  | ({ readonly [N in keyof ById]?: never } & ({} extends ById
      ? { readonly [N in Name]?: Key }
      : { readonly [N in Name]: Key }))
type StatedInput<F extends Fields, Stated, Names> = SentAs<F, Exclude<Stated, Free<F, Stated>>, Names> &
  Partial<SentAs<F, Free<F, Stated>, Names>> & {
    readonly [Also in Exclude<Extract<Stated, string>, keyof F>]?: boolean
  }

/** Each key of the resource: `{ externalId: string }`. */
export type KeysOf<X extends AnyResource, V = unknown> = X['keys'] extends readonly (infer K)[]
  ? K extends readonly (infer N)[] | { readonly fields: readonly (infer N)[] }
    ? KeyOf<X['fields'], N, Older<X, V>>
    : never
  : never
/** Optional fields and counters, which no input has as they are, can be in keys. */
type KeyOf<F extends Fields, Stated, Names> = {
  readonly [N in Stated & keyof F as FieldName<N, F[N], Names>]: F[N]['kind'] extends 'counter'
    ? number
    : Sendable<NonNullable<F[N]['phantom']['input']>>
}
/** Those that create and replace: the others have a counter, or are those of some records. */
export type UpsertKeysOf<X extends AnyResource, V = unknown> = X['keys'] extends readonly (infer K)[]
  ? K extends
      | readonly (infer N extends keyof X['fields'])[]
      | { readonly fields: readonly (infer N extends keyof X['fields'])[]; readonly where?: never }
    ? [Extract<X['fields'][N]['kind'], 'counter'>] extends [never]
      ? KeyOf<X['fields'], N, Older<X, V>>
      : never
    : never
  : never
export type KeyNamesOf<X extends AnyResource, V = unknown> =
  UpsertKeysOf<X, V> extends infer K ? (K extends unknown ? readonly (keyof K & string)[] : never) : never
/** The input of create, where the key's fields are optional. */
export type UpsertInputOf<X extends AnyResource, V, Key, All = {}> =
  WholeInputOf<X, 'create', V, All> extends infer I
    ? I extends unknown
      ? Pick<I, Exclude<keyof I, keyof Key>> & Partial<Pick<I, keyof I & keyof Key>>
      : never
    : never

/** Values for these fields; optional if they have a default or are nullable. */
export type ValuesOf<Args> = Args extends Fields
  ? SentAs<Args, Exclude<keyof Args, Free<Args, keyof Args>>, {}> & Partial<SentAs<Args, Free<Args, keyof Args>, {}>>
  : {}

/** Fields with free-form JSON in this version, whose inside is not renamed. */
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
