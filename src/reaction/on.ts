// `on(…)`: reacts to an event after the commit, at least once, on one instance.

import type { RouteRecords } from '../action/code/route-records.ts'
import type { AsService } from '../action/code/service-records.ts'
import type { Id, TargetOf } from '../resource/field/field.ts'
import type { ServiceEffectRecords } from '../resource/language/action.ts'
import type { AnyResource, RowOf } from '../resource/language/row/any-resource.ts'

type StatedIn<R extends AnyResource> = R['actions'][keyof R['actions']]
type EmittedBy<R extends AnyResource> = Extract<StatedIn<R>, { readonly event: string; readonly by: unknown }>
/** The events emitted by a resource's actions. */
export type EventOf<R extends AnyResource> = EmittedBy<R>['event']
type ByOf<R extends AnyResource, Name> = Extract<EmittedBy<R>, { readonly event: Name }>['by']
type ListenedTo<R extends AnyResource, Name> = [ByOf<R, Name>] extends [never]
  ? null
  : Id<TargetOf<R['fields'], ByOf<R, Name> & string>>

type ChangedOf<R extends AnyResource, Name> = Extract<
  EmittedBy<R>,
  { readonly event: Name; readonly changed: unknown }
>['changed']
type WithOf<R extends AnyResource, Name> = Extract<
  EmittedBy<R>,
  { readonly event: Name; readonly with: unknown }
>['with']

/** When and for which event a reaction runs. */
export interface ReactionMoment<R extends AnyResource, Name> {
  /** Unique to the event and the same at every attempt: an idempotency key for other systems. */
  readonly eventId: string
  /** When the event happened. */
  readonly at: Date
  /** From 1; higher after a failure or a lost instance. */
  readonly attempt: number
  readonly id: Id<R['name']>
  /** The current record, unrestricted; null if it was deleted since. For a delete, the record as it was. */
  readonly record: RowOf<R> | null
  /** The record subscribed by, for an event `by` a relation. */
  readonly by: ListenedTo<R, Name>
  /** Previous values of the event's `changed` fields, unrestricted. Null if the event is older than that definition. */
  readonly previous: {
    readonly [N in ChangedOf<R, Name> & string]: (N extends keyof RowOf<R> ? RowOf<R>[N] : never) | null
  }
  /** Tokens of the new record named in `with`, stored encrypted; null after a dead letter, since they are erased. */
  readonly tokens: { readonly [N in WithOf<R, Name> & string]: string | null }
  /** Records as an anonymous caller sees and changes them: a reaction has no caller. */
  readonly records: RouteRecords
  /** Records as the service itself, without rules. A further attempt repeats its writes; see `finish`. */
  readonly asService: AsService
  /**
   * Changes records and marks the reaction as done in one transaction. `allow` is not tested; states, checks and invariants
   * are. Rejects if another instance has taken over, after the time limit, and on a second call.
   */
  finish(work: (records: ServiceEffectRecords) => Promise<void>): Promise<void>
  /** Aborts at the time limit, and when a stopping service waits no longer. */
  readonly signal: AbortSignal
  readonly now: Date
}

/** The name and the limits of a reaction. */
export interface ReactionOptions {
  /** Stored in the database, so it must not change. Default: the event's name. */
  readonly name?: string
  /** The time limit of an attempt; default 30. */
  readonly timeLimitSeconds?: number
  /** Attempts with growing pauses before it becomes a dead letter; default 15, about three hours. */
  readonly attempts?: number
}

/** Inert until a service starts with it. */
export interface Reaction {
  readonly resource: string
  readonly event: string
  readonly name: string
}

/**
 * Reacts to an event after the commit: on one instance, at least once, in no particular order. Rejections are retried and
 * become dead letters for `duet reactions replay`.
 */
export const on = <R extends AnyResource, const Name extends EventOf<R>>(
  { name: resource }: R,
  event: Name,
  react: (moment: ReactionMoment<R, Name>) => Promise<void>,
  { name = event, ...options }: ReactionOptions = {},
): Reaction => ({ resource, event, name, react, ...options }) as Reaction
