// Rows of timed moves and schedules, and the tasks that they make, as programs.

import type { Dialect } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../store/store.ts'

export interface ClockRow {
  readonly pattern: string
  readonly at: Date
  readonly isReady: boolean
}
export interface NewTask {
  readonly name: string
  readonly eventId: string
  readonly resource: string
  readonly recordId: string
  readonly at: Date
}

export type ClockRows = ReturnType<typeof createClockRows>

export function createClockRows(dialect: Dialect) {
  const sql = statements(dialect)
  const timestamp = (at: Date) => dialect.encode(at, 'timestamp')
  function* row(name: string): Program<ClockRow> {
    const [first] = yield bind(sql.row, name)
    const [pattern, at, isReady] = first!
    return {
      pattern: pattern as string,
      at: dialect.decode(at!, 'timestamp') as Date,
      isReady: Number(isReady) === 1,
    }
  }
  return {
    /** Locks it until the transaction ends. */
    row,

    /** Adds the row unless there is one, locks it until the transaction ends, and returns it. */
    *open(name: string, { pattern, at, isReady }: ClockRow): Program<ClockRow> {
      yield bind(sql.open, name, pattern, timestamp(at), Number(isReady))
      return yield* row(name)
    },

    /** The patterns of all, by name. */
    *patterns(): Program<ReadonlyMap<string, string>> {
      return new Map((yield bind(sql.patterns)).map(([name, pattern]) => [name as string, pattern as string]))
    },

    *write(name: string, { pattern, at, isReady }: ClockRow): Program<void> {
      yield bind(sql.write, pattern, timestamp(at), Number(isReady), name)
    },

    *done(name: string, now: Date): Program<void> {
      yield bind(sql.done, timestamp(now), name)
    },

    /** Tasks of this name that run, or that no attempt began yet. */
    *running(name: string): Program<number> {
      const [first] = yield bind(sql.running, name)
      return Number(first![0])
    },

    /** `failure`: an attempt failed already. It is due again at `dueAt`; null for one that was refused, which is due by an operator. */
    *add(task: NewTask, dueAt: Date | null, now: Date, failure: string | null): Program<void> {
      const { name, eventId, resource, recordId, at } = task
      const values = [name, eventId, resource, recordId, timestamp(at), failure === null || dueAt === null ? 0 : 1]
      yield bind(sql.add, ...values, dueAt && timestamp(dueAt), dueAt === null ? timestamp(now) : null, failure)
    },

    /** Deletes what waits, and what was refused or given up, of these records. */
    *settle(name: string, recordIds: readonly string[]): Program<void> {
      yield bind(sql.settle, name, dialect.keys(recordIds))
    },
  }
}

function statements({ engine, parameter: p, among }: Dialect) {
  return {
    open: command(
      `insert into duet_clock (name, pattern, at, is_ready) values (${p(1)}, ${p(2)}, ${p(3)}, ${p(4)}) ` +
        'on conflict (name) do nothing',
    ),
    row: query(
      `select pattern, at, is_ready from duet_clock where name = ${p(1)}${engine === 'postgres' ? ' for update' : ''}`,
    ),
    patterns: query('select name, pattern from duet_clock'),
    write: command(`update duet_clock set pattern = ${p(1)}, at = ${p(2)}, is_ready = ${p(3)} where name = ${p(4)}`),
    done: command(`update duet_clock set done_at = ${p(1)} where name = ${p(2)}`),
    running: query(
      `select count(*) from duet_reaction_task where reaction = ${p(1)} and due_at is not null ` +
        'and (holder is not null or attempts = 0)',
    ),
    add: command(
      'insert into duet_reaction_task (reaction, event_id, resource, record_id, at, attempts, due_at, died_at, error) ' +
        `values (${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(p).join(', ')})`,
    ),
    settle: command(
      `delete from duet_reaction_task where reaction = ${p(1)} and ${among('record_id', p(2))} and holder is null`,
    ),
  }
}
