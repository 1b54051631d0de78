// Tables of reactions: their names, the position in the outbox, and their tasks.

import { positionTable } from '../event/outbox-consumer.ts'

const common = (moment: string): readonly string[] => [
  `create table if not exists duet_reaction (name text primary key, event text not null, seen_at ${moment} not null)`,
  positionTable('duet_reaction_position'),
]

/**
 * `due_at` is when to start, or for a claimed task when the claim ends; null for a dead letter. Contains the whole event, as the
 * outbox deletes it.
 */
const task = (number: string, moment: string): readonly string[] => [
  `create table if not exists duet_reaction_task (number ${number}, reaction text not null, event_id text not null, ` +
    `resource text not null, record_id text not null, by_id text, at ${moment} not null, ` +
    `attempts integer not null default 0, due_at ${moment}, holder text, died_at ${moment}, error text, previous text)`,
  'create index if not exists duet_reaction_task_due on duet_reaction_task (due_at, number) where due_at is not null',
  'create index if not exists duet_reaction_task_dead on duet_reaction_task (died_at, number) where died_at is not null',
]

/** Encrypted tokens for a reaction. A record is created once, so there is one row per record. */
const token = (moment: string): readonly string[] => [
  `create table if not exists duet_reaction_token (reaction text not null, record_id text not null, tokens text not null, at ${moment} not null, primary key (reaction, record_id))`,
  'create index if not exists duet_reaction_token_age on duet_reaction_token (at)',
]

export const reactionTables = {
  added: [{ table: 'duet_reaction_task', name: 'previous', type: 'text' }],
  create: {
    sqlite: [...common('text'), ...task('integer primary key autoincrement', 'text'), ...token('text')],
    postgres: [
      ...common('timestamptz(3)'),
      ...task('bigint generated always as identity primary key', 'timestamptz(3)'),
      ...token('timestamptz(3)'),
    ],
  },
}
