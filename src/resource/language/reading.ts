// What code reads of records: what a reader of them may see, or, as the service itself, all that there is.

import type { Fields, Id } from '../field/field.ts'
import type { AnyResource, RowOf } from './any-resource.ts'
import type { Named, Stored } from './row.ts'
import type { WhereOf } from './where.ts'

/** A record as its reader may see it: protected fields may be missing. */
export type Seen<R extends AnyResource> = Omit<RowOf<R>, (keyof R['protect'] & string) | Named<R['fields'], 'secret'>> &
  Partial<Pick<RowOf<R>, Exclude<keyof R['protect'] & keyof RowOf<R>, Named<R['fields'], 'secret'>>>>
/** For whom code reads. */
export type Sight = 'reader' | 'service'
/** A record as code has it. */
export type Found<R extends AnyResource, S extends Sight> = S extends 'service' ? RowOf<R> : Seen<R>

/** What lists can be sorted by, as far as types can tell. */
export type SortName<F extends Fields> =
  | 'relevance'
  | Stored<F>
  | 'createdAt'
  | 'updatedAt'
  | `${Named<F, 'one'>}.${string}`

/** Which records of a resource. */
export interface Matching<R extends AnyResource> {
  /** The filters of the resource, by their names. */
  readonly filter?: { readonly [N in keyof R['filter']]?: string | number | boolean | Date }
  /** A condition, as a tree, or as the text that clients send. (contract 12.1) */
  readonly where?: WhereOf<R> | string
  /** Words that must occur, as a client writes them; the best answers come first. (contract 12.2.10) */
  readonly search?: string
}
/** The same, and in which order. */
export interface Ordering<R extends AnyResource> extends Matching<R> {
  readonly sort?: readonly (SortName<R['fields']> | `-${SortName<R['fields']>}`)[]
}
/** A page of them: at most as many as clients may ask for. */
export interface Page<R extends AnyResource> extends Ordering<R> {
  readonly limit?: number
}

type Number = 'integer' | 'counter' | 'bigint' | 'float' | 'decimal'
/** The fields that can be added up. */
export type Numeric<F extends Fields> = Named<F, Number>
/** What they add up to: exactly, and 0 where there are none. */
export type SumOf<F extends Fields, N extends keyof F> = NonNullable<F[N]['phantom']['value']>

/** Reads inside a transaction: what was written in it before is seen. */
export interface Reads<S extends Sight> {
  /** One that is missing, or that the actor may not read, is 422, with the field that names it. */
  get<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<Found<R, S>>
  /** The role that an account has inside a tenant, by their ids; null for who is no member, or is not seen to be one. */
  tenantRole(tenant: string, account: string | null): Promise<string | null>
  /** A page of those that the actor may read. */
  list<R extends AnyResource>(
    resource: R,
    which?: Page<R>,
  ): Promise<{ readonly records: readonly Found<R, S>[]; readonly hasNext: boolean }>
  /** All of them, a page at a time as they are asked for. */
  each<R extends AnyResource>(resource: R, which?: Ordering<R>): AsyncIterable<Found<R, S>>
  /** How many of them there are. */
  count<R extends AnyResource>(resource: R, which?: Matching<R>): Promise<number>
  /** What one of their fields adds up to. A value that the actor may not read is left out. */
  sum<R extends AnyResource, N extends Numeric<R['fields']>>(
    resource: R,
    field: N,
    which?: Matching<R>,
  ): Promise<SumOf<R['fields'], N>>
}
