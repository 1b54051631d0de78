// What the database keeps of reactions: which there are, how far events were handed to them, and what is still to do.

const common = (moment: string): readonly string[] => [
  `create table if not exists duet_reaction (name text primary key, event text not null, seen_at ${moment} not null)`,
  // One row. What an event's position is, the outbox knows; here its two numbers are only compared.
  'create table if not exists duet_reaction_position (only_row integer primary key, after_transaction text not null, after_number text not null)',
]

/**
 * `due_at` is when to begin, or, while somebody holds it, when to begin again unless it has ended; null once it was given
 * up. It holds all of the event, which the outbox forgets.
 */
const task = (number: string, moment: string): readonly string[] => [
  `create table if not exists duet_reaction_task (number ${number}, reaction text not null, event_id text not null, ` +
    `resource text not null, record_id text not null, by_id text, at ${moment} not null, ` +
    `attempts integer not null default 0, due_at ${moment}, holder text, died_at ${moment}, error text, previous text)`,
  'create index if not exists duet_reaction_task_due on duet_reaction_task (due_at, number) where due_at is not null',
  'create index if not exists duet_reaction_task_dead on duet_reaction_task (died_at, number) where died_at is not null',
]

/** The tokens that a reaction is handed, encrypted: a record is made once, so a reaction is handed them once. */
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
