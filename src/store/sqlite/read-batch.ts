// Runs the SQLite reads of one event-loop turn in one transaction; each fails alone. Without it, a record by id takes a third
// longer, one by GraphQL twice as long.

import { type Deadline, requireWaiting } from '../../budget/deadline.ts'
import { asBound, failProgram } from '../program.ts'
import { SlowStatements } from '../slow-statements.ts'
import { type Bound, command, type Program, type Step, type StoredRow } from '../store.ts'
import { meaningOf, type SqliteConnection } from './connection.ts'
import type { SqliteDamage } from './damage.ts'
import { NoThread, type QuestionThread } from './question-thread.ts'

export interface ReadBatchOptions {
  readonly open: () => SqliteConnection
  /** False if reads share the connection of writes. */
  readonly isApart: boolean
  readonly blocked: () => Promise<void> | null
  readonly damage: SqliteDamage | null
  readonly thread: QuestionThread | null
  /** False: each read runs at once, in its own transaction. */
  readonly isBatching: boolean
  /** After this, a statement moves to the thread, and a batch leaves its remaining reads to the next. */
  readonly blockingMs: number
}

export const takesLong = new Error('The statement takes long.')

interface QueuedRead {
  readonly program: Program<unknown>
  /** The rows to continue with, or the statement that it waits for. */
  next: readonly StoredRow[] | Bound
  /** Ended and started again once: on a busy machine, a fast one may look slow. */
  ended: Bound | null
  readonly deadline: Deadline | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

const noRows: readonly StoredRow[] = []
const begin = command('begin')
const commit = command('commit')
const rollback = command('rollback')

/** With more, their data has left the processor's caches before they are answered. */
const batchSizeMax = 32
/** Slower reads run at once: waiting requests cost garbage collection. */
const batchReadMs = 0.1

export class ReadBatch {
  readonly #options: ReadBatchOptions
  readonly #slow: SlowStatements
  #connection: SqliteConnection
  /** A new array for each batch: an old one would keep answered requests from the garbage collector. */
  #queue: QueuedRead[] = []
  #averageMs = 0
  #elsewhere = 0

  constructor(options: ReadBatchOptions) {
    this.#options = options
    this.#slow = new SlowStatements(options.blockingMs)
    this.#connection = options.open()
  }

  get waiting(): number {
    return this.#queue.length + this.#elsewhere
  }

  read<T>(program: Program<T>, deadline: Deadline | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#add({ program, next: noRows, ended: null, deadline, resolve: resolve as (value: unknown) => void, reject })
    })
  }

  #add(read: QueuedRead): void {
    this.#queue.push(read)
    if (!this.#options.isBatching || this.#averageMs > batchReadMs) this.#runBatch()
    else if (this.#queue.length === 1) this.#schedule()
  }

  close(): void {
    if (this.#options.isApart) this.#connection.close()
  }

  /** After this turn of the event loop, so that the batch has all its reads. */
  #schedule(): void {
    setImmediate(() => this.#runBatch())
  }

  /** Opening a transaction takes longer than finding a record. The next batch sees what other processes commit meanwhile. */
  #runBatch(): void {
    const blocked = this.#options.blocked()
    if (blocked !== null) return void blocked.then(() => this.#schedule())
    const batch = this.#queue.slice(0, batchSizeMax)
    this.#queue = this.#queue.slice(batchSizeMax)
    if (this.#queue.length > 0) this.#schedule()
    if (batch.length === 0) return
    const start = performance.now()
    try {
      if (this.#options.isApart) this.#connection.control(begin)
    } catch (error) {
      for (const { reject } of batch) reject(meaningOf(error))
      return
    }
    for (const [at, read] of batch.entries()) {
      if (at > 0 && performance.now() - start > this.#options.blockingMs) {
        this.#queue.unshift(...batch.splice(at))
        this.#schedule()
        break
      }
      // A failure belongs to one program.
      try {
        const bound = this.#advance(read)
        if (bound !== null) void this.#hand(read, bound)
      } catch (error) {
        read.reject(error)
      }
    }
    this.#averageMs += ((performance.now() - start) / batch.length - this.#averageMs) / 8
    if (this.#options.isApart) this.#end()
  }

  /** Returns the statement to run on the thread, if any. An ended statement starts again in the next batch. */
  #advance(read: QueuedRead): Bound | null {
    const { program, next, deadline, resolve } = read
    let step: IteratorResult<Step, unknown> = 'statement' in next ? { done: false, value: next } : program.next(next)
    while (step.done !== true) {
      const bound = asBound(step.value)
      if (this.#takesLong(bound) && this.#options.thread?.isThere === true) return bound
      let rows: readonly StoredRow[]
      // The program may replace the error of a failed statement.
      try {
        if (deadline !== undefined) requireWaiting(deadline)
        rows = this.#execute(bound)
      } catch (error) {
        if (error === takesLong) {
          this.#slow.end(bound.statement)
          if (read.ended === bound) return bound
          read.next = bound
          read.ended = bound
          this.#queue.push(read)
          this.#schedule()
          return null
        }
        throw failProgram(program, error)
      }
      step = program.next(rows)
    }
    resolve(step.value)
    return null
  }

  #takesLong({ statement }: Bound): boolean {
    return statement.scanSize === 'walk' || (statement.scanSize !== undefined && this.#slow.isSlow(statement))
  }

  async #hand(read: QueuedRead, bound: Bound): Promise<void> {
    this.#elsewhere++
    try {
      read.next = await this.#options.thread!.run(bound, read.deadline, (ms) => this.#slow.add(bound.statement, ms))
    } catch (error) {
      if (!(error instanceof NoThread)) {
        this.#options.damage?.note(error, bound, false)
        read.reject(failProgram(read.program, error))
        return
      }
      read.next = bound
    } finally {
      this.#elsewhere--
    }
    this.#add(read)
  }

  #execute(bound: Bound): readonly StoredRow[] {
    if (bound.statement.namesColumns === true && this.#connection.writes(bound.statement))
      throw new Error('A statement that reads would write.')
    const startMs = bound.statement.scanSize === undefined ? null : performance.now()
    try {
      const rows = this.#connection.execute(bound)
      // An index of words is not watched.
      if (startMs !== null) this.#note(bound, performance.now() - startMs)
      return rows
    } catch (error) {
      this.#options.damage?.note(error, bound, false)
      throw error
    }
  }

  #note({ statement }: Bound, ms: number): void {
    if (ms > this.#options.blockingMs) this.#slow.end(statement)
    else this.#slow.add(statement, ms)
  }

  /**
   * Must not throw, which would end the process. After an unreadable page, SQLite may refuse to commit or have ended the
   * transaction.
   */
  #end(): void {
    for (const statement of [commit, rollback]) {
      if (!this.#connection.inTransaction) return
      try {
        this.#connection.control(statement)
      } catch {}
    }
    if (this.#connection.inTransaction) this.reopen()
  }

  reopen(): void {
    if (!this.#options.isApart) return
    try {
      const connection = this.#options.open()
      this.#connection.close()
      this.#connection = connection
    } catch {}
  }
}
