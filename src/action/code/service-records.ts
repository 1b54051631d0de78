// What code of a service may do as the service itself.

import type { Fields, Id } from '../../resource/field/field.ts'
import type { MoveOf, ServiceEffectRecords } from '../../resource/language/action.ts'
import type { AnyResource, RowOf } from '../../resource/language/row/any-resource.ts'
import type { Reads } from '../../resource/language/row/reading.ts'
import type { Sent } from '../../resource/language/row/row.ts'
import type { Sql } from '../../resource/language/row/sql.ts'
import type { AccountName } from '../../resource/language/rule/rule.ts'
import type { RouteRecords } from './route-records.ts'

/** What a new record takes from its actor. */
type Defaults<F extends Fields> = {
  [N in keyof F]: F[N]['phantom']['need'] extends 'actor' ? N : never
}[keyof F]
/** What `set` may take from the actor. */
type Accounts<F extends Fields> = {
  [N in keyof F]: F[N]['kind'] extends 'one' ? ([F[N]['target']] extends [AccountName] ? N : never) : never
}[keyof F]
type Stated<R extends AnyResource, Name> = R['actions'][Name & keyof R['actions']]
/** Accepted fields, and those that an action would take from an actor; a required default must be given. */
type Given<F extends Fields, S, Needed extends keyof F = never> = Sent<F, Exclude<S, Needed>> & {
  readonly [N in Needed]: F[N]['phantom']['value']
} & { readonly [N in Exclude<Accounts<F>, S | Needed>]?: F[N]['phantom']['value'] }
type Optional<Input> = [keyof Input] extends [never]
  ? [input?: { readonly [name: string]: never }]
  : Partial<Input> extends Input
    ? [input?: Input]
    : [input: Input]

/**
 * Records as the service itself reads and writes them. No `allow` and no `protect` applies: every record is readable, with secrets
 * in clear. The rest of each action runs and fails with its codes: what it accepts, `from`, `check`, `set`, `effect`, `emit`,
 * references, uniqueness and invariants. There is no actor, so relations to accounts that an action takes from its actor are given
 * here. Each write is a transaction of its own.
 */
export interface ServiceRecords extends Reads<'service'> {
  /**
   * The same inside one tenant. Records of other tenants are neither found nor written; records in no tenant are unaffected. A new
   * record names this tenant. (contract 13.3.6)
   */
  within(tenant: string): Omit<ServiceRecords, 'once' | 'sql' | 'within'>
  /** Runs SQL that only reads; a statement that writes fails. */
  readonly sql: Sql
  /**
   * Runs the work as one transaction and returns true; returns false if it was done before with this key, such as the id of a
   * provider's message. The key is stored in the same transaction, for 90 days. A concurrent second call waits for the first. If
   * the work rejects, nothing is stored, not even the key.
   */
  once(key: string, work: (records: ServiceEffectRecords) => Promise<unknown>): Promise<boolean>
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
