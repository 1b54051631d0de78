// Types of list queries: filters, order, fields, pages.

import type { Fields, TargetOf } from '../../resource/field/field.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { Named, WithStored } from '../../resource/language/row/row.ts'
import type { WhereOf } from '../../resource/language/row/where.ts'
import type { Filter } from '../../resource/language/rule/filter.ts'
import type { CallOptions } from './call.ts'
import type { RecordOf, Wire } from './record.ts'

export interface ListQuery<X extends AnyResource, V, K, All = unknown> extends CallOptions {
  readonly filter?: FilterOf<X, V>
  /** A condition as a tree or text. (contract 12.1) */
  readonly where?: ConditionOf<X, V, All>
  /** Words that must occur, the last as a prefix; `"phrases"`; `-excluded`. (contract 12.2.10) */
  readonly search?: string
  /** `'-createdAt'`, `'assignee.name'`, or several. By default newest first; for a search by relevance. */
  readonly sort?: SortOf<X, V> | readonly SortOf<X, V>[]
  readonly fields?: readonly K[]
  /** Records per request; iterating a list fetches all of it anyway. */
  readonly limit?: number
}
export interface PageQuery<X extends AnyResource, V, K, All = unknown> extends ListQuery<X, V, K, All> {
  readonly cursor?: string | null
}
export interface NumberedQuery<X extends AnyResource, V, K, All = unknown> extends ListQuery<X, V, K, All> {
  readonly page: number
}

/** A page of a list. */
export interface Page<T> {
  readonly data: readonly T[]
  readonly hasNext: boolean
  readonly nextCursor: string | null
  readonly prevCursor: string | null
}
/** A numbered page, from 1. (contract 4.4) */
export interface NumberedPage<T> {
  readonly data: readonly T[]
  readonly page: number
  readonly perPage: number
  /** Absent if there are too many to count. */
  readonly total?: number
  readonly totalPages?: number
  readonly hasNext: boolean
  readonly hasPrev: boolean
}
/** All records, fetched one page at a time. */
export interface List<T> extends AsyncIterable<T> {
  pages(): AsyncIterable<Page<T>>
}

type SortOf<X extends AnyResource, V> =
  | `${'' | '-'}${(keyof RecordOf<X, V> & string) | 'relevance'}`
  | `${'' | '-'}${Renamed<Named<X['fields'], 'one' | 'object'>, OlderNames<X, V>>}.${string}`
type OlderNames<X extends AnyResource, V> = V extends keyof X['versions'] ? X['versions'][V] : {}

/** A tree uses current names only; a version with other names takes text. */
export type ConditionOf<X extends AnyResource, V, All> = V extends keyof X['versions']
  ? string
  : WhereOf<X, All> | string

type FilterOf<X extends AnyResource, V> = Filters<WithStored<X['fields'], X['computed']>, X['filter'], OlderNames<X, V>>
type Filters<F extends Fields, Fi, Names> = {
  readonly [N in keyof Fi as FilterName<F, Fi, N, Names>]?: Fi[N] extends Filter<infer Test, infer On>
    ? FilterValue<F, Test, On, N>
    : never
} & {
  readonly [N in keyof Fi as N extends keyof F
    ? [F[N]['kind']] extends ['either']
      ? `${N & string}Type`
      : never
    : never]?: TargetOf<F, N & string>
}
/** A filter by value has the name of its field; others have their own. */
type FilterName<F extends Fields, Fi, N extends keyof Fi, Names> =
  Fi[N] extends Filter<'is', never>
    ? N extends keyof F
      ? F[N]['kind'] extends 'one' | 'either'
        ? `${Renamed<N, Names>}Id`
        : Renamed<N, Names>
      : N
    : N
type Renamed<N, Names> = (N extends keyof Names ? Names[N] : N) & string
type FilterValue<F extends Fields, Test, On, N> = Test extends 'isPresent'
  ? boolean
  : Test extends 'is'
    ? N extends keyof F
      ? [F[N]['kind']] extends ['either']
        ? string
        : Wire<NonNullable<F[N]['phantom']['value']>>
      : never
    : Test extends 'contains'
      ? string
      : On extends keyof F
        ? Wire<NonNullable<F[On]['phantom']['value']>> | (F[On]['kind'] extends 'timestamp' ? Date : never)
        : never
