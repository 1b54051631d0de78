// Tables of webhooks, for services that list them: the position in the outbox, a lane for each webhook, and the messages in it.

import { positionTable } from '../event/outbox-consumer.ts'

const position = positionTable('duet_webhook_position')

/**
 * `due_at` is when to look for messages, null if none waits. After a failure nothing is sent before `retry_at`. An instance that
 * sends holds the lane until `held_until`.
 */
const lane = (moment: string): readonly string[] => [
  `create table if not exists duet_webhook_lane (webhook_id text primary key, owner_id text not null, due_at ${moment}, ` +
    `retry_at ${moment}, failures integer not null default 0, failing_since ${moment}, is_proven integer not null default 0, ` +
    `holder text, held_until ${moment})`,
  'create index if not exists duet_webhook_lane_due on duet_webhook_lane (is_proven, due_at) where due_at is not null',
]

/** One per delivery, with its id. Contains the event, as the outbox deletes it. `due_at` is null once it has ended. */
const message = (moment: string): readonly string[] => [
  `create table if not exists duet_webhook_message (delivery_id text primary key, webhook_id text not null, event_id text not null, ` +
    `name text not null, resource text not null, record_id text not null, at ${moment} not null, previous text, ` +
    `attempts integer not null default 0, begun_at ${moment} not null, due_at ${moment})`,
  'create index if not exists duet_webhook_message_due on duet_webhook_message (webhook_id, due_at, delivery_id) where due_at is not null',
  'create index if not exists duet_webhook_message_age on duet_webhook_message (begun_at, delivery_id)',
]

export const webhookTables = {
  create: {
    sqlite: [position, ...lane('text'), ...message('text')],
    postgres: [position, ...lane('timestamptz(3)'), ...message('timestamptz(3)')],
  },
}
