// The queue of webhooks, as programs: events become deliveries and messages; an instance holds a lane, takes its messages and
// writes down how attempts ended.

import type { OutboxEvent } from '../event/outbox.ts'
import { makeId } from '../resource/model/id.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { executeTogether } from '../store/combine.ts'
import { type Dialect, quote } from '../store/sql/text/dialect.ts'
import { sharedTime } from '../store/sql/text/shared-time.ts'
import { bind, type Program, type StoredRow, type Value } from '../store/store.ts'
import { queueStatements } from './queue-statements.ts'

export interface NewMessage {
  readonly webhookId: string
  readonly ownerId: string
  /** Its position and `by` are not stored. */
  readonly event: OutboxEvent
}
export interface Message extends Omit<NewMessage, 'ownerId'> {
  readonly deliveryId: string
  readonly attempts: number
}
export interface Lane {
  readonly webhookId: string
  readonly ownerId: string
  /** It has answered well since its last failure. */
  readonly isProven: boolean
  readonly failures: number
  readonly failingSince: Date | null
}
export const proven = (lane: Lane): Lane => ({ ...lane, isProven: true, failures: 0, failingSince: null })
export interface Claim {
  readonly isProven: boolean
  readonly count: number
  readonly busyOwnerIds: readonly string[]
  readonly holder: string
  readonly now: Date
  readonly until: Date
}
/** Of what is skipped, no attempt is made. */
export type DeliveryStatus = 'waiting' | 'delivered' | 'failed' | 'skipped'
export interface MessageEnd {
  readonly message: Message
  readonly status: DeliveryStatus
  readonly dueAt: Date | null
  readonly responseStatus: number | null
  readonly responseText: string | null
}
export interface LaneHold {
  /** Nothing is sent before. */
  readonly retryAt?: Date | null
  /** Null releases the lane. */
  readonly heldUntil?: Date | null
}

/** Events that no outbox has. */
export const unplaced = { position: { transaction: 0n, number: 0n }, by: null } as const

export class Queue {
  readonly #dialect: Dialect
  readonly #clock: () => Date
  readonly #prefix: string
  readonly #sql: ReturnType<typeof queueStatements>

  constructor({ table, prefix }: ResourceModel, dialect: Dialect, clock: () => Date) {
    this.#dialect = dialect
    this.#clock = clock
    this.#prefix = prefix
    this.#sql = queueStatements(quote(table), dialect)
  }

