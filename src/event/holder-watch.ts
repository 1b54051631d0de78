// Ends subscriptions by a record that the subscriber may no longer read. Access depends on other records and on time, so it is
// polled for all subscriptions together. (contract 6.1.5)

import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { Outage } from '../observation/outage.ts'
import { type Requester, shownBy } from '../resource/actor.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { type Condition, fold } from '../resource/model/rule/condition.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import type { Store } from '../store/store.ts'
import { createPairReader, type Pair } from './rule-record.ts'

export interface HeldSubscription {
  readonly holder: ResourceModel
  readonly id: string
  readonly actor: Requester
  /** Called once, with the code of a missing record. Must not throw. */
  end(failure: Failure): void
}
export interface HolderWatchDependencies {
  readonly store: Store
  readonly dialect: Dialect
  readonly log: Pick<Log, 'warn' | 'info'>
  readonly limits: Pick<Limits, 'eventActors' | 'holderWatchMs'>
  readonly clock: () => Date
}

export class HolderWatch {
  readonly #dependencies: HolderWatchDependencies
  readonly #readPairs: ReturnType<typeof createPairReader>
  readonly #subscriptions = new Set<HeldSubscription>()
  /** Unreadable at the last check; events before that are still being delivered. */
  #hidden: ReadonlySet<HeldSubscription> = new Set()
  #timer: NodeJS.Timeout | undefined
  #look: Promise<void> = Promise.resolve()
  #isLooking = false
  readonly #outage: Outage

  constructor(dependencies: HolderWatchDependencies) {
    this.#dependencies = dependencies
    this.#outage = new Outage(
      dependencies.log,
      'Whether subscriptions may go on could not be read; it will be, in a moment.',
    )
    this.#readPairs = createPairReader(dependencies.dialect, dependencies.limits.eventActors)
  }

  add(subscription: HeldSubscription): () => void {
    this.#subscriptions.add(subscription)
    this.#timer ??= setInterval(() => this.#lookAgain(), this.#dependencies.limits.holderWatchMs).unref()
    return () => {
      this.#subscriptions.delete(subscription)
      if (this.#subscriptions.size === 0) this.#stop()
    }
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#look
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #lookAgain(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#look = this.#endHidden()
      .then(
        () => this.#outage.succeeded(),
        (error: unknown) => this.#outage.failed(error),
      )
      .finally(() => {
        this.#isLooking = false
      })
  }

  async #endHidden(): Promise<void> {
    const hidden = new Set<HeldSubscription>()
    for (const [holder, some] of Map.groupBy(this.#subscriptions, (each) => each.holder)) {
      const byRule = Map.groupBy(some, ({ actor }) => fold(holder.read.allow, holder, actor))
      for (const [rule, alike] of byRule)
        for (const each of await this.#unreadable(holder, rule, alike)) hidden.add(each)
    }
    for (const each of hidden) {
      if (!this.#hidden.has(each) || !this.#subscriptions.has(each)) continue
      this.#subscriptions.delete(each)
      each.end(new Failure(each.holder.notFound))
    }
    this.#hidden = hidden
    if (this.#subscriptions.size === 0) this.#stop()
  }

  async #unreadable(
    holder: ResourceModel,
    rule: Condition,
    subscriptions: readonly HeldSubscription[],
  ): Promise<readonly HeldSubscription[]> {
    const { store, clock } = this.#dependencies
    const pairs = subscriptions.map(({ id, actor }): Pair => ({ id, caller: shownBy(actor) }))
    const areReadable = await store.read(this.#readPairs(holder, rule, pairs, clock()))
    return subscriptions.filter((_, index) => !areReadable[index])
  }
}
