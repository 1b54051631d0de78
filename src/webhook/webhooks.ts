// Sends events to webhooks until the service stops.

import { randomUUID } from 'node:crypto'
import { DueWorker } from '../concurrency/due-worker.ts'
import type { OutboxEvent } from '../event/outbox.ts'
import { type OutboxConsumer, openOutboxConsumer } from '../event/outbox-consumer.ts'
import { Outage } from '../observation/outage.ts'
import { eventsOf } from '../resource/model/model.ts'
import { createAttempt } from './attempt.ts'
import { createHandOver } from './hand-over.ts'
import { LaneRun, type LaneRunDependencies } from './lane-run.ts'
import { LaneSlots } from './lane-slots.ts'
import { createNotifyOwner } from './notify-owner.ts'
import type { DeliveryStatus, Lane, LaneHold, MessageEnd } from './queue.ts'
import { leaseEnd } from './schedule.ts'
import type { Sending } from './sending.ts'

/** `retried`: it failed and is made again. Metrics use these words. */
export type DeliveryOutcome = Exclude<DeliveryStatus, 'waiting'> | 'retried'

/** Sends what is due, also of earlier instances. Rejects if the database does not respond. */
export async function openWebhooks(sending: Sending): Promise<Webhooks> {
  const handOn = createHandOver(sending)
  const names = new Set(eventsOf(sending.model).map(({ name }) => name))
  const consumer = await openOutboxConsumer({ ...sending, table: 'duet_webhook_position', names, handOn })
  const webhooks = new Webhooks(sending, consumer)
  webhooks.start()
  return webhooks
}

export class Webhooks extends DueWorker {
  readonly #sending: Sending
  readonly #ofLanes: LaneRunDependencies
  readonly #consumer: OutboxConsumer
  readonly #holder = randomUUID()
  readonly #slots: LaneSlots
  readonly #abort = new AbortController()
  readonly counts: Record<DeliveryOutcome, number> = { delivered: 0, failed: 0, skipped: 0, retried: 0 }
  pauses = 0

  constructor(sending: Sending, consumer: OutboxConsumer) {
    const { log, clock, limits } = sending
    const outage = new Outage(log, 'Webhooks could not be looked for; they will be, in a moment.')
    super({ outage, restMs, clock, pollMs: limits.eventPollMs, drainMs: limits.webhookDrainMs })
    this.#sending = sending
    this.#consumer = consumer
    this.#slots = new LaneSlots(limits)
    const notify = createNotifyOwner(sending)
    this.#ofLanes = {
      ...sending,
      attempt: createAttempt(sending),
      slots: this.#slots,
      end: (...end) => this.#end(...end),
      paused: (webhook, reason) => {
        this.pauses++
        void notify(webhook, reason)
      },
    }
  }

  /** Attempts. */
  override get running(): number {
    return this.#slots.used
  }

  /** To be called on every instance for every committed event. */
  notify(event: Pick<OutboxEvent, 'name'>): void {
    if (this.#consumer.notice(event)) this.wake()
  }

  /** To be called periodically, before the outbox forgets events. */
  async sweep(now: Date): Promise<void> {
    const { store, queue, limits } = this.#sending
    await this.#consumer.all()
    await this.#consumer.settle()
    const before = (seconds: number) => new Date(now.getTime() - seconds * 1000)
    const { sweepRows, webhookDeliverySeconds, webhookFailingSeconds } = limits
    while ((await store.write(() => queue.forget(before(webhookDeliverySeconds), sweepRows))) === sweepRows);
    // What waits longer belongs to a webhook that is paused.
    const expired = before(webhookFailingSeconds + graceSeconds)
    while ((await store.write(() => queue.expire(expired, sweepRows, now))) === sweepRows);
  }

  /** Also, when earlier events were handed over. */
  override async settled(): Promise<void> {
    await this.#consumer.all()
    await super.settled()
  }

  protected makeDue(): Promise<void> {
    return this.#consumer.catchUp()
  }

  protected cutOff(): void {
    this.#abort.abort()
  }

  protected async beginSome(): Promise<boolean> {
    const { store, queue } = this.#sending
    const { now, dueSince } = await store.read(queue.poll())
    this.dueSince = dueSince
    if (dueSince === null) return false
    const proven = await this.#claim(true, now)
    return (await this.#claim(false, now)) || proven
  }

  async #claim(isProven: boolean, now: Date): Promise<boolean> {
    const { store, queue, limits } = this.#sending
    const count = this.#slots.free(isProven)
    if (count <= 0 || this.isStopping) return false
    const busyOwnerIds = this.#slots.busyOwnerIds()
    const claim = { isProven, count, busyOwnerIds, holder: this.#holder, now, until: leaseEnd(now, limits) }
    const lanes = await store.write(() => queue.claim(claim))
    for (const lane of lanes) this.run(this.#send(lane))
    return lanes.length > 0
  }

  async #send(lane: Lane): Promise<void> {
    try {
      await new LaneRun(lane, this.#ofLanes, this.#abort.signal).run()
    } catch (error) {
      // The lane stays held until its lease ends.
      const { webhookId } = lane
      const message = 'A webhook could not be worked on; it will be, in a moment.'
      this.#sending.log.warn(message, { err: error, webhookId })
    }
  }

  /** Shares its transaction with others. */
  async #end(lane: Lane, messages: readonly MessageEnd[], hold: LaneHold = {}): Promise<boolean> {
    const { store, queue } = this.#sending
    const changes = [lane.webhookId, ...messages.map(({ message }) => message.deliveryId)]
    const end = () => queue.end(lane, messages, hold, this.#holder)
    const isHeld = await store.write(end, { shareable: true, changes })
    for (const { status } of messages) this.counts[status === 'waiting' ? 'retried' : status]++
    return isHeld
  }
}

/** Looks less often while many events are committed. */
const restMs = 10
const graceSeconds = 43_200
