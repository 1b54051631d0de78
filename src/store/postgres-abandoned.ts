// Reads for which nobody waits any more: gives them up, and has PostgreSQL end the statements that still run for them.
// One look at all of them now and then, so that a read pays for no timer and no listener of its own.

import type { Client } from 'pg'
import type { Deadline } from '../failure/deadline.ts'
import type { Sent } from './postgres-connection.ts'

/** A connection on which the statements that were sent are answered in their order. */
export interface Lane {
  readonly client: Client
  readonly sent: Set<SentRead>
  /** How often its running statement was ended. It may have been another one by then: that one is sent again. */
  cancels: number
}

export class SentRead implements Sent {
  giveUp: Sent['giveUp'] = () => undefined
  /** Who waited for it has been told that there will be no answer. */
  isAbandoned = false
  readonly #lane: Lane
  readonly #deadline: Deadline | undefined

  constructor(lane: Lane, deadline: Deadline | undefined) {
    this.#lane = lane
    this.#deadline = deadline
    lane.sent.add(this)
  }

  answered(): void {
    this.#lane.sent.delete(this)
  }

  /** True where it was abandoned by now. */
  look(): boolean {
    const failure = this.#deadline?.ended() ?? null
    if (failure === null) return false
    this.isAbandoned = true
    this.giveUp(failure)
    return true
  }
}

/** Has the server end whatever these sessions run. */
export type Cancel = (processIds: () => readonly number[]) => Promise<void>

export class AbandonedReads {
  readonly #lanes: ReadonlySet<Lane>
  readonly #cancel: Cancel
  readonly #everyMs: number
  #timer: NodeJS.Timeout | null = null
  #cancelling: Promise<void> | null = null

  constructor(lanes: ReadonlySet<Lane>, cancel: Cancel, everyMs: number) {
    this.#lanes = lanes
    this.#cancel = cancel
    this.#everyMs = everyMs
  }

  /** Looks from now on, until there is nothing to look at. */
  watch(): void {
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref()
  }

  async close(): Promise<void> {
    this.#rest()
    await this.#cancelling
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #look(): void {
    let waiting = 0
    // What was abandoned by the last look and still runs is worth a connection of its own to end it.
    const running = new Map<Lane, SentRead>()
    for (const lane of this.#lanes) {
      const [first] = lane.sent
      if (first?.isAbandoned) running.set(lane, first)
      for (const read of lane.sent) {
        waiting++
        if (!read.isAbandoned) read.look()
      }
    }
    if (waiting === 0) this.#rest()
    else if (running.size > 0) this.#end(running)
  }

  #end(running: ReadonlyMap<Lane, SentRead>): void {
    this.#cancelling ??= this.#cancel(() => {
      const still = [...running].filter(([lane, read]) => lane.sent.values().next().value === read)
      for (const [lane] of still) lane.cancels++
      return still.map(([{ client }]) => processIdOf(client))
    }).finally(() => {
      this.#cancelling = null
    })
  }
}

/** The driver knows it once it is connected, and its types do not. */
const processIdOf = (client: Client): number => (client as Client & { readonly processID: number }).processID
