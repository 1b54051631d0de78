// A subscription, from now on or from the client's last event, whatever carries it. (contract 6.3.1)

import { Failure } from '../failure/failure.ts'
import type { Requester } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { EventAnswer } from './event-reader.ts'
import type { Feed } from './feed.ts'
import type { HolderWatch } from './holder-watch.ts'
import type { Hub, Listening, Subscriber } from './hub.ts'
import { isBeyond, type Outbox, type OutboxEvent, type Position } from './outbox.ts'
import type { ResumeIds } from './resume-id.ts'

export interface SubscriptionContext {
  readonly hub: Hub
  readonly holders: HolderWatch
  readonly outbox: Outbox
  readonly resumeIds: ResumeIds
  readonly feed: Pick<Feed, 'position' | 'deliveryPosition'>
  readonly limits: { readonly eventBatch: number }
}
export interface SubscriptionRequest {
  readonly actor: Requester
  readonly listenings: readonly Listening[]
  /** The records subscribed by. (contract 6.1.5) */
  readonly holders: readonly { readonly holder: ResourceModel; readonly id: string }[]
  readonly after: Position | null
}
export interface Recipient {
  /** Must not throw. */
  readonly deliver: (answer: EventAnswer, event: OutboxEvent) => void
  readonly end: (failure: Failure) => void
  /** Resolves in a later turn; false once the subscription has ended. */
  readonly hasRead: () => Promise<boolean>
}

/** Fails with EVENTS_GONE for an old id, and for any other text, to reveal nothing. (contract 6.3.4) */
export async function resumePosition(
  id: string,
  { resumeIds, outbox }: Pick<SubscriptionContext, 'resumeIds' | 'outbox'>,
): Promise<Position> {
  const position = resumeIds.read(id)
  if (position === null || (await outbox.isForgotten(position))) throw new Failure('EVENTS_GONE')
  return position
}

export class Subscription {
  readonly #context: SubscriptionContext
  readonly #request: SubscriptionRequest
  readonly #recipient: Recipient
  readonly #subscriber: Omit<Subscriber, 'after'>
  #position: Position
  #stop: (() => void) | null = null
  #waitingFrom: () => Position | null = () => null
  #isStopped = false

  constructor(request: SubscriptionRequest, recipient: Recipient, context: SubscriptionContext) {
    this.#request = request
    this.#recipient = recipient
    this.#context = context
    this.#position = request.after ?? context.feed.position
    this.#subscriber = {
      actor: request.actor,
      listenings: request.listenings,
      deliver: (answer, event) => {
        this.#advance(event.position)
        if (!this.#isStopped) recipient.deliver(answer, event)
      },
    }
  }

  /** Resolves when it has caught up, or was stopped. Rejects with a Failure. */
  async start(): Promise<void> {
    const { hub, holders, feed } = this.#context
    // No await before the first delivery, so that no event is missed.
    while (isBeyond(feed.position, this.#position)) if (!(await this.#catchUp())) return
    if (this.#isStopped) return
    const membership = hub.add({ ...this.#subscriber, after: this.#position })
    this.#waitingFrom = () => membership.reached
    const { actor } = this.#request
    const { end } = this.#recipient
    const releases = this.#request.holders.map((each) => holders.add({ ...each, actor, end }))
    this.#stop = () => {
      membership.leave()
      for (const release of releases) release()
    }
  }

  get isLive(): boolean {
    return this.#stop !== null && !this.#isStopped
  }

  get reached(): Position {
    if (this.isLive) this.#advance(this.#waitingFrom() ?? this.#context.feed.deliveryPosition)
    return this.#position
  }

  stop(): void {
    this.#isStopped = true
    this.#stop?.()
  }

  #advance(position: Position): void {
    if (isBeyond(position, this.#position)) this.#position = position
  }

  /** False once the subscription has ended. */
  async #catchUp(): Promise<boolean> {
    const { hub, outbox, feed, limits } = this.#context
    const end = feed.position
    while (isBeyond(end, this.#position)) {
      const past = await outbox.after(this.#position, limits.eventBatch)
      const events = past.filter(({ position }) => !isBeyond(position, end))
      for (const event of events) {
        await hub.deliverTo({ ...this.#subscriber, after: this.#position }, event)
        this.#advance(event.position)
        if (!(await this.#recipient.hasRead())) return false
      }
      if (events.length === 0) this.#advance(end)
    }
    return !this.#isStopped
  }
}
