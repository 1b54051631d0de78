// Derives the type of a client from the type of a service.

import type { Fields, Id } from '../../resource/field/field.ts'
import type { Collective } from '../../resource/language/action.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { Service } from '../../resource/language/service.ts'
import type { BulkMethods, BulkMove, KeyedMove } from './bulk.ts'
import type { CallOptions, ChangeOptions, MoveOptions, WriteOptions } from './call.ts'
import type { List, ListQuery, NumberedPage, NumberedQuery, Page, PageQuery } from './query.ts'
import type {
  CanOf,
  InputOf,
  JsonNames,
  KeyNamesOf,
  KeysOf,
  RecordOf,
  ShownOnce,
  UpsertInputOf,
  UpsertKeysOf,
  ValuesOf,
  WholeInputOf,
} from './record.ts'
import type { Summarised } from './summary.ts'
import type { WithTenants } from './tenant-key.ts'

/** By plural: `client.posts.list()`. */
export type ResourcesOf<S, V> =
  S extends Service<infer All, unknown, infer Tenants>
    ? {
        readonly [N in keyof All as All[N] extends { readonly plural: infer P extends string }
          ? P
          : never]: All[N] extends AnyResource ? Methods<WithTenants<All[N], Tenants>, All, V> : never
      }
    : never

type Methods<X extends AnyResource, All, V> = Pick<
  Usual<X, V, All>,
  UsualNames[keyof X['actions'] & keyof UsualNames]
> &
  BulkMethods<X, V, All> &
  ([KeysOf<X, V>] extends [never] ? unknown : Keyed<X, V, All>) &
  Summarised<X, V, All> & {
    readonly [K in Exclude<keyof X['actions'], keyof UsualNames>]: Move<X, K, V, All> &
      BulkMove<X, K, V, All> &
      KeyedMove<X, K, V, All>
  } & {
    readonly [N in keyof X['fields'] as X['fields'][N]['kind'] extends 'many' | 'manyToMany' ? N : never]: Nested<
      X['name'],
      All[X['fields'][N]['target'] & keyof All],
      V,
      All
    >
  } & {
    readonly [N in keyof X['queries']]: DefinedList<X, ArgumentsIn<X['queries'][N]>, V, All>
  } & (X['members'] extends Tenancy ? KeysWithin<X['name'], All, V> : unknown)
interface UsualNames {
  read: 'list' | 'page' | 'get'
  create: 'create' | 'createMany'
  update: 'update' | 'replace' | 'updateMany'
  delete: 'delete'
}
interface Usual<X extends AnyResource, V, All> {
  list<const K extends Names<X, V> = Whole<X, V>>(query?: ListQuery<X, V, K, All>): List<Pick<Selectable<X, V>, K>>
  page<const K extends Names<X, V> = Whole<X, V>>(
    query: NumberedQuery<X, V, K, All>,
  ): Promise<NumberedPage<Pick<Selectable<X, V>, K>>>
  page<const K extends Names<X, V> = Whole<X, V>>(
    query?: PageQuery<X, V, K, All>,
  ): Promise<Page<Pick<Selectable<X, V>, K>>>
  get<const K extends Names<X, V> = Whole<X, V>>(
    id: Id<X['name']>,
    options?: CallOptions & { readonly fields?: readonly K[] },
  ): Promise<Pick<Selectable<X, V>, K>>
  create(
    input: WholeInputOf<X, 'create', V, All>,
    options?: WriteOptions,
  ): Promise<RecordOf<X, V> & ShownOnce<X['fields']>>
  createMany(
    inputs: readonly WholeInputOf<X, 'create', V, All>[],
    options?: WriteOptions,
  ): Promise<readonly (RecordOf<X, V> & ShownOnce<X['fields']>)[]>
  update(
    id: Id<X['name']>,
    changes: Partial<WholeInputOf<X, 'update', V, All>>,
    options?: ChangeOptions,
  ): Promise<RecordOf<X, V>>
  replace(id: Id<X['name']>, input: WholeInputOf<X, 'update', V, All>, options?: ChangeOptions): Promise<RecordOf<X, V>>
  updateMany(
    ids: readonly Id<X['name']>[],
    changes: Partial<WholeInputOf<X, 'update', V, All>>,
    options?: CallOptions,
  ): Promise<readonly RecordOf<X, V>[]>
  delete(id: Id<X['name']>, options?: ChangeOptions): Promise<void>
}
/** For resources with keys: `client.customers.by({ externalId: '42' })`. */
interface Keyed<X extends AnyResource, V, All> {
  by<const K extends Names<X, V> = Whole<X, V>>(
    key: KeysOf<X, V>,
    options?: CallOptions & { readonly fields?: readonly K[] },
  ): Promise<Pick<Selectable<X, V>, K>>
  upsert<const Key extends UpsertKeysOf<X, V>>(
    key: Key,
    input: UpsertInputOf<X, V, Key, All>,
    options?: ChangeOptions,
  ): Promise<RecordOf<X, V>>
  /** Creates or replaces up to 100 records, all or none: `upsertMany(['externalId'], inputs)`. */
  upsertMany<const Names extends KeyNamesOf<X, V>>(
    key: Names,
    inputs: readonly (WholeInputOf<X, 'create', V, All> & { readonly [N in Names[number]]: unknown })[],
    options?: WriteOptions,
  ): Promise<readonly RecordOf<X, V>[]>
}

