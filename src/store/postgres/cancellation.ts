// Reads for which nobody waits any more: gives them up, and has PostgreSQL end the statements that still run for them. Where
// a server does not answer at all, gives up the connection. One look at all of them now and then: a read pays for no
// listener and no timer of its own, and timers keep what they have to do with until they are old garbage.

import type { Client } from 'pg'
import type { Wait } from '../../budget/deadline.ts'
import { hangUp, type Sent, unavailable } from './connection.ts'

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
  readonly #deadline: Wait | undefined
  readonly #overdueAt: number

  constructor(lane: Lane, deadline: Wait | undefined, timeLimitMs: number) {
    this.#lane = lane
    this.#deadline = deadline
    this.#overdueAt = performance.now() + timeLimitMs
    lane.sent.add(this)
  }

  /** True where the server should have ended it by itself: it is out of reach. */
  isOverdue(now: number): boolean {
    return now >= this.#overdueAt
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
    const now = performance.now()
    for (const lane of this.#lanes) {
      const [first] = lane.sent
      if (first?.isOverdue(now)) giveUp(lane, now)
      else if (first?.isAbandoned) running.set(lane, first)
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

/** Those behind what is overdue learn that their connection is lost, and may be sent by another one. */
function giveUp({ client, sent }: Lane, now: number): void {
  const reason = unavailable(new Error('The database has not answered in time.'))
  for (const read of sent) if (read.isOverdue(now)) read.giveUp(reason)
  hangUp(client)
}

/** The driver knows it once it is connected, and its types do not. */
const processIdOf = (client: Client): number => (client as Client & { readonly processID: number }).processID
