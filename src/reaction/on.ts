// `on(…)`: what the service itself does about an event, after the commit, at least once, on one instance.

import type { RouteRecords } from '../program/route-records.ts'
import type { AsService } from '../program/service-records.ts'
import type { Id } from '../resource/field/field.ts'
import type { ServiceEffectRecords } from '../resource/language/action.ts'
import type { AnyResource, RowOf } from '../resource/language/any-resource.ts'

type SaidIn<R extends AnyResource> = R['actions'][keyof R['actions']]
type EmittedBy<R extends AnyResource> = Extract<SaidIn<R>, { readonly event: string; readonly by: unknown }>
/** The events that actions of a resource emit. */
export type EventOf<R extends AnyResource> = EmittedBy<R>['event']
type ByOf<R extends AnyResource, Name> = Extract<EmittedBy<R>, { readonly event: Name }>['by']
type ListenedTo<R extends AnyResource, Name> = [ByOf<R, Name>] extends [never]
  ? null
  : Id<R['fields'][ByOf<R, Name> & string]['target']>

type ChangedOf<R extends AnyResource, Name> = Extract<
  EmittedBy<R>,
  { readonly event: Name; readonly changed: unknown }
>['changed']
type WithOf<R extends AnyResource, Name> = Extract<
  EmittedBy<R>,
  { readonly event: Name; readonly with: unknown }
>['with']

/** What a reaction is given. */
export interface ReactionMoment<R extends AnyResource, Name> {
  /** The same at every attempt, and of no other event: what makes a second attempt harmless elsewhere. */
  readonly eventId: string
  /** When it happened. */
  readonly at: Date
  /** 1, and more when it failed before or its instance was lost. */
  readonly attempt: number
  readonly id: Id<R['name']>
  /** As it is now, whoever may read it; null where it was deleted since. Of a delete, as it was until then. */
  readonly record: RowOf<R> | null
  /** The record that subscribers of this event name, for an event `by` a relation. */
  readonly by: ListenedTo<R, Name>
  /**
   * What the fields were before that its event names in `changed`, whoever may read them. Null where the event is older than that
   * definition.
   */
  readonly previous: {
    readonly [N in ChangedOf<R, Name> & string]: (N extends keyof RowOf<R> ? RowOf<R>[N] : never) | null
  }
  /**
   * The tokens of a new record that its event names in `with`, at every attempt, and kept encrypted until then. Null where it was
   * a dead letter: they are erased when a reaction has ended or is given up.
   */
  readonly tokens: { readonly [N in WithOf<R, Name> & string]: string | null }
  /** Records as somebody who is not signed in may see and change them: nobody calls a reaction. */
  readonly records: RouteRecords
  /** The same as the service itself: no rule is asked. What it writes is written again by a second attempt; see `finish`. */
  readonly asService: AsService
  /**
   * Changes records in one transaction, and notes in the same one that this reaction is done: so it happens once. No
   * `allow` is asked; states, checks and invariants hold, and events are emitted. Rejects where another instance has taken
   * over, or the time limit has passed, or it was called before: one call makes all changes.
   */
  finish(work: (records: ServiceEffectRecords) => Promise<void>): Promise<void>
  /** Aborts at the time limit, and when the service stops and waits no longer. */
  readonly signal: AbortSignal
  readonly now: Date
}

/** How one reaction is named, limited and tried again. */
export interface ReactionOptions {
  /** What the database knows it by, so it never changes. The name of the event unless said. */
  readonly name?: string
  /** How long one attempt may take; 30 unless said. */
  readonly timeLimitSeconds?: number
  /** How often it is tried, with growing pauses, before an operator is asked; 15 unless said, about three hours. */
  readonly attempts?: number
}

/** What the service does about an event; inert until a service is started with it. */
export interface Reaction {
  readonly resource: string
  readonly event: string
  readonly name: string
}

/**
 * Reacts to an event once it is committed: on one instance, at least once, in no particular order. What it rejects with
 * makes it run again, later and later, until it is a dead letter and waits for `duet reactions replay`.
 */
export const on = <R extends AnyResource, const Name extends EventOf<R>>(
  { name: resource }: R,
  event: Name,
  react: (moment: ReactionMoment<R, Name>) => Promise<void>,
  { name = event, ...options }: ReactionOptions = {},
): Reaction => ({ resource, event, name, react, ...options }) as Reaction
