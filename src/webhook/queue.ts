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
/** Of what is skipped, no attempt is made. */
export type DeliveryStatus = 'waiting' | 'delivered' | 'failed' | 'skipped'
export interface MessageEnd {
  readonly message: Message
  readonly status: DeliveryStatus
  readonly dueAt: Date | null
  readonly responseStatus: number | null
  readonly responseText: string | null
}
export interface LaneEnd {
  readonly lane: Lane
  readonly isProven: boolean
  readonly retryAt: Date | null
  /** Null releases the lane. */
  readonly heldUntil: Date | null
}

export type Queue = ReturnType<typeof createQueue>

export function createQueue({ table, prefix }: ResourceModel, dialect: Dialect, clock: () => Date) {
  const form: Form = {
    sql: queueStatements(quote(table), dialect),
    dialect,
    timestamp: (at) => (at === null ? null : dialect.encode(at, 'timestamp')),
    moment: (value) => (value === null ? null : (dialect.decode(value, 'timestamp') as Date)),
    now: () => sharedTime(dialect, clock),
  }
  return { now: form.now, ...intake(prefix, form), ...lanes(form), ...retention(form) }
}

interface Form {
  readonly sql: ReturnType<typeof queueStatements>
  readonly dialect: Dialect
  readonly timestamp: (at: Date | null) => Value
  readonly moment: (value: Value) => Date | null
  readonly now: () => Program<Date>
}

/** What is to be sent. */
function intake(prefix: string, { sql, timestamp }: Form) {
  function* reopen(webhookIds: readonly string[], now: Date): Program<void> {
    for (const id of webhookIds) yield bind(sql.reopen, timestamp(now), id)
  }
  return {
    /** Ends the backoff of lanes, and looks for their messages now. */
    reopen,

    *insert(messages: readonly NewMessage[], now: Date): Program<void> {
      const at = timestamp(now)
      yield* executeTogether(
        messages.flatMap(({ webhookId, event }) => {
          const id = makeId(prefix, now)
          const previous = event.previous === null ? null : JSON.stringify(event.previous)
          const values = [event.id, event.name, event.resource, event.recordId, timestamp(event.at), previous]
          return [
            bind(sql.insertDelivery, id, webhookId, event.name, 'waiting', 0, at, at, at),
            bind(sql.insertMessage, id, webhookId, ...values, at, at),
          ]
        }),
      )
      const owners = new Map(messages.map(({ webhookId, ownerId }) => [webhookId, ownerId]))
      for (const id of [...owners.keys()].sort()) yield bind(sql.openLane, id, owners.get(id)!, at)
    },

    *replay(deliveryIds: readonly string[], now: Date): Program<void> {
      for (const id of deliveryIds) {
        const rows = yield bind(sql.replay, timestamp(now), id)
        yield* reopen(
          rows.map(([webhookId]) => webhookId as string),
          now,
        )
      }
    },

    *forgetLane(webhookId: string): Program<void> {
      yield bind(sql.forgetLane, webhookId)
      yield bind(sql.endMessages, webhookId)
    },
  }
}

/** Lanes and their messages while they are worked on. */
function lanes({ sql, dialect, timestamp, moment, now }: Form) {
  return {
    /** `dueSince`: since when a lane is due; null if none is. */
    *poll(): Program<{ readonly now: Date; readonly dueSince: Date | null }> {
      const at = yield* now()
      const [row] = yield bind(sql.dueSince, timestamp(at))
      return { now: at, dueSince: row === undefined ? null : moment(row[0]!) }
    },

    *claim({ isProven, count, busyOwnerIds, holder, now, until }: Claim): Program<readonly Lane[]> {
      const rows = yield bind(sql.due, isProven ? 1 : 0, timestamp(now), dialect.keys(busyOwnerIds), count)
      const ids = dialect.keys(rows.map(([id]) => id!))
      if (rows.length > 0) yield bind(sql.hold, holder, timestamp(until), ids)
      return rows.map(([id, owner, failures, since]) => ({
        webhookId: id as string,
        ownerId: owner as string,
        failures: Number(failures),
        failingSince: moment(since!),
      }))
    },

    *take({ webhookId }: Lane, count: number, now: Date): Program<readonly Message[]> {
      return (yield bind(sql.take, webhookId, timestamp(now), count)).map((row) => ({
        deliveryId: row[0] as string,
        webhookId,
        attempts: Number(row[1]),
        event: {
          id: row[2] as string,
          position: { transaction: 0n, number: 0n },
          name: row[3] as string,
          resource: row[4] as string,
          recordId: row[5] as string,
          by: null,
          at: moment(row[6]!)!,
          previous: row[7] === null ? null : JSON.parse(row[7] as string),
        },
      }))
    },

    /** False if the lane was lost. */
    *end(
      { lane, isProven, retryAt, heldUntil }: LaneEnd,
      messages: readonly MessageEnd[],
      holder: string,
    ): Program<boolean> {
      const at = timestamp(yield* now())
      const { webhookId, failures, failingSince } = lane
      // First, so that a message that arrives meanwhile is seen or opens the lane again.
      const isHeld = (yield bind(sql.lockLane, webhookId, holder)).length > 0
      yield* executeTogether(
        messages.flatMap(({ message, status, dueAt, responseStatus, responseText }) => {
          const id = message.deliveryId
          const attempts = message.attempts + (status === 'skipped' ? 0 : 1)
          const due = timestamp(dueAt)
          const response = [status === 'delivered' ? at : null, responseStatus, responseText]
          return [
            bind(sql.endMessage, attempts, due, id),
            bind(sql.endDelivery, status, attempts, due, ...response, at, id),
          ]
        }),
      )
      if (!isHeld) return false
      const state = [isProven ? 1 : 0, failures, timestamp(failingSince), timestamp(retryAt)]
      const hold = [heldUntil === null ? null : holder, timestamp(heldUntil)]
      yield bind(sql.endLane, ...state, ...hold, webhookId)
      return true
    },
  }
}

function retention({ sql, dialect, timestamp }: Form) {
  const idsIn = (rows: readonly StoredRow[]) => dialect.keys(rows.map(([id]) => id!))
  return {
    /** Deletes messages that are older, with their deliveries. Returns how many. */
    *forget(before: Date, count: number): Program<number> {
      const rows = yield bind(sql.forgetMessages, timestamp(before), count)
      if (rows.length > 0) yield bind(sql.forgetDeliveries, idsIn(rows))
      return rows.length
    },

    /** Ends messages that have waited for longer. Returns how many. */
    *expire(before: Date, count: number, now: Date): Program<number> {
      const rows = yield bind(sql.expireMessages, timestamp(before), count)
      if (rows.length > 0) yield bind(sql.expireDeliveries, timestamp(now), idsIn(rows))
      return rows.length
    },
  }
}
