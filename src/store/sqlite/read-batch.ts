// Batches of reads of SQLite: those of one event-loop turn run back to back in one transaction, and each fails alone.
// Without batches: the same answers, and a record by id takes a third longer, one by GraphQL twice as long.

import { type Deadline, requireWaiting } from '../../budget/deadline.ts'
import { asBound, failProgram } from '../program.ts'
import { type Bound, command, type Program, type Step, type StoredRow } from '../store.ts'
import { meaningOf, type SqliteConnection } from './connection.ts'
import type { SqliteDamage } from './damage.ts'
import { NoThread, type QuestionThread } from './question-thread.ts'

export interface ReadBatchOptions {
  /** Opens the connection that reads, and another one where nothing can be done with it any more. */
  readonly open: () => SqliteConnection
  /** False where the connection is also the one that writes, for another would not see the same database. */
  readonly isApart: boolean
  /** What a batch has to wait for; null where it need not wait. */
  readonly blocked: () => Promise<void> | null
  /** Remembers what could not be read; null for a database in memory. */
  readonly damage: SqliteDamage | null
  /** Runs statements that may take long; null where none can. */
  readonly thread: QuestionThread | null
  /** False for every read at once, in a transaction of its own. */
  readonly isBatching: boolean
}

/** What a statement fails with that is run again on the thread. */
export const takesLong = new Error('The statement takes long.')

interface QueuedRead {
  readonly program: Program<unknown>
  /** What the program is handed when it goes on, or the statement that it waits for. */
  next: readonly StoredRow[] | Bound
  readonly deadline: Deadline | undefined
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

const noRows: readonly StoredRow[] = []
const begin = command('begin')
const commit = command('commit')
const rollback = command('rollback')

/** Reads of one batch, before any of them is answered. Beyond these, what was read has left the processor's caches by then. */
const batchSizeMax = 32
/** Above this average a read runs at once: the memory of requests that wait is what garbage collection has to copy. */
const batchReadMs = 0.1

export class ReadBatch {
  readonly #options: ReadBatchOptions
  #connection: SqliteConnection
  /** Non-empty implies that a batch is scheduled. */
  readonly #queue: QueuedRead[] = []
  /** Moving average of how long a read takes. */
  #averageMs = 0
  /** Reads with a statement on the thread. */
  #elsewhere = 0

  constructor(options: ReadBatchOptions) {
    this.#options = options
    this.#connection = options.open()
  }

  get waiting(): number {
    return this.#queue.length + this.#elsewhere
  }

  read<T>(program: Program<T>, deadline: Deadline | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#add({ program, next: noRows, deadline, resolve: resolve as (value: unknown) => void, reject })
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

  /** Begins after this turn of the event loop, so that all reads of the turn are in the batch. */
  #schedule(): void {
    setImmediate(() => this.#runBatch())
  }

  /**
   * One transaction for all of them, because to begin and end one takes longer than to find a record. What another process
   * commits meanwhile is seen by the next batch.
   */
  #runBatch(): void {
    const blocked = this.#options.blocked()
    if (blocked !== null) return void blocked.then(() => this.#schedule())
    const batch = this.#queue.splice(0, batchSizeMax)
    if (this.#queue.length > 0) this.#schedule()
    if (batch.length === 0) return
    const start = performance.now()
    try {
      if (this.#options.isApart) this.#connection.control(begin)
    } catch (error) {
      for (const { reject } of batch) reject(meaningOf(error))
      return
    }
    for (const read of batch) {
      // A failure belongs to one program and leaves the others alone.
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

  /** Runs a program to its end, or to the statement that it answers: one to run elsewhere. */
  #advance({ program, next, deadline, resolve }: QueuedRead): Bound | null {
    let step: IteratorResult<Step, unknown> = 'statement' in next ? { done: false, value: next } : program.next(next)
    while (step.done !== true) {
      const bound = asBound(step.value)
      if (bound.statement.reach === 'walk' && this.#options.thread?.isThere === true) return bound
      let rows: readonly StoredRow[]
      // A failed statement ends the program, which may say why in its own words.
      try {
        if (deadline !== undefined) requireWaiting(deadline)
        rows = this.#execute(bound)
      } catch (error) {
        if (error === takesLong) return bound
        throw failProgram(program, error)
      }
      step = program.next(rows)
    }
    resolve(step.value)
    return null
  }

  /** Runs a statement on the thread; then the program goes on in another batch. */
  async #hand(read: QueuedRead, bound: Bound): Promise<void> {
    this.#elsewhere++
    try {
      read.next = await this.#options.thread!.run(bound, read.deadline)
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
    try {
      return this.#connection.execute(bound)
    } catch (error) {
      this.#options.damage?.note(error, bound, false)
      throw error
    }
  }

  /**
   * Never throws: all have been answered, and an exception here would end the process. Where a page could not be read,
   * SQLite may refuse to commit, or have ended the transaction by itself.
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

  /** Replaces the connection by another one, whose cache is empty. */
  reopen(): void {
    if (!this.#options.isApart) return
    // Where no other can be opened now, this one stays in use.
    try {
      const connection = this.#options.open()
      this.#connection.close()
      this.#connection = connection
    } catch {}
  }
}