type Tenancy = { readonly list: string }
/** Keys inside a tenant: `client.organizations.customers.by('org_…', { externalId: '42' })`. (contract 11.2.11) */
type KeysWithin<Tenant extends string, All, V> = {
  readonly [N in keyof All as TenantOf<All[N], All> extends Tenant
    ? KeyedPlural<All[N]>
    : never]: All[N] extends AnyResource ? KeyedWithin<Tenant, All[N], V, All> : never
}
type KeyedPlural<X> = X extends AnyResource ? ([KeysOf<X>] extends [never] ? never : X['plural']) : never
type TenantOf<X, All> =
  HolderOf<X> extends infer H extends keyof All
    ? [H] extends [never]
      ? unknown
      : All[H] extends { readonly members: Tenancy }
        ? H
        : TenantOf<All[H], All>
    : unknown
type HolderOf<X> = X extends AnyResource
  ? X['within'] extends keyof X['fields']
    ? X['fields'][X['within']]['target']
    : never
  : never
type KeyedWithin<Tenant extends string, X extends AnyResource, V, All> = FoundWithin<Tenant, X, V> &
  (HolderOf<X> extends Tenant ? PutWithin<Tenant, X, V, All> : unknown)
interface FoundWithin<Tenant extends string, X extends AnyResource, V> {
  by<const K extends Names<X, V> = Whole<X, V>>(
    id: Id<Tenant>,
    key: KeysOf<X, V>,
    options?: CallOptions & { readonly fields?: readonly K[] },
  ): Promise<Pick<Selectable<X, V>, K>>
}
interface PutWithin<Tenant extends string, X extends AnyResource, V, All> {
  /** Creates or replaces the record in this tenant. */
  upsert<const Key extends UpsertKeysOf<X, V>>(
    id: Id<Tenant>,
    key: Key,
    input: UpsertInputOf<X, V, Key & TenantNames<X['within'] & string>, All>,
    options?: ChangeOptions,
  ): Promise<RecordOf<X, V>>
}
type TenantNames<Relation extends string> = { readonly [N in Relation | `${Relation}Id`]: unknown }

type Selectable<X extends AnyResource, V> = RecordOf<X, V> & CanOf<X>
type Names<X extends AnyResource, V> = keyof Selectable<X, V>
type Whole<X extends AnyResource, V> = keyof RecordOf<X, V>

