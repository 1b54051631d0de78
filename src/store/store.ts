// The interface of databases: programs of statements, run as one read or one transaction. SQLite runs a program within one
// event-loop turn, PostgreSQL awaits its statements.

import type { Deadline } from '../budget/deadline.ts'

export type Value = string | number | null | boolean | bigint | Uint8Array
/** In the order of the columns. Shared by batched reads, so never changed. */
export type StoredRow = readonly Value[]

/** The rows that a list scans: a page, all matching ones, or all. */
export type ScanSize = 'page' | 'matches' | 'walk'

/** Adapters prepare it once per connection, by identity: keep and reuse it. */
export interface Statement {
  readonly sql: string
  readonly answers: boolean
  /** Null if executions cannot be combined. */
  readonly batching: Batching | null
  /** Set if it may scan more than a page of an index; SQLite then checks its time limit per row. */
  readonly scanSize?: ScanSize
  /** The first row holds the names of the columns. As a read, it may write nothing. */
  readonly namesColumns?: boolean
}
export const query = (sql: string, batching: Batching | null = null): Statement => ({ sql, answers: true, batching })
export const command = (sql: string, batching: Batching | null = null): Statement => ({ sql, answers: false, batching })

/** How several executions combine into one, with the same answers. */
export interface Batching {
  /** Statements of equal kind can be combined; absent: only the same statement. */
  readonly kind?: string
  readonly key: (values: readonly Value[]) => readonly Value[]
  /** The most executions combined at once; at least one. */
  readonly maxSize: (count: number) => number
  readonly combine: (all: readonly (readonly Value[])[]) => Bound
  readonly split: (rows: readonly StoredRow[], all: readonly (readonly Value[])[]) => readonly (readonly StoredRow[])[]
}

export interface Bound {
  readonly statement: Statement
  readonly values: readonly Value[]
  /** Limits the characters read. Such a statement is never combined. */
  readonly counter?: ReadCounter
}
export interface ReadCounter {
  readonly readableChars: number
  /** Adds characters read (negative on retry). Throwing ends the statement. */
  addRead(chars: number): void
}
export const bind = (statement: Statement, ...values: readonly Value[]): Bound => ({ statement, values })
export function* rowsOf(statement: Statement, ...values: readonly Value[]): Program<readonly StoredRow[]> {
  return yield bind(statement, ...values)
}

export type Run = <T>(program: Program<T>) => Promise<T>
/**
 * Asynchronous work inside a transaction, for `exclusive` writes only. Its programs run one after the other; a failure of one
 * rolls back the write. Inner work must not wait for programs of the outer.
 */
export interface AsyncStep {
  readonly run: (run: Run) => Promise<void>
}
export type Step = Bound | AsyncStep
/**
 * `yield` a bound statement to get its rows. A failing statement throws there; the program may replace the error, but not run
 * another statement. A failure rolls everything back.
 */
export type Program<T> = Generator<Step, T, readonly StoredRow[]>

export type Engine = 'sqlite' | 'postgres'

export interface Store {
  readonly engine: Engine
  /**
   * Runs a program on committed data. After the deadline no statement begins, and PostgreSQL cancels the running one. Fails
   * with SERVICE_UNAVAILABLE.
   */
  read<T>(program: Program<T>, deadline?: Deadline): Promise<T>
  /**
   * Runs a program as one transaction, again after a lost race. Fails with SERVICE_UNAVAILABLE, and throws UniqueViolation and
   * ReferenceViolation.
   */
  write<T>(program: () => Program<T>, options?: WriteOptions): Promise<T>
  /** Runs a statement that PostgreSQL takes outside of transactions only, without time limits. `signal` ends it. */
  runAlone(statement: string, signal?: AbortSignal): Promise<void>
  /** Rejects if the database does not answer. */
  ping(): Promise<Ability>
  close(): Promise<void>
  /** Since the start, for metrics and tests. */
  readonly counts: StoreCounts
  /** Waiting writes. */
  readonly waiting: number
}
/** The store with other ways to run programs. */
export const withRuns = (store: Store, { read, write }: Pick<Store, 'read' | 'write'>): Store => ({
  engine: store.engine,
  counts: store.counts,
  get waiting() {
    return store.waiting
  },
  read,
  write,
  runAlone: (...statement) => store.runAlone(...statement),
  ping: () => store.ping(),
  close: () => store.close(),
})
/**
 * A database that takes no writes can be read; a file that is `gone` cannot come back, and of a damaged one any part may be
 * unreadable.
 */
export type Ability = 'ok' | 'read-only' | 'full' | 'gone' | 'damaged'
export interface WriteOptions {
  readonly exclusive?: boolean
  /** No statement begins after it. What has begun ends, or is rolled back. */
  readonly deadline?: Deadline | undefined
  /**
   * The program may share a transaction with others, and be run again alone. Besides `changes`, it only adds records that
   * nothing refers to yet.
   */
  readonly shareable?: boolean
  /** Records that it changes. No program that changes or reads one of them shares its transaction. */
  readonly changes?: readonly string[]
  readonly reads?: readonly string[]
  /** For migrations at start: no time limits for locks and statements. */
  readonly withoutTimeout?: boolean
  /** On PostgreSQL, it fails with SERVICE_UNAVAILABLE if a lock takes longer. */
  readonly lockWaitMs?: number | undefined
}
export interface StoreCounts {
  /** Without those that open and end transactions. */
  statements: number
  rows: number
  /** A shared commit counts once. */
  transactions: number
}
export interface StoreLog {
  warn(sentence: string): void
  /** Requires an operator. */
  error(sentence: string): void
}

/** A violated unique index, such as `users_email_key`; the runner makes it a CONFLICT. */
export class UniqueViolation extends Error {
  readonly index: string
  constructor(index: string) {
    super(`The unique index ${index} has this value already.`)
    this.index = index
  }
}
/** A reference to a missing record. `constraint` is null on SQLite, which does not name it. */
export class ReferenceViolation extends Error {
  readonly constraint: string | null
  constructor(constraint: string | null) {
    super(constraint === null ? 'A relation leads nowhere.' : `A relation leads nowhere: ${constraint}.`)
    this.constraint = constraint
  }
}
