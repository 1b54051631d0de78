// How code reads records: as one reader may see them, or unrestricted as the service itself.

import type { Decimal } from '../../field/exact.ts'
import type { AnyField, Fields, Id } from '../../field/field.ts'
import type { CalendarUnit } from '../calendar.ts'
import type { AnyResource, RowOf } from './any-resource.ts'
import type { Named, Stored, WithStored } from './row.ts'
import type { Word } from './value-kind.ts'
import type { WhereOf } from './where.ts'

/** A record as its reader may see it: protected fields may be absent, and relations are null if what they name is hidden. */
export type Seen<R extends AnyResource> = Omit<
  SeenRow<R>,
  (keyof R['protect'] & string) | Named<R['fields'], 'secret'>
> &
  Partial<Pick<SeenRow<R>, Exclude<keyof R['protect'] & keyof RowOf<R>, Named<R['fields'], 'secret'>>>>
type SeenRow<R extends AnyResource> = {
  readonly [N in keyof RowOf<R>]:
    | RowOf<R>[N]
    | (N extends keyof R['fields'] ? Hiding<R['fields'][N], N, R['within']> : never)
}
/** Null for a relation that may be hidden: not to the record's tenants. (contract 10.2.18) */
export type Hiding<F extends AnyField, N, Within> = F['kind'] extends 'one'
  ? N extends Within
    ? never
    : F['phantom']['need'] extends 'free'
      ? never
      : null
  : never
export type ReadAs = 'reader' | 'service'
export type Found<R extends AnyResource, S extends ReadAs> = S extends 'service' ? RowOf<R> : Seen<R>

type Listed<R extends AnyResource> = WithStored<R['fields'], R['computed']>
export type SortName<F extends Fields> =
  | 'relevance'
  | Stored<F>
  | 'createdAt'
  | 'updatedAt'
  | `${Named<F, 'one' | 'object'>}.${string}`

export interface Matching<R extends AnyResource> {
  readonly filter?: { readonly [N in keyof R['filter']]?: string | number | boolean | Date }
  /** A condition, as a tree or as text. (contract 12.1) */
  readonly where?: WhereOf<R> | string
  /** Words that must occur, in the syntax of clients; most relevant first. (contract 12.2.10) */
  readonly search?: string
}
export interface Ordering<R extends AnyResource> extends Matching<R> {
  readonly sort?: readonly (SortName<Listed<R>> | `-${SortName<Listed<R>>}`)[]
}
export interface CodePage {
  /** From 1. */
  readonly page?: number
  /** At most as many records as clients may request. */
  readonly limit?: number
}

type Number = 'integer' | 'counter' | 'bigint' | 'float' | 'decimal'
export type Greatest<F extends Fields> = Named<F, Number | 'date' | 'timestamp'> | 'createdAt' | 'updatedAt'
/** Null without values. */
export type MaxOf<F extends Fields, N> = N extends keyof F ? NonNullable<F[N]['phantom']['value']> | null : Date | null
export type Single<F extends Fields> = Named<F, Word | 'state'> | 'createdAt' | 'updatedAt'
export type Numeric<F extends Fields> = Named<F, Number>
/** An exact sum; 0 without records. */
export type SumOf<F extends Fields, N extends keyof F> = NonNullable<F[N]['phantom']['value']>

type Summed<R extends AnyResource, Part extends 'by' | 'of'> = R['summary'] extends {
  readonly [N in Part]: readonly (infer Path extends string)[]
}
  ? Path
  : never
type IsTime<F extends Fields, Path> = Path extends Named<F, 'date' | 'timestamp'> | 'createdAt' | 'updatedAt'
  ? true
  : false
/** What a summary is grouped by: times and dates by their day, or by the unit after the colon. */
export type GroupName<R extends AnyResource> = {
  [Path in Summed<R, 'by'>]:
    | Path
    | (Path extends keyof R['fields']
        ? IsTime<R['fields'], Path> extends true
          ? `${Path}:${CalendarUnit}`
          : never
        : `${Path}:${CalendarUnit}`)
}[Summed<R, 'by'>]
type GroupValue<R extends AnyResource, Path> = Path extends keyof R['fields']
  ? IsTime<R['fields'], Path> extends true
    ? string | null
    : R['fields'][Path]['phantom']['value'] | null
  : string | number | bigint | boolean | Decimal | null
type Totals<R extends AnyResource, Of extends string, Value = never> = {
  readonly [Path in Of]: ([Value] extends [never] ? SumOf<R['fields'], Path> : Value) | null
}
/** The values of a group, null where the reader may see none, its number of records, and its sums. */
export type Group<R extends AnyResource, By extends string, Of extends string> = {
  readonly [Each in By as Each extends `${infer Path}:${string}` ? Path : Each]: Each extends `${string}:${string}`
    ? string | null
    : GroupValue<R, Each>
} & { readonly count: number } & ([Of] extends [never]
    ? unknown
    : {
        readonly sum: Totals<R, Of>
        readonly avg: Totals<R, Of, Decimal>
        readonly min: Totals<R, Of>
        readonly max: Totals<R, Of>
      })
export interface Summarising<R extends AnyResource, By, Of> extends Matching<R>, CodePage {
  /** At most four; without it, all records are one group. */
  readonly by?: readonly By[]
  /** The numbers that are added up. */
  readonly of?: readonly Of[]
  /** By default in the order of `by`. */
  readonly sort?: readonly ('count' | '-count' | Summed<R, 'by'> | `-${Summed<R, 'by'>}`)[]
  /** Of calendar units, such as `Europe/Berlin`; by default UTC. */
  readonly timeZone?: string
}

/** Reads as a reader sees records, or as the service does. In a transaction they see its earlier writes. */
export interface Reads<S extends ReadAs> {
  get<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<Found<R, S>>
  /** A page of the records the reader may read. */
  list<R extends AnyResource>(
    resource: R,
    which?: Ordering<R> & CodePage,
  ): Promise<{ readonly records: readonly Found<R, S>[]; readonly hasNext: boolean }>
  /** All records, page by page by keyset: concurrent writes neither repeat nor skip any. */
  each<R extends AnyResource>(resource: R, which?: Ordering<R>): AsyncIterable<Found<R, S>>
  count<R extends AnyResource>(resource: R, which?: Matching<R>): Promise<number>
  /** The sum of a field, without values the reader may not read. */
  sum<R extends AnyResource, N extends Numeric<R['fields']>>(
    resource: R,
    field: N,
    which?: Matching<R>,
  ): Promise<SumOf<R['fields'], N>>
  /** The greatest value of a field that the reader may read; null without one. */
  max<R extends AnyResource, N extends Greatest<R['fields']>>(
    resource: R,
    field: N,
    which?: Matching<R>,
  ): Promise<MaxOf<R['fields'], N>>
  /** The number of different values of a field that the reader may read. */
  distinct<R extends AnyResource>(resource: R, field: Single<R['fields']>, which?: Matching<R>): Promise<number>
  /** A page of groups, of what the resource's `summary` declares. */
  summary<R extends AnyResource, const By extends GroupName<R> = never, const Of extends Summed<R, 'of'> = never>(
    resource: R & ([Summed<R, 'by'>] extends [never] ? 'It has no summary.' : unknown),
    which?: Summarising<R, By, Of>,
  ): Promise<{ readonly groups: readonly Group<R, By, Of>[]; readonly hasNext: boolean }>
}

export interface TransactionReads<S extends ReadAs> extends Reads<S> {
  /** The account's role in a tenant; null if it is no member, or the actor may not see it. */
  tenantRole(tenant: string, account: string | null): Promise<string | null>
}