type Move<X extends AnyResource, K, V, All> = [Extract<X['actions'][K & keyof X['actions']], Collective>] extends [
  never,
]
  ? MoveOne<X, K, V, All>
  : (input: InputOf<X, K, V, All>, options?: WriteOptions) => Promise<readonly RecordOf<X, V>[]>
type MoveOne<X extends AnyResource, K, V, All> =
  {} extends InputOf<X, K, V, All>
    ? (id: Id<X['name']>, input?: InputOf<X, K, V, All>, options?: MoveOptions) => Promise<Moved<X, K, V>>
    : (id: Id<X['name']>, input: InputOf<X, K, V, All>, options?: MoveOptions) => Promise<Moved<X, K, V>>
/** The library's `rotate` shows the new secret of a webhook, once. */
type Moved<X extends AnyResource, K, V> = RecordOf<X, V> &
  ([X['name'], K] extends ['Webhook', 'rotate'] ? ShownOnce<X['fields']> : unknown)

/** A named query: `client.courses.upcoming.list({ args: { days: 60 } })`. */
interface DefinedList<X extends AnyResource, Args, V, All> {
  list<const K extends Names<X, V> = Whole<X, V>>(
    ...query: ListParameters<Args, ListQuery<X, V, K, All>>
  ): List<Pick<Selectable<X, V>, K>>
  page<const K extends Names<X, V> = Whole<X, V>>(
    ...query: ListParameters<Args, PageQuery<X, V, K, All>>
  ): Promise<Page<Pick<Selectable<X, V>, K>>>
}
type ListParameters<Args, Query> = [Args] extends [never]
  ? [query?: Query]
  : {} extends ValuesOf<Args>
    ? [query?: Query & { readonly args?: ValuesOf<Args> }]
    : [query: Query & { readonly args: ValuesOf<Args> }]
type ArgumentsIn<Stated> = Stated extends Fields ? Stated : never

type Nested<Holder extends string, X, V, All> = X extends AnyResource ? Belonging<Holder, X, V, All> : never
/** Records that belong to another: `client.users.posts.list('usr_…')`. */
interface Belonging<Holder extends string, X extends AnyResource, V, All> {
  list<const K extends Names<X, V> = Whole<X, V>>(
    id: Id<Holder>,
    query?: ListQuery<X, V, K, All>,
  ): List<Pick<Selectable<X, V>, K>>
  page<const K extends Names<X, V> = Whole<X, V>>(
    id: Id<Holder>,
    query: NumberedQuery<X, V, K, All>,
  ): Promise<NumberedPage<Pick<Selectable<X, V>, K>>>
  page<const K extends Names<X, V> = Whole<X, V>>(
    id: Id<Holder>,
    query?: PageQuery<X, V, K, All>,
  ): Promise<Page<Pick<Selectable<X, V>, K>>>
}

type VersionsOf<S> = S extends Service<unknown, infer Versions> ? Versions : never
export type VersionOf<S> = [VersionsOf<S>] extends [never] ? 'v1' : keyof VersionsOf<S> & string
/** The version that is not deprecated. */
export type CurrentVersion<S> = [VersionsOf<S>] extends [never] ? 'v1' : CurrentIn<VersionsOf<S>>
type CurrentIn<Versions> = { [V in keyof Versions]: Versions[V] extends 'current' ? V : never }[keyof Versions] & string

type JsonIn<S, V> =
  S extends Service<infer All, unknown>
    ? { [N in keyof All]: All[N] extends AnyResource ? JsonNames<All[N], V> : never }[keyof All]
    : never
/**
 * What the client cannot derive from a type at run time: the version, and fields with free-form JSON. The compiler requires
 * them.
 */
export type TypedOptions<S, V> = (V extends 'v1' ? { readonly version?: V } : { readonly version: V }) &
  ([JsonIn<S, V>] extends [never]
    ? { readonly json?: { readonly [N in never]: true } }
    : { readonly json: { readonly [N in JsonIn<S, V>]: true } })
