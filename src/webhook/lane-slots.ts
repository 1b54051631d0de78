// How many attempts may run: in the process, for one owner, and for lanes that have not answered well since their last failure or the
// start, which get half of all, so that receivers that hang leave the other half to those that answer. (contract 15.2.8)

import type { Limits } from '../limits.ts'
import type { Lane } from './queue.ts'

type SlotLimits = Pick<Limits, 'webhooksAtOnce' | 'webhookOwnerAtOnce'>
type SlotLane = Pick<Lane, 'ownerId' | 'isProven'>

export class LaneSlots {
  readonly #limits: SlotLimits
  readonly #byOwner = new Map<string, number>()
  #proven = 0
  #unproven = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get used(): number {
    return this.#proven + this.#unproven
  }

  /** Free for lanes of this kind. */
  free(isProven: boolean): number {
    const free = this.#limits.webhooksAtOnce - this.used
    return isProven ? free : Math.min(free, Math.ceil(this.#limits.webhooksAtOnce / 2) - this.#unproven)
  }

  busyOwnerIds(): readonly string[] {
    const { webhookOwnerAtOnce } = this.#limits
    return [...this.#byOwner].flatMap(([id, count]) => (count >= webhookOwnerAtOnce ? [id] : []))
  }

  /** Takes up to `count` slots, and returns how many. */
  take(lane: SlotLane, count: number): number {
    const ofOwner = this.#byOwner.get(lane.ownerId) ?? 0
    const some = Math.max(0, Math.min(count, this.free(lane.isProven), this.#limits.webhookOwnerAtOnce - ofOwner))
    this.give(lane, -some)
    return some
  }

  give({ ownerId, isProven }: SlotLane, count: number): void {
    const ofOwner = (this.#byOwner.get(ownerId) ?? 0) - count
    if (ofOwner === 0) this.#byOwner.delete(ownerId)
    else this.#byOwner.set(ownerId, ofOwner)
    if (isProven) this.#proven -= count
    else this.#unproven -= count
  }
}
