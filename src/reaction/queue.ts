// The queue of reactions, as programs: events become tasks, which are claimed, ended, retried or kept as dead letters. A claim
// lasts until `due_at`.

import type { Position } from '../event/outbox.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query, type Statement, type StoredRow, type Value } from '../store/store.ts'

export interface Task {
  readonly number: string
  readonly reaction: string
  readonly eventId: string
  readonly recordId: string
  readonly by: string | null
  readonly previous: string | null
  readonly at: Date
  readonly attempt: number
}
export interface Claim {
  readonly names: readonly string[]
  readonly count: number
  readonly holder: string
  readonly now: Date
  readonly until: (reaction: string) => Date
}

interface HandedEvents {
  readonly from: Position
  readonly to: Position
  readonly epoch: string
  readonly seenSince: Date
  readonly now: Date
}

export type Queue = ReturnType<typeof createQueue>

export function createQueue(dialect: Dialect) {
  const sql = statements(dialect)
  const timestamp = (at: Date) => dialect.encode(at, 'timestamp')
  const place = ({ transaction, number }: Position) => [String(transaction), String(number)] as const
  const range = (from: Position, to: Position) =>
    dialect.engine === 'sqlite' ? [String(from.number), String(to.number)] : [...place(from), ...place(to)]
  const toTask = ([number, reaction, eventId, recordId, by, at, attempts, previous]: StoredRow): Task => ({
    number: String(number),
    reaction: reaction as string,
    eventId: eventId as string,
    recordId: recordId as string,
    by: by as string | null,
    at: dialect.decode(at!, 'timestamp') as Date,
    attempt: Number(attempts) + 1,
    previous: previous as string | null,
  })

  const isHeld = function* (statement: Statement, ...values: readonly Value[]): Program<boolean> {
    return (yield bind(statement, ...values)).length > 0
  }

  return {
    /** Registers reactions by their names; later events reach them. */
    *register(reactions: ReadonlyMap<string, { readonly event: string }>, now: Date): Program<void> {
      for (const [name, { event }] of reactions) yield bind(sql.register, name, event, timestamp(now))
    },
    /** A task for each event after `from` up to `to`, and each reaction registered since `seenSince`. */
    *handOn({ from, to, epoch, seenSince, now }: HandedEvents): Program<void> {
      yield bind(sql.handOn, `${epoch}.`, timestamp(now), timestamp(seenSince), ...range(from, to))
    },
    /** Null if none is due. */
    *dueSince(names: readonly string[], now: Date): Program<Date | null> {
      const [row] = yield bind(sql.dueSince, timestamp(now), dialect.keys(names))
      return row === undefined ? null : (dialect.decode(row[0]!, 'timestamp') as Date)
    },
    /** Oldest first; skips rows locked by other instances. */
    *claim({ names, count, holder, now, until }: Claim): Program<readonly Task[]> {
      const rows = yield bind(sql.due, timestamp(now), dialect.keys(names), count)
      const tasks = rows.map(toTask)
      for (const { number, reaction } of tasks) yield bind(sql.hold, holder, timestamp(until(reaction)), number)
      return tasks
    },
    /** This and the next three return false if the holder has lost the task. */
    end: ({ number }: Task, holder: string) => isHeld(sql.end, number, holder),
    retry: ({ number }: Task, holder: string, dueAt: Date, error: string) =>
      isHeld(sql.retry, timestamp(dueAt), error, number, holder),
    release: ({ number }: Task, holder: string, now: Date) => isHeld(sql.release, timestamp(now), number, holder),
    /** With the task's number of attempts; 0 for one that is refused. */
    deadLetter: ({ number, attempt }: Task, holder: string, now: Date, error: string) =>
      isHeld(sql.deadLetter, timestamp(now), error, attempt, number, holder),
    *insertDeadLetter(task: Task, resource: string, now: Date, error: string): Program<void> {
      const { reaction, eventId, recordId, by, at, attempt, previous } = task
      const event = [eventId, resource, recordId, by, timestamp(at)]
      yield bind(sql.insertDeadLetter, reaction, ...event, attempt, timestamp(now), error, previous)
    },
    /** Up to `count`; returns how many. */
    *forgetDeadLetters(before: Date, count: number): Program<number> {
      return (yield bind(sql.forgetDeadLetters, timestamp(before), count)).length
    },
  }
}

function statements({ engine, parameter: p, among }: Dialect) {
  const isSqlite = engine === 'sqlite'
  const whereHeld = (number: number) => `where number = ${p(number)} and holder = ${p(number + 1)} returning number`
  const id = isSqlite ? `${p(1)} || '0.' || e.number` : `${p(1)} || e.transaction::text || '.' || e.number`
  const between = isSqlite
    ? `e.number > ${p(4)} and e.number <= ${p(5)}`
    : `(e.transaction, e.number) > (${p(4)}::text::xid8, ${p(5)}::bigint) and ` +
      `(e.transaction, e.number) <= (${p(6)}::text::xid8, ${p(7)}::bigint)`
  const order = isSqlite ? 'e.number' : 'e.transaction, e.number'
  const now = isSqlite ? p(2) : `${p(2)}::timestamptz`
  return {
    register: command(
      `insert into duet_reaction (name, event, seen_at) values (${p(1)}, ${p(2)}, ${p(3)}) ` +
        'on conflict (name) do update set event = excluded.event, seen_at = excluded.seen_at',
    ),
    handOn: command(
      'insert into duet_reaction_task (reaction, event_id, resource, record_id, by_id, at, due_at, previous) ' +
        `select r.name, ${id}, e.resource, e.record_id, e.by_id, e.at, ${now}, e.previous from duet_event e ` +
        `join duet_reaction r on r.event = e.name and r.seen_at > ${p(3)} where ${between} order by ${order}, r.name`,
    ),
    dueSince: query(
      'select due_at from duet_reaction_task ' +
        `where due_at <= ${p(1)} and ${among('reaction', p(2))} order by due_at, number limit 1`,
    ),
    due: query(
      'select number, reaction, event_id, record_id, by_id, at, attempts, previous from duet_reaction_task ' +
        `where due_at <= ${p(1)} and ${among('reaction', p(2))} order by due_at, number limit ${p(3)}` +
        (isSqlite ? '' : ' for update skip locked'),
    ),
    hold: command(
      `update duet_reaction_task set attempts = attempts + 1, holder = ${p(1)}, due_at = ${p(2)} where number = ${p(3)}`,
    ),
    end: query(`delete from duet_reaction_task ${whereHeld(1)}`),
    retry: query(`update duet_reaction_task set due_at = ${p(1)}, error = ${p(2)}, holder = null ${whereHeld(3)}`),
    deadLetter: query(
      `update duet_reaction_task set died_at = ${p(1)}, error = ${p(2)}, due_at = null, holder = null, attempts = ${p(3)} ${whereHeld(4)}`,
    ),
    insertDeadLetter: command(
      'insert into duet_reaction_task (reaction, event_id, resource, record_id, by_id, at, attempts, died_at, error, previous) ' +
        `values (${[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(p).join(', ')})`,
    ),
    release: query(
      `update duet_reaction_task set due_at = ${p(1)}, attempts = attempts - 1, holder = null ${whereHeld(2)}`,
    ),
    forgetDeadLetters: query(
      'delete from duet_reaction_task where number in (select number from duet_reaction_task ' +
        `where died_at < ${p(1)} order by died_at, number limit ${p(2)}) returning number`,
    ),
  }
}
