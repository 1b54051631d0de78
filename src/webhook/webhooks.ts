// Sends events to webhooks until the service stops.

import { randomUUID } from 'node:crypto'
import { WakeLoop } from '../concurrency/wake-loop.ts'
import type { Outbox, OutboxEvent } from '../event/outbox.ts'
import { type OutboxConsumer, openOutboxConsumer } from '../event/outbox-consumer.ts'
import type { Log } from '../observation/log.ts'
import { Outage } from '../observation/outage.ts'
import { eventsOf } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { createHandOver, type HandOverDependencies } from './hand-over.ts'
import { type LaneRunDependencies, released, runLane } from './lane-run.ts'
import { LaneSlots } from './lane-slots.ts'
import type { DeliveryStatus, Lane, LaneEnd, MessageEnd } from './queue.ts'

export interface WebhooksDependencies
  extends Omit<LaneRunDependencies, 'slots' | 'end'>,
    Omit<HandOverDependencies, 'log'> {
  readonly dialect: Dialect
  readonly outbox: Pick<Outbox, 'after' | 'end'>
  readonly clock: () => Date
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}
/** `retried`: it failed and is made again. Metrics use these words. */
export type DeliveryOutcome = Exclude<DeliveryStatus, 'waiting'> | 'retried'

/** Sends what is due, also of earlier instances. Rejects if the database does not respond. */
export async function openWebhooks(dependencies: WebhooksDependencies): Promise<Webhooks> {
  const handOn = createHandOver(dependencies)
  const names = new Set(eventsOf(dependencies.model).map(({ name }) => name))
  const consumer = await openOutboxConsumer({ ...dependencies, table: 'duet_webhook_position', names, handOn })
  const webhooks = new Webhooks(dependencies, consumer)
  webhooks.start()
  return webhooks
}

export class Webhooks {
  readonly #dependencies: WebhooksDependencies
  readonly #loop: WakeLoop
  readonly #consumer: OutboxConsumer
  readonly #holder = randomUUID()
  readonly #slots: LaneSlots
  readonly #abort = new AbortController()
  readonly #lanes = new Set<Promise<unknown>>()
  readonly counts: Record<DeliveryOutcome, number> = { delivered: 0, failed: 0, skipped: 0, retried: 0 }
  pauses = 0
  #dueSince: Date | null = null

  constructor(dependencies: WebhooksDependencies, consumer: OutboxConsumer) {
    this.#dependencies = dependencies
    this.#consumer = consumer
    this.#loop = new WakeLoop({
      work: () => this.#workThrough(),
      outage: new Outage(dependencies.log, 'Webhooks could not be looked for; they will be, in a moment.'),
      restMs,
    })
    this.#slots = new LaneSlots(dependencies.limits)
  }

  get running(): number {
    return this.#slots.used
  }

  get lagSeconds(): number {
    const since = this.#dueSince
    return since === null ? 0 : Math.max(0, this.#dependencies.clock().getTime() - since.getTime()) / 1000
  }

  start(): void {
    this.#loop.start(this.#dependencies.limits.eventPollMs)
    this.wake()
  }

  /** To be called on every instance for every committed event. */
  notify(event: Pick<OutboxEvent, 'name'>): void {
    if (this.#consumer.notice(event)) this.wake()
  }

  /** To be called periodically, before the outbox forgets events. */
  async sweep(now: Date): Promise<void> {
    const { store, queue, limits } = this.#dependencies
    await this.#consumer.all()
    await this.#consumer.settle()
    const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
    const { sweepRows, webhookDeliverySeconds, webhookFailingSeconds } = limits
    while ((await store.write(() => queue.forget(before(webhookDeliverySeconds), sweepRows))) === sweepRows);
    // What waits longer belongs to a webhook that is paused.
    const expired = before(webhookFailingSeconds + graceSeconds)
    while ((await store.write(() => queue.expire(expired, sweepRows, now))) === sweepRows);
  }

  /** Resolves when it looks for nothing. */
  idle(): Promise<void> {
    return this.#loop.idle()
  }

  /** Starts nothing more, and ends what has not ended in time. Never rejects. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    const timer = setTimeout(() => this.#abort.abort(), this.#dependencies.limits.webhookDrainMs)
    await Promise.all(this.#lanes)
    clearTimeout(timer)
  }

  /** Resolves when earlier events were handed over, and nothing due waits. */
  async settled(): Promise<void> {
    do {
      await this.#consumer.all()
      await this.#loop.settled()
      await Promise.all(this.#lanes)
    } while (this.#lanes.size > 0 || this.#loop.isRunning)
  }

  wake(): void {
    this.#loop.wake()
  }

  async #workThrough(): Promise<void> {
    await this.#consumer.catchUp()
    while (await this.#claimDue());
  }

  /** False if nothing is due, or there is no free slot. */
  async #claimDue(): Promise<boolean> {
    const { store, queue } = this.#dependencies
    const { now, dueSince } = await store.read(queue.poll())
    this.#dueSince = dueSince
    if (dueSince === null) return false
    const proven = await this.#claimSome(true, now)
    return (await this.#claimSome(false, now)) || proven
  }

  async #claimSome(isProven: boolean, now: Date): Promise<boolean> {
    const { store, queue, limits } = this.#dependencies
    const count = this.#slots.free(isProven)
    if (count <= 0 || this.#loop.isStopping) return false
    const until = new Date(now.getTime() + limits.webhookTimeoutMs * 2 + limits.webhookLeaseMarginMs)
    const busyOwnerIds = this.#slots.busyOwnerIds()
    const claim = { isProven, count, busyOwnerIds, holder: this.#holder, now, until }
    const lanes = await store.write(() => queue.claim(claim))
    for (const lane of lanes) this.#begin(lane, isProven)
    return lanes.length > 0
  }

  #begin(lane: Lane, isProven: boolean): void {
    // The next claim takes those beyond the owner's share.
    const isBeyond = this.#slots.take(lane, isProven, 1) === 0
    const work = isBeyond ? this.#end(released(lane, isProven), []) : this.#run(lane, isProven)
    const running = Promise.resolve<unknown>(work)
      .catch((error: unknown) => {
        // The lane stays held until its lease ends.
        const { webhookId } = lane
        this.#dependencies.log.warn('A webhook could not be worked on; it will be, in a moment.', {
          err: error,
          webhookId,
        })
      })
      .finally(() => {
        this.#lanes.delete(running)
        this.wake()
      })
    this.#lanes.add(running)
  }

  #run(lane: Lane, isProven: boolean): Promise<void> {
    const dependencies = {
      ...this.#dependencies,
      slots: this.#slots,
      end: (...end: Parameters<LaneRunDependencies['end']>) => this.#end(...end),
      paused: (...pause: Parameters<LaneRunDependencies['paused']>) => {
        this.pauses++
        this.#dependencies.paused(...pause)
      },
    }
    return runLane({ lane, isProven }, dependencies, this.#abort.signal)
  }

  /** False if another instance holds the lane. Shares its transaction with others. */
  async #end(lane: LaneEnd, messages: readonly MessageEnd[]): Promise<boolean> {
    const { store, queue } = this.#dependencies
    const changes = [lane.lane.webhookId, ...messages.map(({ message }) => message.deliveryId)]
    const end = () => queue.end(lane, messages, this.#holder)
    const isHeld = await store.write(end, { shareable: true, changes })
    for (const { status } of messages) this.counts[status === 'waiting' ? 'retried' : status]++
    return isHeld
  }
}

/** Looks less often while many events are committed. */
const restMs = 10
const graceSeconds = 43_200