  now(): Program<Date> {
    return sharedTime(this.#dialect, this.#clock)
  }

  /** Ends the backoff of a lane, and looks for its messages now. */
  *reopen(webhookId: string, now: Date): Program<void> {
    yield bind(this.#sql.reopen, this.#timestamp(now), webhookId)
  }

  *insert(messages: readonly NewMessage[]): Program<void> {
    const sql = this.#sql
    const now = yield* this.now()
    const at = this.#timestamp(now)
    yield* executeTogether(
      messages.flatMap(({ webhookId, event }) => {
        const id = makeId(this.#prefix, now)
        const previous = event.previous === null ? null : JSON.stringify(event.previous)
        const values = [event.id, event.name, event.resource, event.recordId, this.#timestamp(event.at), previous]
        return [
          bind(sql.insertDelivery, id, webhookId, event.name, 'waiting', 0, at, at, at),
          bind(sql.insertMessage, id, webhookId, ...values, at, at),
        ]
      }),
    )
    const owners = new Map(messages.map(({ webhookId, ownerId }) => [webhookId, ownerId]))
    for (const id of [...owners.keys()].sort()) yield bind(sql.openLane, id, owners.get(id)!, at)
  }

  *replay(deliveryId: string, now: Date): Program<void> {
    for (const [webhookId] of yield bind(this.#sql.replay, this.#timestamp(now), deliveryId))
      yield* this.reopen(webhookId as string, now)
  }

  *forgetLane(webhookId: string): Program<void> {
    yield bind(this.#sql.forgetLane, webhookId)
    yield bind(this.#sql.endMessages, webhookId)
  }

  /** `dueSince`: since when a lane is due; null if none is. */
  *poll(): Program<{ readonly now: Date; readonly dueSince: Date | null }> {
    const now = yield* this.now()
    const [row] = yield bind(this.#sql.dueSince, this.#timestamp(now))
    return { now, dueSince: row === undefined ? null : this.#moment(row[0]) }
  }

  *claim({ isProven, count, busyOwnerIds, holder, now, until }: Claim): Program<readonly Lane[]> {
    const { keys } = this.#dialect
    const rows = yield bind(this.#sql.due, Number(isProven), this.#timestamp(now), keys(busyOwnerIds), count)
    const ids = keys(rows.map(([id]) => id!))
    if (rows.length > 0) yield bind(this.#sql.hold, holder, this.#timestamp(until), ids)
    return rows.map(([id, owner, failures, since]) => ({
      webhookId: id as string,
      ownerId: owner as string,
      isProven,
      failures: Number(failures),
      failingSince: this.#moment(since),
    }))
  }

  *take({ webhookId }: Lane, count: number, now: Date): Program<readonly Message[]> {
    return (yield bind(this.#sql.take, webhookId, this.#timestamp(now), count)).map((row) => ({
      deliveryId: row[0] as string,
      webhookId,
      attempts: Number(row[1]),
      event: {
        ...unplaced,
        id: row[2] as string,
        name: row[3] as string,
        resource: row[4] as string,
        recordId: row[5] as string,
        at: this.#moment(row[6])!,
        previous: row[7] === null ? null : JSON.parse(row[7] as string),
      },
    }))
  }

  /** False if the lane was lost. */
  *end(
    { webhookId, isProven, failures, failingSince }: Lane,
    messages: readonly MessageEnd[],
    { retryAt = null, heldUntil = null }: LaneHold,
    holder: string,
  ): Program<boolean> {
    const sql = this.#sql
    const at = this.#timestamp(yield* this.now())
    // First, so that a message that arrives meanwhile is seen or opens the lane again.
    const isHeld = (yield bind(sql.lockLane, webhookId, holder)).length > 0
    yield* executeTogether(
      messages.flatMap(({ message, status, dueAt, responseStatus, responseText }) => {
        const id = message.deliveryId
        const attempts = message.attempts + (status === 'skipped' ? 0 : 1)
        const due = this.#timestamp(dueAt)
        const response = [status === 'delivered' ? at : null, responseStatus, responseText]
        return [
          bind(sql.endMessage, attempts, due, id),
          bind(sql.endDelivery, status, attempts, due, ...response, at, id),
        ]
      }),
    )
    if (!isHeld) return false
    const state = [Number(isProven), failures, this.#timestamp(failingSince), this.#timestamp(retryAt)]
    const hold = [heldUntil === null ? null : holder, this.#timestamp(heldUntil)]
    yield bind(sql.endLane, ...state, ...hold, webhookId)
    return true
  }

  /** Deletes messages that are older, with their deliveries. Returns how many. */
  *forget(before: Date, count: number): Program<number> {
    const rows = yield bind(this.#sql.forgetMessages, this.#timestamp(before), count)
    if (rows.length > 0) yield bind(this.#sql.forgetDeliveries, this.#idsIn(rows))
    return rows.length
  }

  /** Ends messages that have waited for longer. Returns how many. */
  *expire(before: Date, count: number, now: Date): Program<number> {
    const rows = yield bind(this.#sql.expireMessages, this.#timestamp(before), count)
    if (rows.length > 0) yield bind(this.#sql.expireDeliveries, this.#timestamp(now), this.#idsIn(rows))
    return rows.length
  }

  #timestamp(at: Date | null): Value {
    return this.#dialect.encode(at, 'timestamp')
  }

  #moment(value: Value = null): Date | null {
    return this.#dialect.decode(value, 'timestamp') as Date | null
  }

  #idsIn(rows: readonly StoredRow[]): Value {
    return this.#dialect.keys(rows.map(([id]) => id!))
  }
}
