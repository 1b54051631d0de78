// Types for writing many records, by ids or by a condition. (contract 13.7)

import type { Id } from '../../resource/field/field.ts'
import type { Collective } from '../../resource/language/action.ts'
import type { AnyResource } from '../../resource/language/row/any-resource.ts'
import type { CallOptions, MoveOptions, WriteOptions } from './call.ts'
import type { ConditionOf } from './query.ts'
import type { InputOf, KeysOf, RecordOf, WholeInputOf } from './record.ts'

/** The number of records written, or in a dry run affected. */
export interface BulkResult {
  readonly count: number
}
/** For a write of many records. */
export interface BulkOptions extends CallOptions {
  /** Authorizes, validates and counts without storing. */
  readonly dryRun?: boolean
}
/** All records the caller may read that match at the time of the write. */
interface Matching<X extends AnyResource, V, All> {
  readonly where: ConditionOf<X, V, All>
}
type Ids<X extends AnyResource> = readonly Id<X['name']>[]
interface DryRun extends CallOptions {
  readonly dryRun: true
}

type TakesConditions<X extends AnyResource> = X['where'] extends readonly [] ? false : true

export type BulkMethods<X extends AnyResource, V, All> =
  TakesConditions<X> extends true
    ? Pick<UsualBulk<X, V, All>, BulkNames[keyof X['actions'] & keyof BulkNames]>
    : unknown
interface BulkNames {
  update: 'updateMany'
  delete: 'deleteMany'
}
interface UsualBulk<X extends AnyResource, V, All> {
  updateMany: {
    (ids: Ids<X>, changes: Partial<WholeInputOf<X, 'update', V, All>>, options: DryRun): Promise<BulkResult>
    (
      matching: Matching<X, V, All>,
      changes: Partial<WholeInputOf<X, 'update', V, All>>,
      options?: BulkOptions,
    ): Promise<BulkResult>
  }
  deleteMany(which: Ids<X> | Matching<X, V, All>, options?: BulkOptions): Promise<BulkResult>
}

/** A move of many records: `client.tickets.solve.many({ where: 'status = "open"' })`. */
export type BulkMove<X extends AnyResource, K, V, All> =
  TakesConditions<X> extends true
    ? [Extract<X['actions'][K & keyof X['actions']], Collective>] extends [never]
      ? { readonly many: MoveMany<X, InputOf<X, K, V, All>, V, All> }
      : unknown
    : unknown
interface MoveMany<X extends AnyResource, Input, V, All> {
  (ids: Ids<X>, ...rest: AfterInput<Input, WriteOptions>): Promise<readonly RecordOf<X, V>[]>
  (ids: Ids<X>, input: Input, options: DryRun): Promise<BulkResult>
  (matching: Matching<X, V, All>, ...rest: AfterInput<Input, BulkOptions & WriteOptions>): Promise<BulkResult>
}
/** A move of the record with a key: `client.subscriptions.terminate.by({ externalId: 's1' }, input)`. */
export type KeyedMove<X extends AnyResource, K, V, All> = [KeysOf<X, V>] extends [never]
  ? unknown
  : [Extract<X['actions'][K & keyof X['actions']], Collective>] extends [never]
    ? {
        readonly by: (
          key: KeysOf<X, V>,
          ...rest: AfterInput<InputOf<X, K, V, All>, MoveOptions>
        ) => Promise<RecordOf<X, V>>
      }
    : unknown
type AfterInput<Input, Options> = {} extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options]
