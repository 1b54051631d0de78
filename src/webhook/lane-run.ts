// Sends what is due in one lane: one message at first and after a failure, then up to ten at a time, until nothing is due or
// one fails. (contract 15.2.8)

import type { Model } from '../resource/model/model.ts'
import type { Attempt } from './attempt.ts'
import type { LaneSlots } from './lane-slots.ts'
import { type Lane, type LaneHold, type Message, type MessageEnd, proven } from './queue.ts'
import type { PauseReason } from './resources.ts'
import { laneRetry, leaseEnd } from './schedule.ts'
import type { Sending } from './sending.ts'
import type { StoredWebhook } from './webhook-store.ts'

export interface LaneRunDependencies extends Sending {
  readonly attempt: Attempt
  readonly slots: LaneSlots
  /** Releases the lane, unless it is to be held. False if another instance holds it. */
  readonly end: (lane: Lane, messages: readonly MessageEnd[], hold?: LaneHold) => Promise<boolean>
  /** Called after the commit, once per pause. */
  readonly paused: (webhook: StoredWebhook, reason: PauseReason) => void
}

export class LaneRun {
  readonly #dependencies: LaneRunDependencies
  readonly #signal: AbortSignal
  #lane: Lane

  constructor(lane: Lane, dependencies: LaneRunDependencies, signal: AbortSignal) {
    this.#lane = lane
    this.#dependencies = dependencies
    this.#signal = signal
  }

  /** Takes its first slot at once. Rejects if the database is unavailable; the lease then ends. */
  async run(): Promise<void> {
    const { slots, end, limits } = this.#dependencies
    for (let wanted = 1; ; wanted = Math.min(wanted * 2, limits.webhookAtOnce)) {
      const lane = this.#lane
      const count = slots.take(lane, wanted)
      // Its owner's share is used up: a later claim takes it.
      if (count === 0) return void (await end(lane, []))
      try {
        if (!(await this.#round(count))) return
      } finally {
        slots.give(lane, count)
      }
      this.#lane = proven(lane)
    }
  }

  /** One round of attempts; false when the lane is released or lost. */
  async #round(count: number): Promise<boolean> {
    const { model, store, queue, end, limits } = this.#dependencies
    const lane = this.#lane
    const { now, webhook, messages } = await store.read(this.#due(this.#signal.aborted ? 0 : count))
    if (webhook === null) {
      // Deleted, perhaps before the event was handed over to it.
      await store.write(() => queue.forgetLane(lane.webhookId))
      return false
    }
    if (messages.length === 0) {
      await end(lane, [])
      return false
    }
    const version = model.versions.find(({ name }) => name === webhook.apiVersion)
    if (version === undefined && !webhook.isPaused) await this.#pause(webhook, 'version', now)
    if (version === undefined || webhook.isPaused) {
      // Resuming opens the lane at once.
      const retryAt = new Date(now.getTime() + limits.webhookRetryMaxMs)
      await end({ ...lane, isProven: false }, [], { retryAt })
      return false
    }
    const ends = await this.#attemptAll(messages, webhook, version, now)
    const sent = ends.filter(({ status }) => status !== 'skipped')
    if (sent.some(({ status }) => status !== 'delivered')) {
      await this.#fail(webhook, ends, now)
      return false
    }
    const isMore = messages.length === count && !this.#signal.aborted
    const heldUntil = isMore ? leaseEnd(now, limits) : null
    return (await end(sent.length === 0 ? lane : proven(lane), ends, { heldUntil })) && isMore
  }

  /** The webhook is null if it was deleted. */
  *#due(count: number) {
    const { queue, webhooks } = this.#dependencies
    const now = yield* queue.now()
    const webhook = yield* webhooks.find(this.#lane.webhookId)
    const messages = webhook === null || count === 0 ? [] : yield* queue.take(this.#lane, count, now)
    return { now, webhook, messages }
  }

  /** Aborted attempts count as not made. */
  async #attemptAll(
    messages: readonly Message[],
    webhook: StoredWebhook,
    { deprecated }: Model['versions'][number],
    now: Date,
  ): Promise<readonly MessageEnd[]> {
    const { attempt, noteUse } = this.#dependencies
    const results = await Promise.allSettled(messages.map((each) => attempt(each, webhook, now, this.#signal)))
    const failure = results.find((each) => each.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    const ends = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    if (deprecated !== null)
      for (const { status } of ends) if (status !== 'skipped') noteUse([webhook.apiVersion], webhook.actor, 'webhook')
    return this.#signal.aborted ? ends.filter(({ status }) => status !== 'waiting') : ends
  }

  async #fail(webhook: StoredWebhook, ends: readonly MessageEnd[], now: Date): Promise<void> {
    const { end, random, limits } = this.#dependencies
    const failures = this.#lane.failures + 1
    const failingSince = this.#lane.failingSince ?? now
    const retryAt = laneRetry(failures, random(), now, limits)
    await end({ ...this.#lane, isProven: false, failures, failingSince }, ends, { retryAt })
    const isLasting = now.getTime() - failingSince.getTime() >= limits.webhookFailingSeconds * 1000
    if (ends.some(({ responseStatus }) => responseStatus === 410)) await this.#pause(webhook, 'gone', now)
    else if (isLasting) await this.#pause(webhook, 'failing', now)
  }

  async #pause(webhook: StoredWebhook, reason: PauseReason, now: Date): Promise<void> {
    const { store, webhooks, paused, log } = this.#dependencies
    if (!(await store.write(() => webhooks.pause(webhook.id, reason, now)))) return
    const fields = { event: 'webhook_paused', webhookId: webhook.id, reason }
    log.warn('A webhook was paused; its owner is notified by mail.', fields)
    paused(webhook, reason)
  }
}
