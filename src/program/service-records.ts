// What the code of a service may do as the service itself.

import type { Fields, Id } from '../resource/field/field.ts'
import type { MoveOf, ServiceEffectRecords } from '../resource/language/action.ts'
import type { AnyResource, RowOf } from '../resource/language/any-resource.ts'
import type { Sent } from '../resource/language/row.ts'
import type { AccountName } from '../resource/language/rule.ts'
import type { Sql } from '../resource/language/sql.ts'
import type { RouteRecords, Which } from './route-records.ts'

/** What a new record takes from its actor. */
type Defaults<F extends Fields> = {
  [N in keyof F]: F[N]['phantom']['need'] extends 'actor' ? N : never
}[keyof F]
/** What `set` may take from the actor. */
type Accounts<F extends Fields> = {
  [N in keyof F]: F[N]['kind'] extends 'one' ? ([F[N]['target']] extends [AccountName] ? N : never) : never
}[keyof F]
type Said<R extends AnyResource, Name> = R['actions'][Name & keyof R['actions']]
/** What an action accepts, and what it would take from an actor: a default that a record needs cannot be left out. */
type Given<F extends Fields, S, Needed extends keyof F = never> = Sent<F, Exclude<S, Needed>> & {
  readonly [N in Needed]: F[N]['phantom']['value']
} & { readonly [N in Exclude<Accounts<F>, S | Needed>]?: F[N]['phantom']['value'] }
type Optional<Input> = [keyof Input] extends [never]
  ? [input?: { readonly [name: string]: never }]
  : Partial<Input> extends Input
    ? [input?: Input]
    : [input: Input]

/**
 * Records as the service itself reads and writes them, whoever called. No `allow` and no `protect` is asked: every record
 * can be read, with everything that is stored in clear. The rest of each action runs: what it accepts, its `from`, `check`,
 * `set`, `effect` and `emit`, references, uniqueness and invariants, and it fails with their codes. There is no actor, so
 * a relation to an account that an action takes from its actor is given here. Each write is a transaction of its own.
 */
export interface ServiceRecords {
  get<R extends AnyResource>(resource: R, id: Id<R['name']>): Promise<RowOf<R>>
  list<R extends AnyResource>(
    resource: R,
    which?: Which<R>,
  ): Promise<{ readonly records: readonly RowOf<R>[]; readonly hasNext: boolean }>
  /** All of a list, read as `each` of RouteRecords reads it. */
  each<R extends AnyResource>(resource: R, which?: Pick<Which<R>, 'where' | 'sort'>): AsyncIterable<RowOf<R>>
  count: RouteRecords['count']
  /**
   * The same inside one tenant: what is in another is neither found nor written, and what is in none is as ever. A new record names
   * this tenant. (contract 13.3.6)
   */
  within(tenant: string): Omit<ServiceRecords, 'once' | 'sql' | 'within'>
  /** SQL of one's own, which only reads: what would write fails. */
  readonly sql: Sql
  sum: RouteRecords['sum']
  /**
   * Does this work, as one transaction, unless it was done before with the same key, such as the id of a provider's message: false
   * then. The key is kept with what the work changes, and for 90 days. Of two at once, the second waits for the first. What it
   * rejects with undoes all of it, the key as well.
   */
  once(key: string, work: (records: ServiceEffectRecords) => Promise<unknown>): Promise<boolean>
  create<R extends AnyResource>(
    resource: R,
    input: Given<R['fields'], Said<R, 'create'>, Defaults<R['fields']>>,
  ): Promise<RowOf<R>>
  update<R extends AnyResource>(
    resource: R,
    id: Id<R['name']>,
    change: Partial<Given<R['fields'], Said<R, 'update'>>>,
  ): Promise<RowOf<R>>
  delete: RouteRecords['delete']
  /** Runs a move, also one that `nobody` may make. */
  run<R extends AnyResource, const Move extends MoveOf<R>>(
    resource: R,
    id: Id<R['name']>,
    move: Move,
    ...input: Optional<Given<R['fields'], Said<R, Move>>>
  ): Promise<RowOf<R>>
}

/** What a route or a reaction does as the service itself. */
export interface AsService {
  readonly records: ServiceRecords
}
