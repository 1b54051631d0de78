// The queue of writes to a SQLite database. Writes of one event-loop turn share a commit and its flush; an exclusive one runs
// alone, since only it may await between BEGIN and COMMIT.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { requireTime, requireWaiting } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import type { Limits } from '../../limits.ts'
import { runExclusive, unavailable } from '../program.ts'
import type { Bound, Program, WriteOptions } from '../store.ts'
import type { WriteOutage } from '../write-outage.ts'
import { isBusy, meaningOf } from './connection.ts'
import type { SqliteWriter } from './writer.ts'

export interface WriteQueueOptions {
  readonly limits: Pick<Limits, 'writesPerCommit' | 'writesWaiting' | 'effectTimeoutMs' | 'statementTimeoutMs'>
  readonly writer: SqliteWriter
  readonly outage: WriteOutage
  readonly sharesCommits: boolean
}

interface QueuedWrite {
  readonly program: () => Program<unknown>
  readonly options: WriteOptions
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

const retryMs = 10

/** How long a write of many statements may block the event loop. */
const turnMs = 10

export class WriteQueue {
  readonly #options: WriteQueueOptions
  readonly #groupSizeMax: number
  readonly #queue: QueuedWrite[] = []
  #isScheduled = false
  #busyMs = 0
  #exclusive: Promise<void> | null = null

  constructor(options: WriteQueueOptions) {
    this.#options = options
    this.#groupSizeMax = options.sharesCommits ? options.limits.writesPerCommit : 1
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** Null without one. */
  get exclusive(): Promise<void> | null {
    return this.#exclusive
  }

  write<T>(program: () => Program<T>, options: WriteOptions): Promise<T> {
    if (this.#queue.length >= this.#options.limits.writesWaiting) {
      return Promise.reject(unavailable(new Error('Too many writes are waiting.')))
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ program, options, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  /** After this turn, so that its writes share a commit. */
  #schedule(afterMs = 0): void {
    if (this.#isScheduled || this.#exclusive !== null) return
    this.#isScheduled = true
    const start = () => {
      this.#isScheduled = false
      this.#next()
    }
    if (afterMs > 0) setTimeout(start, afterMs)
    else setImmediate(start)
  }

  #next(): void {
    if (this.#queue.length === 0 || !this.#begin()) return
    if (this.#queue[0]!.options.exclusive) {
      this.#exclusive = this.#runExclusive(this.#queue.shift()!).finally(() => {
        this.#exclusive = null
        this.#schedule()
      })
      return
    }
    const end = this.#queue.findIndex((each) => each.options.exclusive)
    this.#runGroup(this.#queue.splice(0, end === -1 ? this.#groupSizeMax : Math.min(end, this.#groupSizeMax)))
    if (this.#queue.length > 0) this.#schedule()
  }

  /** False if it must wait, or failed and rejected all waiting writes. */
  #begin(): boolean {
    const { writer, outage, limits } = this.#options
    // A transaction that could not be rolled back is still open.
    writer.abandon()
    try {
      // A missing file may be back. A new loss is found after the commit.
      if (outage.obstacle === 'gone') writer.requireFile()
      writer.begin()
      this.#busyMs = 0
      return true
    } catch (error) {
      // Waiting in the driver would block this process.
      const mayWait = this.#busyMs < limits.statementTimeoutMs || this.#queue[0]!.options.withoutTimeout
      if (isBusy(error) && mayWait) {
        this.#busyMs += retryMs
        this.#schedule(retryMs)
        return false
      }
      this.#busyMs = 0
      const reason = writer.inTransaction ? unavailable(error) : meaningOf(error)
      outage.note(reason)
      for (const { reject } of this.#queue.splice(0)) reject(reason)
      return false
    }
  }

  /** Commits once; no write is answered before. */
  #runGroup(group: readonly QueuedWrite[]): void {
    const { writer, outage } = this.#options
    const answers: (() => void)[] = []
    const { changes } = writer
    try {
      for (const { program, options, resolve, reject } of group) {
        // A failure belongs to one program.
        try {
          requireWaiting(options.deadline)
          const value = writer.runInSavepoint(program(), options.deadline)
          answers.push(() => resolve(value))
        } catch (error) {
          // Some errors, such as a full disk, roll back the whole transaction.
          if (!writer.inTransaction) throw error
          outage.note(error)
          answers.push(() => reject(error))
        }
      }
      writer.commit()
      if (writer.changes > changes) outage.end()
    } catch (error) {
      writer.abandon()
      const reason = error instanceof Failure ? error : unavailable(error)
      outage.note(reason)
      for (const { reject } of group) reject(reason)
      return
    }
    for (const answer of answers) answer()
  }

  async #runExclusive({ program, options, resolve, reject }: QueuedWrite): Promise<void> {
    const { writer, outage, limits } = this.#options
    try {
      requireWaiting(options.deadline)
      let pauseAt = performance.now() + turnMs
      const execute = (bound: Bound) => {
        requireTime(options.deadline)
        const rows = writer.execute(bound)
        if (performance.now() < pauseAt) return rows
        return nextTurn().then(() => {
          pauseAt = performance.now() + turnMs
          return rows
        })
      }
      const value = await runExclusive(program(), execute, limits.effectTimeoutMs)
      writer.commit()
      resolve(value)
    } catch (error) {
      writer.abandon()
      outage.note(error)
      reject(error)
    }
  }
}
