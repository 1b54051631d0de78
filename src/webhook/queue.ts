// The queue of webhooks, as programs: events become deliveries and messages; an instance holds a lane, takes its messages and
// writes down how attempts ended.

import { makeId } from '../resource/model/id.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { executeTogether } from '../store/combine.ts'
import { type Dialect, quote } from '../store/sql/text/dialect.ts'
import { type Bound, bind, type Program, type StoredRow, type Value } from '../store/store.ts'
import { type QueueStatements, queueStatements } from './queue-statements.ts'

/** The outbox position up to which events became messages. */
export interface QueuePosition {
  readonly transaction: bigint
  readonly number: bigint
}
export interface NewMessage {
  readonly webhookId: string
  readonly ownerId: string
  readonly eventId: string
  readonly name: string
  readonly resource: string
  readonly recordId: string
  readonly at: Date
  readonly previous: string | null
}
export interface Message extends Omit<NewMessage, 'ownerId'> {
  readonly deliveryId: string
  readonly attempts: number
  /** When the first attempt was due, or the replay. */
  readonly begunAt: Date
}
export interface Lane {
  readonly webhookId: string
  readonly ownerId: string
  readonly failures: number
  readonly failingSince: Date | null
}
export interface Claim {
  readonly isProven: boolean
  readonly count: number
  readonly busyOwnerIds: readonly string[]
  readonly holder: string
  readonly now: Date
  readonly until: Date
}
export type DeliveryStatus = 'waiting' | 'delivered' | 'failed' | 'skipped'
export interface MessageEnd {
  readonly message: Message
  readonly status: DeliveryStatus
  readonly isAttempt: boolean
  readonly dueAt: Date | null
  readonly responseStatus: number | null
  readonly responseText: string | null
}
export interface LaneEnd {
  readonly lane: Lane
  readonly isProven: boolean
  readonly failures: number
  readonly failingSince: Date | null
  readonly retryAt: Date | null
  /** Null releases the lane. */
  readonly heldUntil: Date | null
}

export interface Move {
  readonly from: QueuePosition
  readonly to: QueuePosition
  readonly messages: readonly NewMessage[]
  readonly now: Date
}
export interface Queue {
  /** The database's, or that of the one process. */
  now(): Program<Date>
  /** Locks the position until the transaction ends; `end` if there is none yet. */
  position(end: QueuePosition): Program<QueuePosition>
  /** Inserts the messages and moves on. False if another instance has moved on from `from`. */
  handOn(move: Move): Program<boolean>
  insert(messages: readonly NewMessage[], now: Date): Program<void>
  replay(deliveryIds: readonly string[], now: Date): Program<void>
  /** Ends the backoff of a lane, and looks for its messages now. */
  reopen(webhookIds: readonly string[], now: Date): Program<void>
  forgetLanes(webhookIds: readonly string[]): Program<void>
  /** `dueSince`: since when a lane is due; null if none is. */
  poll(): Program<{ readonly now: Date; readonly dueSince: Date | null }>
  claim(claim: Claim): Program<readonly Lane[]>
  take(lane: Lane, count: number, now: Date): Program<readonly Message[]>
  /** In webhook order. Returns the webhooks whose lane was lost. */
  end(
    lanes: readonly LaneEnd[],
    messages: readonly MessageEnd[],
    holder: string,
    now: Date,
  ): Program<ReadonlySet<string>>
  /** Deletes what is older than `before`; what waits since before `expired` fails. Returns how many. */
  forget(before: Date, count: number): Program<number>
  expire(before: Date, count: number, now: Date): Program<number>
}

export const createQueue = (deliveries: ResourceModel, dialect: Dialect, clock: () => Date): Queue =>
  new SqlQueue(deliveries, dialect, clock)

class SqlQueue implements Queue {
  readonly #sql: QueueStatements
  readonly #prefix: string
  readonly #dialect: Dialect
  readonly #clock: () => Date

  constructor({ table, prefix }: ResourceModel, dialect: Dialect, clock: () => Date) {
    this.#sql = queueStatements(quote(table), dialect)
    this.#prefix = prefix
    this.#dialect = dialect
    this.#clock = clock
  }

