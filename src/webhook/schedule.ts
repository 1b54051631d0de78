// When a message is attempted again, and when a webhook that fails is. (contract 15.2.6)

import type { Limits } from '../limits.ts'

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
/** The pauses after each failure: almost three days together. */
const pausesMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 18 * hour, 22 * hour]

/** Null after the last attempt. `random`, from 0 to below 1, spreads retries over a tenth of the pause. */
export function nextAttempt(failures: number, random: number, now: Date): Date | null {
  const pause = pausesMs[failures - 1]
  return pause === undefined ? null : spread(pause, random, now)
}

/** Doubles with each failure in a row of the webhook. */
export function laneRetry(
  failures: number,
  random: number,
  now: Date,
  { webhookRetryMaxMs }: Pick<Limits, 'webhookRetryMaxMs'>,
): Date {
  const pause = Math.min(pausesMs[0]! * 2 ** Math.min(failures - 1, 52), webhookRetryMaxMs)
  return spread(pause, random, now)
}

/** When another instance may take over a lane that is held from now. */
export const leaseEnd = (
  now: Date,
  { webhookTimeoutMs, webhookLeaseMarginMs }: Pick<Limits, 'webhookTimeoutMs' | 'webhookLeaseMarginMs'>,
): Date => new Date(now.getTime() + webhookTimeoutMs * 2 + webhookLeaseMarginMs)

const spread = (pauseMs: number, random: number, now: Date): Date =>
  new Date(now.getTime() + Math.round(pauseMs * (1 + random / 10)))
