// The table of what the clock does: a row per timed move and per schedule. Only services that have one get it.

const create = (moment: string): readonly string[] => [
  // `at`: for a move, since when there is one; for a schedule, the last tick that became a task or was left out.
  'create table if not exists duet_clock (name text primary key, pattern text not null, ' +
    `at ${moment} not null, is_ready integer not null, done_at ${moment})`,
  'create index if not exists duet_reaction_task_record on duet_reaction_task (reaction, record_id)',
]

export const clockTables = { create: { sqlite: create('text'), postgres: create('timestamptz(3)') } }