  *insert(messages: readonly NewMessage[], now: Date): Program<void> {
    const at = this.#timestamp(now)
    const bounds: Bound[] = []
    for (const each of messages) {
      const id = makeId(this.#prefix, now)
      bounds.push(
        bind(this.#sql.insertDelivery, id, each.webhookId, each.name, 'waiting', 0, at, at, at),
        bind(
          this.#sql.insertMessage,
          id,
          each.webhookId,
          each.eventId,
          each.name,
          each.resource,
          each.recordId,
          this.#timestamp(each.at),
          each.previous,
          at,
          at,
        ),
      )
    }
    yield* executeTogether(bounds)
    const owners = new Map(messages.map(({ webhookId, ownerId }) => [webhookId, ownerId]))
    for (const id of [...owners.keys()].sort()) yield bind(this.#sql.openLane, id, owners.get(id)!, at)
  }

  *now(): Program<Date> {
    if (this.#sql.now === null) return this.#clock()
    const [row] = yield bind(this.#sql.now)
    return this.#moment(row![0]!)!
  }

  *position(end: QueuePosition): Program<QueuePosition> {
    yield bind(this.#sql.begin, ...place(end))
    const [row] = yield bind(this.#sql.position)
    return { transaction: BigInt(row![0] as string), number: BigInt(row![1] as string) }
  }

  *handOn({ from, to, messages, now }: Move): Program<boolean> {
    if ((yield bind(this.#sql.move, ...place(to), ...place(from))).length === 0) return false
    yield* this.insert(messages, now)
    return true
  }

  *replay(deliveryIds: readonly string[], now: Date): Program<void> {
    const at = this.#timestamp(now)
    for (const id of deliveryIds) {
      const [row] = yield bind(this.#sql.replay, at, id)
      if (row !== undefined) yield bind(this.#sql.reopen, at, row[0] as string)
    }
  }

  *reopen(webhookIds: readonly string[], now: Date): Program<void> {
    for (const id of webhookIds) yield bind(this.#sql.reopen, this.#timestamp(now), id)
  }

  *forgetLanes(webhookIds: readonly string[]): Program<void> {
    for (const id of webhookIds) {
      yield bind(this.#sql.forgetLane, id)
      yield bind(this.#sql.endMessages, id)
    }
  }

  *poll(): Program<{ readonly now: Date; readonly dueSince: Date | null }> {
    if (this.#sql.now !== null) {
      const [row] = yield bind(this.#sql.dueSince)
      return { now: this.#moment(row![0]!)!, dueSince: this.#moment(row![1]!) }
    }
    const now = this.#clock()
    const [row] = yield bind(this.#sql.dueSince, this.#timestamp(now))
    return { now, dueSince: row === undefined ? null : this.#moment(row[0]!) }
  }

  *claim({ isProven, count, busyOwnerIds, holder, now, until }: Claim): Program<readonly Lane[]> {
    const at = this.#timestamp(now)
    const rows = yield bind(this.#sql.due, isProven ? 1 : 0, at, this.#dialect.keys(busyOwnerIds), count)
    const ids = this.#dialect.keys(rows.map(([id]) => id!))
    if (rows.length > 0) yield bind(this.#sql.hold, holder, this.#timestamp(until), ids)
    return rows.map(([id, owner, failures, since]) => ({
      webhookId: id as string,
      ownerId: owner as string,
      failures: Number(failures),
      failingSince: this.#moment(since!),
    }))
  }

  *take({ webhookId }: Lane, count: number, now: Date): Program<readonly Message[]> {
    return (yield bind(this.#sql.take, webhookId, this.#timestamp(now), count)).map((row) => this.#toMessage(row))
  }

  *end(
    lanes: readonly LaneEnd[],
    messages: readonly MessageEnd[],
    holder: string,
    now: Date,
  ): Program<ReadonlySet<string>> {
    const at = this.#timestamp(now)
    // First, so that a message that arrives meanwhile is seen or opens the lane again.
    const held = new Set<string>()
    for (const { lane } of lanes)
      if ((yield bind(this.#sql.lockLane, lane.webhookId, holder)).length > 0) held.add(lane.webhookId)
    yield* executeTogether(
      messages.flatMap(({ message, status, isAttempt, dueAt, responseStatus, responseText }) => {
        const attempts = message.attempts + (isAttempt ? 1 : 0)
        const due = this.#timestamp(dueAt)
        const deliveredAt = status === 'delivered' ? at : null
        return [
          bind(this.#sql.endMessage, attempts, due, message.deliveryId),
          bind(
            this.#sql.endDelivery,
            status,
            attempts,
            due,
            deliveredAt,
            responseStatus,
            responseText,
            at,
            message.deliveryId,
          ),
        ]
      }),
    )
    for (const { lane, isProven, failures, failingSince, retryAt, heldUntil } of lanes) {
      if (!held.has(lane.webhookId)) continue
      const state = [isProven ? 1 : 0, failures, this.#timestamp(failingSince), this.#timestamp(retryAt)]
      yield bind(
        this.#sql.endLane,
        ...state,
        heldUntil === null ? null : holder,
        this.#timestamp(heldUntil),
        lane.webhookId,
      )
    }
    return new Set(lanes.flatMap(({ lane: { webhookId } }) => (held.has(webhookId) ? [] : [webhookId])))
  }

  *forget(before: Date, count: number): Program<number> {
    const ids = (yield bind(this.#sql.old, this.#timestamp(before), count)).map(([id]) => id!)
    if (ids.length === 0) return 0
    yield bind(this.#sql.forgetMessages, this.#dialect.keys(ids))
    yield bind(this.#sql.forgetDeliveries, this.#dialect.keys(ids))
    return ids.length
  }

  *expire(before: Date, count: number, now: Date): Program<number> {
    const ids = (yield bind(this.#sql.expired, this.#timestamp(before), count)).map(([id]) => id!)
    if (ids.length === 0) return 0
    yield bind(this.#sql.expireMessages, this.#dialect.keys(ids))
    yield bind(this.#sql.expireDeliveries, this.#timestamp(now), this.#dialect.keys(ids))
    return ids.length
  }

  #timestamp(at: Date | null): Value {
    return at === null ? null : this.#dialect.encode(at, 'timestamp')
  }

  #moment(value: Value): Date | null {
    return value === null ? null : (this.#dialect.decode(value, 'timestamp') as Date)
  }

  #toMessage(row: StoredRow): Message {
    return {
      deliveryId: row[0] as string,
      webhookId: row[1] as string,
      eventId: row[2] as string,
      name: row[3] as string,
      resource: row[4] as string,
      recordId: row[5] as string,
      at: this.#moment(row[6]!)!,
      previous: row[7] as string | null,
      attempts: Number(row[8]),
      begunAt: this.#moment(row[9]!)!,
    }
  }
}

const place = ({ transaction, number }: QueuePosition) => [String(transaction), String(number)] as const
