// The operator's view of reactions and dead letters.

import type { Dialect } from '../store/sql/text/dialect.ts'
import { bind, command, type Program, query } from '../store/store.ts'

export interface ReactionState {
  readonly name: string
  /** Null if only tasks of it remain. */
  readonly seenAt: Date | null
  readonly waiting: number
  readonly running: number
  readonly deadLetters: number
  /** Moves that their own rules refuse for now. */
  readonly refused: number
  /** Null if unknown, as for reactions. */
  readonly doneAt: Date | null
}
/** A reaction that failed all its attempts. */
export interface DeadLetter {
  readonly number: string
  readonly reaction: string
  readonly eventId: string
  readonly recordId: string
  readonly at: Date
  readonly diedAt: Date
  /** 0: a move that was refused. */
  readonly attempts: number
  readonly error: string
}
/** One dead letter by number, or all of one or every reaction. */
export interface DeadLetterChoice {
  readonly number: string | null
  readonly reaction: string | null
}

export type ReactionAdmin = ReturnType<typeof createReactionAdmin>

export function createReactionAdmin(dialect: Dialect) {
  const sql = statements(dialect)
  const timestamp = (value: unknown) => dialect.decode(value as string, 'timestamp') as Date
  const which = ({ number, reaction }: DeadLetterChoice) => [number ?? '', reaction ?? ''] as const
  return {
    *states(): Program<readonly ReactionState[]> {
      const hasClock = (yield bind(sql.hasClock)).length > 0
      const rows = yield bind(hasClock ? sql.clockStates : sql.states)
      return rows.map(([name, seenAt, waiting, running, deadLetters, refused, doneAt]) => ({
        name: name as string,
        seenAt: seenAt === null ? null : timestamp(seenAt),
        waiting: Number(waiting),
        running: Number(running),
        deadLetters: Number(deadLetters),
        refused: Number(refused),
        doneAt: doneAt == null ? null : timestamp(doneAt),
      }))
    },
    /** Latest first. */
    *deadLetters(reaction: string | null, count: number): Program<readonly DeadLetter[]> {
      const rows = yield bind(sql.dead, '', reaction ?? '', count)
      return rows.map(([number, name, eventId, recordId, at, diedAt, attempts, error]) => ({
        number: String(number),
        reaction: name as string,
        eventId: eventId as string,
        recordId: recordId as string,
        at: timestamp(at),
        diedAt: timestamp(diedAt),
        attempts: Number(attempts),
        error: error as string,
      }))
    },
    /** Makes them due now with all attempts; returns how many. */
    *replay(choice: DeadLetterChoice, now: Date): Program<number> {
      return (yield bind(sql.replay, ...which(choice), dialect.encode(now, 'timestamp'))).length
    },
    *discard(choice: DeadLetterChoice): Program<number> {
      return (yield bind(sql.discard, ...which(choice))).length
    },
    /** Includes its tasks. */
    *forget(reaction: string): Program<number> {
      yield bind(sql.unregister, reaction)
      yield bind(sql.eraseTokens, reaction)
      return (yield bind(sql.forget, reaction)).length
    },
  }
}

function statements({ parameter: p, engine }: Dialect) {
  const where =
    'where died_at is not null ' +
    `and (${p(1)} = '' or cast(number as text) = ${p(1)}) and (${p(2)} = '' or reaction = ${p(2)})`
  const count = (test: string) => `count(case when ${test} then 1 end)`
  const states = (doneAt: string, more: string, join: string) =>
    query(
      `select names.name, min(r.seen_at), ${count('t.due_at is not null and t.holder is null')}, ` +
        `${count('t.holder is not null')}, ${count('t.died_at is not null and t.attempts > 0')}, ` +
        `${count('t.died_at is not null and t.attempts = 0')}, ${doneAt} ` +
        `from (select name from duet_reaction union select reaction from duet_reaction_task${more}) names ` +
        'left join duet_reaction r on r.name = names.name left join duet_reaction_task t on t.reaction = names.name ' +
        `${join}group by names.name order by names.name`,
    )
  return {
    states: states('null', '', ''),
    hasClock: query(
      engine === 'sqlite'
        ? `select 1 from sqlite_schema where name = 'duet_clock'`
        : `select 1 where to_regclass('duet_clock') is not null`,
    ),
    clockStates: states(
      'min(c.done_at)',
      ' union select name from duet_clock',
      'left join duet_clock c on c.name = names.name ',
    ),
    dead: query(
      'select number, reaction, event_id, record_id, at, died_at, attempts, error from duet_reaction_task ' +
        `${where} order by died_at desc, number desc limit ${p(3)}`,
    ),
    replay: query(
      `update duet_reaction_task set due_at = ${p(3)}, attempts = 0, died_at = null, error = null ${where} returning number`,
    ),
    discard: query(`delete from duet_reaction_task ${where} returning number`),
    unregister: query(`delete from duet_reaction where name = ${p(1)} returning name`),
    eraseTokens: command(`delete from duet_reaction_token where reaction = ${p(1)}`),
    forget: query(`delete from duet_reaction_task where reaction = ${p(1)} returning number`),
  }
}
