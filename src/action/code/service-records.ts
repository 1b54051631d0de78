// What code of a service may do as the service itself.

import type { Fields, Id } from '../../resource/field/field.ts'
import type { MoveOf, ServiceEffectRecords } from '../../resource/language/action.ts'
import type { AnyResource, RowOf } from '../../resource/language/row/any-resource.ts'
import type { Reads } from '../../resource/language/row/reading.ts'
import type { Sent } from '../../resource/language/row/row.ts'
import type { Sql } from '../../resource/language/row/sql.ts'
import type { AccountName } from '../../resource/language/rule/rule.ts'
import type { RouteRecords } from './route-records.ts'

type Defaults<F extends Fields> = {
  [N in keyof F]: F[N]['phantom']['need'] extends 'actor' ? N : never
}[keyof F]
type Accounts<F extends Fields> = {
  [N in keyof F]: F[N]['kind'] extends 'one' ? ([F[N]['target']] extends [AccountName] ? N : never) : never
}[keyof F]
type Stated<R extends AnyResource, Name> = R['actions'][Name & keyof R['actions']]
/** Accepted fields, and those an action would take from an actor. */
type Given<F extends Fields, S, Needed extends keyof F = never> = Sent<F, Exclude<S, Needed>> & {
  readonly [N in Needed]: F[N]['phantom']['value']
} & { readonly [N in Exclude<Accounts<F>, S | Needed>]?: F[N]['phantom']['value'] }
type Optional<Input> = [keyof Input] extends [never]
  ? [input?: { readonly [name: string]: never }]
  : Partial<Input> extends Input
    ? [input?: Input]
    : [input: Input]

/**
 * Records as the service reads and writes them: no `allow` and no `protect`, secrets in clear. The rest of each action runs and
 * fails with its codes. There is no actor, so relations taken from it are given here. Each write is a transaction of its own.
 */
export interface ServiceRecords extends Reads<'service'> {
  /** The same inside one tenant; records in no tenant are unaffected. A new record names this tenant. (contract 13.3.6) */
  within(tenant: string): Omit<ServiceRecords, 'once' | 'sql' | 'upsert' | 'within'>
  /** Runs SQL that only reads; a statement that writes fails. */
  readonly sql: Sql
  /**
   * Runs the work as one transaction and returns true; false if done before with this key, which is stored in it for 90 days. A
   * concurrent second call waits. If the work rejects, nothing is stored.
   */
  once(key: string, work: (records: ServiceEffectRecords) => Promise<unknown>): Promise<boolean>
  /**
   * Creates the record with this key, as `create` does, or changes the fields of the one that has it. A key within a tenant needs the
   * tenant among the values. (contract 13.3.16)
   */
  readonly upsert: ServiceEffectRecords['upsert']
  create<R extends AnyResource>(
    resource: R,
    input: Given<R['fields'], Stated<R, 'create'>, Defaults<R['fields']>>,
  ): Promise<RowOf<R>>
  update<R extends AnyResource>(
    resource: R,
    id: Id<R['name']>,
    change: Partial<Given<R['fields'], Stated<R, 'update'>>>,
  ): Promise<RowOf<R>>
  delete: RouteRecords['delete']
  /** Runs a move, also one that `nobody` may make. */
  run<R extends AnyResource, const Move extends MoveOf<R>>(
    resource: R,
    id: Id<R['name']>,
    move: Move,
    ...input: Optional<Given<R['fields'], Stated<R, Move>>>
  ): Promise<RowOf<R>>
}

/** Reads and writes as the service: no rule, scope or rate limit applies. (contract 13.3.3, 13.3.13) */
export interface AsService {
  readonly records: ServiceRecords
}
