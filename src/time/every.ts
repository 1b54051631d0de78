// `every(…)`: work of the service at certain times, on one instance.

import type { RouteRecords } from '../action/code/route-records.ts'
import type { AsService } from '../action/code/service-records.ts'
import type { ServiceEffectRecords } from '../resource/language/action.ts'

/**
 * A cron expression of five fields in a time zone, or every so many minutes from midnight UTC. A local time that is left out is
 * the first moment after it; one that occurs twice counts once.
 */
export type Rhythm =
  | { readonly cron: string; readonly timeZone: string; readonly minutes?: never }
  | { readonly minutes: number; readonly cron?: never; readonly timeZone?: never }

/** What the work receives. */
export interface Tick {
  /** The time that the work is for. The same at every attempt: an idempotency key for other systems. */
  readonly tick: Date
  /** From 1; higher after a failure or a lost instance. */
  readonly attempt: number
  /** Records as an anonymous caller sees and changes them. */
  readonly records: RouteRecords
  /** Records as the service itself, without rules. A further attempt repeats its writes; see `finish`. */
  readonly asService: AsService
  /**
   * Changes records and marks the tick as done in one transaction. Rejects if another instance has taken over, after the time
   * limit, and on a second call.
   */
  finish(work: (records: ServiceEffectRecords) => Promise<void>): Promise<void>
  /** Aborts at the time limit, and when a stopping service waits no longer. */
  readonly signal: AbortSignal
  readonly now: Date
}

/** How a schedule treats missed ticks, long attempts and failures. (contract 14.2) */
export interface ScheduleOptions {
  /**
   * Ticks due while no instance, or an earlier one, was running: the latest runs (`once`, the default), none, or so many of the
   * latest, oldest first.
   */
  readonly missed?: 'once' | 'none' | { readonly upTo: number }
  /** The time limit of an attempt; default 900. */
  readonly timeLimitSeconds?: number
  /** Attempts with growing pauses before a tick becomes a dead letter; default 15. */
  readonly attempts?: number
}

/** Inert until a service starts with it. */
export interface Schedule {
  readonly schedule: string
}

/**
 * Runs the work at each tick, on one instance: once if it succeeds, again after a failure. `name` is stored, so it must not
 * change.
 */
export const every = (
  rhythm: Rhythm,
  name: string,
  work: (tick: Tick) => Promise<void>,
  options: ScheduleOptions = {},
): Schedule => ({ schedule: name, rhythm, work, ...options }) as Schedule
