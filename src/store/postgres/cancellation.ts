// Cancels reads whose client has gone, which otherwise delay those behind them on the connection. One shared interval: a timer
// per read would keep its closure alive into the old generation.

import type { Client } from 'pg'
import type { Wait } from '../../budget/deadline.ts'
import { unavailable } from '../program.ts'
import { destroy, type GivingUp, type Rejectable } from './connection.ts'

/** Statements are answered in order. */
export interface Connection {
  readonly client: Client
  readonly inFlight: Set<SentRead>
  /** Each may have hit the statement after the intended one, which is then sent again. */
  cancellations: number
}

export class SentRead implements GivingUp {
  reject: Rejectable['reject'] = () => undefined
  /** Rejected: its client has gone or its rows are too many. */
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

  isOverdue(now: number): boolean {
    return now >= this.#overdueAt
  }

  settled(): void {
    this.#connection.inFlight.delete(this)
  }

  checkAbandoned(): void {
    const failure = this.#deadline?.ended() ?? null
    if (failure !== null) this.giveUp(failure)
  }

  giveUp(reason: unknown): void {
    this.isAbandoned = true
    this.reject(reason)
  }
}

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
    // Abandoned at the last check and still running: worth a connection to cancel it.
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

/** Reads behind overdue ones fail with a lost connection and may be sent by another. */
function rejectOverdue({ client, inFlight }: Connection, now: number): void {
  const reason = unavailable(new Error('The database has not answered in time.'))
  for (const read of inFlight) if (read.isOverdue(now)) read.reject(reason)
  destroy(client)
}

const processIdOf = (client: Client): number => (client as Client & { readonly processID: number }).processID
