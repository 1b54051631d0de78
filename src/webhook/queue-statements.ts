// The SQL of the queue of webhooks.

import { insertOf } from '../store/sql/text/batching.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { command, query } from '../store/store.ts'

const moment = 'timestamptz'

/** `deliveries` is the quoted table of `WebhookDelivery`. */
export const queueStatements = (deliveries: string, dialect: Dialect) => ({
  ...laneStatements(dialect),
  ...messageStatements(deliveries, dialect),
})

function laneStatements(dialect: Dialect) {
  const { engine, parameter: p, among } = dialect
  const isSqlite = engine === 'sqlite'
  const [least, greatest] = isSqlite ? ['min', 'max'] : ['least', 'greatest']
  const time = (number: number) => (isSqlite ? p(number) : `${p(number)}::timestamptz`)
  const nextDue =
    'select m.due_at from duet_webhook_message m where m.webhook_id = duet_webhook_lane.webhook_id ' +
    'and m.due_at is not null order by m.due_at, m.delivery_id limit 1'
  return {
    openLane: command(
      `insert into duet_webhook_lane (webhook_id, owner_id, due_at) values (${p(1)}, ${p(2)}, ${time(3)}) ` +
        'on conflict (webhook_id) do update set owner_id = excluded.owner_id, due_at = ' +
        `${least}(coalesce(duet_webhook_lane.due_at, ${greatest}(excluded.due_at, coalesce(duet_webhook_lane.retry_at, excluded.due_at))), ` +
        `${greatest}(excluded.due_at, coalesce(duet_webhook_lane.retry_at, excluded.due_at)))`,
    ),
    reopen: command(
      `update duet_webhook_lane set due_at = ${p(1)}, retry_at = null, failures = 0, failing_since = null where webhook_id = ${p(2)}`,
    ),
    forgetLane: command(`delete from duet_webhook_lane where webhook_id = ${p(1)}`),
    dueSince: query(
      `select due_at from duet_webhook_lane where due_at <= ${p(1)} and (held_until is null or held_until <= ${p(1)}) order by due_at limit 1`,
    ),
    due: query(
      `select webhook_id, owner_id, failures, failing_since from duet_webhook_lane where is_proven = ${p(1)} and due_at <= ${p(2)} ` +
        `and (held_until is null or held_until <= ${p(2)}) and not (${among('owner_id', p(3))}) order by due_at limit ${p(4)}` +
        (isSqlite ? '' : ' for update skip locked'),
    ),
    hold: command(
      `update duet_webhook_lane set holder = ${p(1)}, held_until = ${p(2)} where ${among('webhook_id', p(3))}`,
    ),
    lockLane: query(
      `select 1 from duet_webhook_lane where webhook_id = ${p(1)} and holder = ${p(2)}${isSqlite ? '' : ' for update'}`,
    ),
    endLane: command(
      `update duet_webhook_lane set is_proven = ${p(1)}, failures = ${p(2)}, failing_since = ${p(3)}, retry_at = ${p(4)}, ` +
        `holder = ${p(5)}, held_until = ${p(6)}, due_at = (select ${greatest}(n.due_at, coalesce(${time(4)}, n.due_at)) from (${nextDue}) n) ` +
        `where webhook_id = ${p(7)}`,
    ),
  }
}

/** Of messages, and of the deliveries that show them. */
function messageStatements(deliveries: string, dialect: Dialect) {
  const { parameter: p, among } = dialect
  const older = (condition: string) =>
    `delivery_id in (select delivery_id from duet_webhook_message where begun_at < ${p(1)}${condition} ` +
    `order by begun_at, delivery_id limit ${p(2)}) returning delivery_id`
  return {
    insertMessage: insertOf(
      'insert into duet_webhook_message (delivery_id, webhook_id, event_id, name, resource, record_id, at, previous, begun_at, due_at)',
      ['text', 'text', 'text', 'text', 'text', 'text', moment, 'text', moment, moment],
      dialect,
    ),
    replay: query(
      `update duet_webhook_message set due_at = ${p(1)}, begun_at = ${p(1)} where delivery_id = ${p(2)} returning webhook_id`,
    ),
    endMessages: command(
      `update duet_webhook_message set due_at = null where webhook_id = ${p(1)} and due_at is not null`,
    ),
    take: query(
      'select delivery_id, attempts, event_id, name, resource, record_id, at, previous from duet_webhook_message ' +
        `where webhook_id = ${p(1)} and due_at <= ${p(2)} order by due_at, delivery_id limit ${p(3)}`,
    ),
    endMessage: command(
      `update duet_webhook_message set attempts = ${p(1)}, due_at = ${p(2)} where delivery_id = ${p(3)}`,
    ),
    forgetMessages: query(`delete from duet_webhook_message where ${older('')}`),
    expireMessages: query(`update duet_webhook_message set due_at = null where ${older(' and due_at is not null')}`),
    insertDelivery: insertOf(
      `insert into ${deliveries} ("id", "webhook_id", "event", "status", "attempts", "next_attempt_at", "created_at", "updated_at")`,
      ['text', 'text', 'text', 'text', 'integer', moment, moment, moment],
      dialect,
    ),
    endDelivery: command(
      `update ${deliveries} set "status" = ${p(1)}, "attempts" = ${p(2)}, "next_attempt_at" = ${p(3)}, ` +
        `"delivered_at" = ${p(4)}, "response_status" = ${p(5)}, "response_text" = ${p(6)}, "updated_at" = ${p(7)}, ` +
        `"version" = "version" + 1 where "id" = ${p(8)}`,
    ),
    forgetDeliveries: command(`delete from ${deliveries} where ${among('"id"', p(1))}`),
    expireDeliveries: command(
      `update ${deliveries} set "status" = 'failed', "next_attempt_at" = null, "updated_at" = ${p(1)}, "version" = "version" + 1 ` +
        `where ${among('"id"', p(2))} and "status" = 'waiting'`,
    ),
  }
}
