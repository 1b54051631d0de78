// What the code of a service may do for whoever calls it.

import type { Id } from '../resource/field/field.ts'
import type { MoveInput, MoveOf } from '../resource/language/action.ts'
import type { AnyResource } from '../resource/language/any-resource.ts'
import type { Numeric, Seen, SortName, SumOf } from '../resource/language/reading.ts'
import type { Sent } from '../resource/language/row.ts'
import type { WhereOf } from '../resource/language/where.ts'

type ActionOf<R extends AnyResource, Name> = R['actions'][Name & keyof R['actions']]

export interface Which<R extends AnyResource> {
  /** The filters of the resource, by their names. */
  readonly filter?: { readonly [N in keyof R['filter']]?: string | number | boolean | Date }
  /** A condition, as a tree, or as the text that clients send. (contract 12.1) */
  readonly where?: WhereOf<R> | string
  /** Words that must occur, as a client writes them; the best answers come first. (contract 12.2.10) */
  readonly search?: string
  readonly sort?: readonly (SortName<R['fields']> | `-${SortName<R['fields']>}`)[]
  /** From 1. */
  readonly page?: number
  /** At most as many as clients may ask for. */
  readonly perPage?: number
}

/** Which records of a list. */
export type Matching<R extends AnyResource> = Pick<Which<R>, 'filter' | 'where' | 'search'>

/**
 * Each call is what a client could have asked for, and fails as it would have: with NOT_FOUND, FORBIDDEN, CONFLICT …
 * Each write is a transaction of its own.
 */
export interface RouteRecords {
  get<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<Seen<R>>
  list<R extends AnyResource>(
    resource: R,
    which?: Which<R>,
  ): Promise<{ readonly records: readonly Seen<R>[]; readonly hasNext: boolean }>
  /**
   * All of a list, read a page at a time as they are asked for: by keyset, so that none comes twice or is skipped because others
   * were added or deleted meanwhile.
   */
  each<R extends AnyResource>(resource: R, which?: Matching<R> & Pick<Which<R>, 'sort'>): AsyncIterable<Seen<R>>
  /** How many of a list there are. */
  count<R extends AnyResource>(resource: R, which?: Matching<R>): Promise<number>
  /** What one of their fields adds up to, exactly. A value that the caller may not read is left out. */
  sum<R extends AnyResource, N extends Numeric<R['fields']>>(
    resource: R,
    field: N,
    which?: Matching<R>,
  ): Promise<SumOf<R['fields'], N>>
  create<R extends AnyResource>(resource: R, input: Sent<R['fields'], ActionOf<R, 'create'>>): Promise<Seen<R>>
  update<R extends AnyResource>(
    resource: R,
    id: Id<R['name']>,
    change: Partial<Sent<R['fields'], ActionOf<R, 'update'>>>,
  ): Promise<Seen<R>>
  delete<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<void>
  /** Runs a move, such as `publish`. */
  run<R extends AnyResource, const Move extends MoveOf<R>>(
    resource: R,
    id: Id<R['name']>,
    move: Move,
    ...input: MoveInput<R, Move>
  ): Promise<Seen<R>>
}
