// Sends what is due in one lane: one message at first and after a failure, then up to ten at a time, until nothing is due or
// one fails. (contract 15.2.8)

import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { NoteUse } from '../resource/deprecation.ts'
import type { Model } from '../resource/model/model.ts'
import type { Store } from '../store/store.ts'
import type { Attempt } from './attempt.ts'
import type { LaneSlots } from './lane-slots.ts'
import type { Lane, LaneEnd, Message, MessageEnd, Queue } from './queue.ts'
import type { PauseReason } from './resources.ts'
import { laneRetry } from './schedule.ts'
import type { StoredWebhook, WebhookStore } from './webhook-store.ts'

export interface LaneRunDependencies {
  readonly model: Model
  readonly store: Store
  readonly queue: Queue
  readonly webhooks: WebhookStore
  readonly attempt: Attempt
  readonly slots: LaneSlots
  /** False if another instance holds the lane. */
  readonly end: (lane: LaneEnd, messages: readonly MessageEnd[]) => Promise<boolean>
  /** Called after the commit, once per pause. */
  readonly paused: (webhook: StoredWebhook, reason: PauseReason) => void
  readonly noteUse: NoteUse
  readonly random: () => number
  readonly log: Pick<Log, 'warn'>
  readonly limits: Limits
}

/** Takes over a slot, and gives back all it has. Rejects if the database is unavailable; the lease then ends. */
export async function runLane(
  claim: { readonly lane: Lane; readonly isProven: boolean },
  dependencies: LaneRunDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { slots, limits } = dependencies
  let { lane, isProven } = claim
  let held = 1
  let wanted = 1
  try {
    for (;;) {
      if (wanted > held) held += slots.take(lane, isProven, wanted - held)
      if (!(await runRound(lane, held, isProven, dependencies, signal))) return
      // Its slots count as proven from now on.
      slots.give(lane, isProven, held)
      held = slots.take(lane, true, held)
      lane = withoutFailures(lane)
      isProven = true
      if (held === 0) return void (await dependencies.end(released(lane, true), []))
      wanted = Math.min(wanted * 2, limits.webhookAtOnce)
    }
  } finally {
    slots.give(lane, isProven, held)
  }
}

/** One round of attempts; false when the lane is released or lost. */
async function runRound(
  lane: Lane,
  count: number,
  isProven: boolean,
  dependencies: LaneRunDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, queue, end, limits } = dependencies
  const { now, webhook, messages } = await store.read(dueIn(lane, signal.aborted ? 0 : count, dependencies))
  if (webhook === null) {
    // Deleted, perhaps before the event was handed over to it.
    await store.write(() => queue.forgetLane(lane.webhookId))
    return false
  }
  if (messages.length === 0) {
    await end(released(lane, isProven), [])
    return false
  }
  if (webhook.isPaused || !(await isServed(webhook, dependencies, now))) {
    // Resuming opens the lane at once.
    await end({ ...released(lane, false), retryAt: after(now, limits.webhookRetryMaxMs) }, [])
    return false
  }
  const ends = await attemptAll(messages, webhook, now, dependencies, signal)
  const sent = ends.filter(({ status }) => status !== 'skipped')
  if (sent.some(({ status }) => status !== 'delivered')) {
    await endFailed({ lane, webhook, ends, now }, dependencies)
    return false
  }
  const isMore = messages.length === count && !signal.aborted
  const heldUntil = isMore ? after(now, limits.webhookTimeoutMs * 2 + limits.webhookLeaseMarginMs) : null
  const state = sent.length === 0 ? released(lane, isProven) : released(withoutFailures(lane), true)
  return (await end({ ...state, heldUntil }, ends)) && isMore
}

function* dueIn(lane: Lane, count: number, { queue, webhooks }: LaneRunDependencies) {
  const now = yield* queue.now()
  const webhook = yield* webhooks.find(lane.webhookId)
  return { now, webhook, messages: webhook === null || count === 0 ? [] : yield* queue.take(lane, count, now) }
}

/** Aborted attempts count as not made. */
async function attemptAll(
  messages: readonly Message[],
  webhook: StoredWebhook,
  now: Date,
  { attempt, noteUse, model }: LaneRunDependencies,
  signal: AbortSignal,
): Promise<readonly MessageEnd[]> {
  const results = await Promise.allSettled(messages.map((each) => attempt(each, webhook, now, signal)))
  const failure = results.find((each) => each.status === 'rejected')
  if (failure !== undefined) throw failure.reason
  const ends = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  const isDeprecated = model.versions.some(({ name, deprecated }) => name === webhook.apiVersion && deprecated !== null)
  if (isDeprecated)
    for (const { status } of ends) if (status !== 'skipped') noteUse([webhook.apiVersion], webhook.actor, 'webhook')
  return signal.aborted ? ends.filter(({ status }) => status !== 'waiting') : ends
}

interface FailedRound {
  readonly lane: Lane
  readonly webhook: StoredWebhook
  readonly ends: readonly MessageEnd[]
  readonly now: Date
}

async function endFailed({ lane, webhook, ends, now }: FailedRound, dependencies: LaneRunDependencies): Promise<void> {
  const { end, random, limits } = dependencies
  const failures = lane.failures + 1
  const failingSince = lane.failingSince ?? now
  const retryAt = laneRetry(failures, random(), now, limits)
  await end({ ...released({ ...lane, failures, failingSince }, false), retryAt }, ends)
  const isLasting = now.getTime() - failingSince.getTime() >= limits.webhookFailingSeconds * 1000
  if (ends.some(({ responseStatus }) => responseStatus === 410)) await pause(webhook, 'gone', now, dependencies)
  else if (isLasting) await pause(webhook, 'failing', now, dependencies)
}

async function isServed(webhook: StoredWebhook, dependencies: LaneRunDependencies, now: Date): Promise<boolean> {
  if (dependencies.model.versions.some(({ name }) => name === webhook.apiVersion)) return true
  await pause(webhook, 'version', now, dependencies)
  return false
}

async function pause(
  webhook: StoredWebhook,
  reason: PauseReason,
  now: Date,
  { store, webhooks, paused, log }: LaneRunDependencies,
): Promise<void> {
  if (!(await store.write(() => webhooks.pause(webhook.id, reason, now)))) return
  log.warn('A webhook was paused; its owner is notified by mail.', {
    event: 'webhook_paused',
    webhookId: webhook.id,
    reason,
  })
  paused(webhook, reason)
}

export const released = (lane: Lane, isProven: boolean): LaneEnd => ({ lane, isProven, retryAt: null, heldUntil: null })
const withoutFailures = (lane: Lane): Lane => ({ ...lane, failures: 0, failingSince: null })
const after = (now: Date, ms: number): Date => new Date(now.getTime() + ms)
