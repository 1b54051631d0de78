// Cancels reads whose client has gone, at the server too. Without this file: the same answers, but the server finishes every
// statement that nobody waits for, and the reads behind it on the same connection wait for it.
// One shared interval instead of a timer for each read, because timers keep their closures alive into the old generation.
// A server that does not answer at all loses the connection.

import type { Client } from 'pg'
import type { Wait } from '../../budget/deadline.ts'
import { destroy, type GivingUp, type Rejectable, unavailable } from './connection.ts'

/** A connection on which the statements that were sent are answered in their order. */
export interface Connection {
  readonly client: Client
  readonly inFlight: Set<SentRead>
  /** How often its running statement was cancelled. It may have been another one by then: that one is sent again. */
  cancellations: number
}

/** A read on its way to the server and back. */
export class SentRead implements GivingUp {
  reject: Rejectable['reject'] = () => undefined
  /** Its client has gone or its rows are too many, and it was rejected. */
  isAbandoned = false
  readonly #connection: Connection
  readonly #deadline: Wait | undefined
  readonly #overdueAt: number

  constructor(connection: Connection, deadline: Wait | undefined, timeLimitMs: number) {
    this.#connection = connection
    this.#deadline = deadline
    this.#overdueAt = performance.now() + timeLimitMs
    connection.inFlight.add(this)
  }

  /** True where the server should have ended it by itself: it is out of reach. */
  isOverdue(now: number): boolean {
    return now >= this.#overdueAt
  }

  settled(): void {
    this.#connection.inFlight.delete(this)
  }

  /** Rejects it where nobody waits for it any more. */
  checkAbandoned(): void {
    const failure = this.#deadline?.ended() ?? null
    if (failure !== null) this.giveUp(failure)
  }

  giveUp(reason: unknown): void {
    this.isAbandoned = true
    this.reject(reason)
  }
}

/** Has the server end whatever these sessions run. */
export type Cancel = (processIds: () => readonly number[]) => Promise<void>

export class Cancellation {
  readonly #connections: ReadonlySet<Connection>
  readonly #cancel: Cancel
  readonly #intervalMs: number
  #timer: NodeJS.Timeout | null = null
  #cancelling: Promise<void> | null = null

  constructor(connections: ReadonlySet<Connection>, cancel: Cancel, intervalMs: number) {
    this.#connections = connections
    this.#cancel = cancel
    this.#intervalMs = intervalMs
  }

  /** Checks all reads from now on, until there are none. */
  watch(): void {
    this.#timer ??= setInterval(() => this.#check(), this.#intervalMs).unref()
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#cancelling
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #check(): void {
    let count = 0
    // Abandoned at the last check and still running: worth a connection of its own to end it.
    const abandoned = new Map<Connection, SentRead>()
    const now = performance.now()
    for (const connection of this.#connections) {
      const [first] = connection.inFlight
      if (first?.isOverdue(now)) rejectOverdue(connection, now)
      else if (first?.isAbandoned) abandoned.set(connection, first)
      for (const read of connection.inFlight) {
        count++
        if (!read.isAbandoned) read.checkAbandoned()
      }
    }
    if (count === 0) this.#stop()
    else if (abandoned.size > 0) this.#cancelAtServer(abandoned)
  }

  #cancelAtServer(abandoned: ReadonlyMap<Connection, SentRead>): void {
    this.#cancelling ??= this.#cancel(() => {
      const unanswered = [...abandoned].filter(
        ([connection, read]) => connection.inFlight.values().next().value === read,
      )
      for (const [connection] of unanswered) connection.cancellations++
      return unanswered.map(([{ client }]) => processIdOf(client))
    }).finally(() => {
      this.#cancelling = null
    })
  }
}

/** The reads behind those that are overdue learn that their connection is lost, and may be sent by another one. */
function rejectOverdue({ client, inFlight }: Connection, now: number): void {
  const reason = unavailable(new Error('The database has not answered in time.'))
  for (const read of inFlight) if (read.isOverdue(now)) read.reject(reason)
  destroy(client)
}

/** Part of the driver's client once it is connected, but not of its types. */
const processIdOf = (client: Client): number => (client as Client & { readonly processID: number }).processID
