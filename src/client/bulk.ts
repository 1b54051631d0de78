// What a client says of many records, and what it is answered: ids, or a condition for the service to find them by. (contract 13.7)

import type { Id } from '../resource/field/field.ts'
import type { Collective } from '../resource/language/action.ts'
import type { AnyResource } from '../resource/language/any-resource.ts'
import type { CallOptions, WriteOptions } from './call.ts'
import type { ConditionOf } from './query.ts'
import type { InputOf, RecordOf, WholeInputOf } from './record.ts'

/** How many records were written; of a dry run, how many would have been. */
export interface BulkResult {
  readonly count: number
}
/** What a write of many may be told beside what it writes. (contract 13.7) */
export interface BulkOptions extends CallOptions {
  /** Authorizes, validates and counts, and stores nothing. */
  readonly dryRun?: boolean
}
/** All records that the caller may read and for which it holds when they are written. */
interface Matching<X extends AnyResource, V, All> {
  readonly where: ConditionOf<X, V, All>
}
type Ids<X extends AnyResource> = readonly Id<X['name']>[]
interface DryRun extends CallOptions {
  readonly dryRun: true
}

/** Whether lists of a resource take conditions, and so its writes as well. */
type TakesConditions<X extends AnyResource> = X['where'] extends readonly [] ? false : true

/** The usual methods for many, of a resource that takes conditions. */
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
type AfterInput<Input, Options> = {} extends Input
  ? [input?: Input, options?: Options]
  : [input: Input, options?: Options]
