// What the rest of Duet knows of a database: programs of statements, run as one read or as one transaction.
// A program is a generator that yields bound statements and is handed their rows. SQLite runs it without ever
// leaving the current turn of the event loop, PostgreSQL awaits its statements: one code path for both.

import type { Deadline } from '../budget/deadline.ts'

export type Value = string | number | null | boolean | bigint | Uint8Array
/**
 * One row, its values in the order of the statement's columns. Reads that were batched share rows: nobody writes into one.
 */
export type StoredRow = readonly Value[]

/** What a list looks at: the rows of a page, those that match what it asks, or all that there are. */
export type Reach = 'page' | 'matches' | 'walk'

/** SQL text made once. Adapters prepare it once per connection; identity matters, so keep it and reuse it. */
export interface Statement {
  readonly sql: string
  /** False for statements that answer no rows. */
  readonly answers: boolean
  /** Null where executions of it cannot be combined. */
  readonly batching: Batching | null
  /** How many rows it may have to look at, where that is more than a page of an index. On SQLite it asks of each whether to go on. */
  readonly reach?: Reach
  /** True where the first row that it answers is to hold the names of its columns. As a read it may write nothing. */
  readonly namesColumns?: boolean
}
export const query = (sql: string, batching: Batching | null = null): Statement => ({ sql, answers: true, batching })
export const command = (sql: string, batching: Batching | null = null): Statement => ({ sql, answers: false, batching })

/** How executions of one statement, or of those of one kind, with different values are combined into one. Adapters may; the answers are the same. */
export interface Batching {
  /** What executions of several statements share that can be combined with each other; absent where only those of one can. */
  readonly kind?: string
  /** Whether some values take much longer than others; it has a kind then. */
  readonly isUneven?: boolean
  /** Only executions with equal keys can be combined. */
  readonly key: (values: readonly Value[]) => readonly Value[]
  /** How many of so many executions can be combined at once; at least one. */
  readonly maxSize: (count: number) => number
  readonly combine: (all: readonly (readonly Value[])[]) => Bound
  /** The rows of each execution. */
  readonly split: (rows: readonly StoredRow[], all: readonly (readonly Value[])[]) => readonly (readonly StoredRow[])[]
}

export interface Bound {
  readonly statement: Statement
  readonly values: readonly Value[]
  /** Counts what is read; absent where it cannot be too much. Such a statement is never combined with others. */
  readonly counter?: ReadCounter
}
export interface ReadCounter {
  /** So many more characters were read; fewer where they are given up and read again. What it throws ends the statement. */
  addRead(chars: number): void
}
export const bind = (statement: Statement, ...values: readonly Value[]): Bound => ({ statement, values })
/** A program of one statement. */
export function* rowsOf(statement: Statement, ...values: readonly Value[]): Program<readonly StoredRow[]> {
  return yield bind(statement, ...values)
}

/** Runs further programs inside the transaction that is open. */
export type Run = <T>(program: Program<T>) => Promise<T>
/**
 * Asynchronous work inside a transaction, for `exclusive` writes only. The programs that it runs are executed one after
 * the other; a failure of one rolls the whole write back, even where the work goes on.
 */
export interface AsyncStep {
  readonly run: (run: Run) => Promise<void>
}
/** What a program yields. */
export type Step = Bound | AsyncStep
/**
 * `yield` a bound statement to get its rows. Failures thrown inside roll the whole program back. A statement that fails
 * throws at its `yield`, so that a program can say why in its own words; it cannot run another one after that.
 */
export type Program<T> = Generator<Step, T, readonly StoredRow[]>

export type Engine = 'sqlite' | 'postgres'

export interface Store {
  readonly engine: Engine
  /**
   * Runs a program that only reads. Sees committed data only. Where a deadline is given, no statement begins after its
   * end, and PostgreSQL gives up the one that runs. Fails with SERVICE_UNAVAILABLE.
   */
  read<T>(program: Program<T>, deadline?: Deadline): Promise<T>
  /**
   * Runs a program as one transaction: all of it is committed when the promise resolves, or nothing is.
   * It is handed a maker because a transaction that lost a race is run again from the start.
   * Fails with SERVICE_UNAVAILABLE, and throws UniqueViolation and ReferenceViolation.
   */
  write<T>(program: () => Program<T>, options?: WriteOptions): Promise<T>
  /** Resolves when the database answers, with what it can do; rejects with the reason otherwise. */
  ping(): Promise<Ability>
  close(): Promise<void>
  /** Counts since the start, for metrics and for tests that promise how much a request costs. */
  readonly counts: StoreCounts
  /** Writes that wait for their turn, or for a connection. */
  readonly waiting: number
}
/**
 * A database that takes no writes, for it is read-only or has no room left, can still be read; one whose file is gone has
 * nothing to come back to, and of one that is damaged nobody knows what cannot be read.
 */
export type Ability = 'ok' | 'read-only' | 'full' | 'gone' | 'damaged'
export interface WriteOptions {
  /** The program yields asynchronous steps, so nothing else may be written meanwhile where the engine needs that. */
  readonly exclusive?: boolean
  /** Nothing begins after its end. What has begun is finished, whoever waits, or rolled back when it expires. */
  readonly deadline?: Deadline | undefined
  /**
   * The program may share a transaction with others, its statements interleaved with theirs, and be run again in a transaction
   * of its own: beside `changes` it only adds records, to which nobody else refers yet.
   */
  readonly shareable?: boolean
  /** The ids of records that a shareable program changes: no other that changes or reads one shares its transaction. */
  readonly changes?: readonly string[]
  /** The ids of others that what it does to these depends on. */
  readonly reads?: readonly string[]
  /** For migrations at start: waits for locks and statements as long as they take. */
  readonly withoutTimeout?: boolean
}
export interface StoreCounts {
  /** Statements of programs; what opens and ends transactions is not counted. */
  statements: number
  /** Rows that those statements answered. */
  rows: number
  /** Commits. Writes that share one count once. */
  transactions: number
}
export interface StoreLog {
  warn(sentence: string): void
  /** What somebody has to mend by hand. */
  error(sentence: string): void
}

/** A violated unique index, such as `users_email_key`. Thrown by adapters, made a CONFLICT by the runner. */
export class UniqueViolation extends Error {
  readonly index: string
  constructor(index: string) {
    super(`The unique index ${index} has this value already.`)
    this.index = index
  }
}
/** A relation to a record that was never there. `constraint` is null on SQLite, which does not say which it was. */
export class ReferenceViolation extends Error {
  readonly constraint: string | null
  constructor(constraint: string | null) {
    super(constraint === null ? 'A relation leads nowhere.' : `A relation leads nowhere: ${constraint}.`)
    this.constraint = constraint
  }
}
