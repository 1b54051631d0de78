// Runs slow statements on a thread, one at a time, so that they block no others. (contract 12.1.13)

import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { type Deadline, outOfTime, within } from '../../budget/deadline.ts'
import { Semaphore } from '../../concurrency/semaphore.ts'
import { ownModule } from '../../dependency/own-package.ts'
import type { Limits } from '../../limits.ts'
import type { Bound, StoreCounts, StoredRow, StoreLog } from '../store.ts'
import { meaningOf } from './connection.ts'
import type { Answer, Question, ThreadData } from './question-worker.ts'

export type QuestionLimits = Pick<Limits, 'questionsWaiting' | 'whereTimeoutMs'>

export interface QuestionThreadOptions {
  readonly limits: QuestionLimits
  readonly counts: StoreCounts
  /** Called once if there is no thread. */
  readonly log: Pick<StoreLog, 'warn'>
}

/** For example if a bundler omitted its file; the caller runs the statement itself. */
export class NoThread extends Error {}

export class QuestionThread {
  readonly #path: string
  readonly #options: QuestionThreadOptions
  readonly #turns: Semaphore
  readonly #end = new Int32Array(new SharedArrayBuffer(4))
  #worker: Worker | null = null
  #closed: Worker | null = null
  #isMissing = false

  constructor(path: string, options: QuestionThreadOptions) {
    this.#path = path
    this.#options = options
    this.#turns = new Semaphore(1, options.limits.questionsWaiting)
  }

  /** False once the thread could not be started. */
  get isThere(): boolean {
    return !this.#isMissing
  }

  /**
   * Fails as a statement, with SERVICE_UNAVAILABLE if too many wait, with the deadline's failure, and with NoThread. `note`
   * receives its own time.
   */
  async run(bound: Bound, deadline: Deadline | undefined, note: (ms: number) => void): Promise<readonly StoredRow[]> {
    const { limits, counts } = this.#options
    const time = within(limits.whereTimeoutMs, outOfTime, deadline)
    return await this.#turns.run(async () => {
      const late = time.ended()
      if (late !== null) throw late
      const startMs = performance.now()
      const rows = await this.#post(bound, time)
      note(performance.now() - startMs)
      counts.statements++
      counts.rows += rows.length
      return rows
    })
  }

  drained(): Promise<void> {
    return this.#turns.drained()
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    this.#closed = worker
    await worker?.terminate()
  }

  async #post({ statement, values, counter }: Bound, time: Deadline): Promise<readonly StoredRow[]> {
    const worker = this.#started()
    Atomics.store(this.#end, 0, 0)
    // The thread cannot poll a deadline.
    const sweep = setInterval(() => {
      if (time.ended() !== null) Atomics.store(this.#end, 0, 1)
    }, sweepMs)
    worker.ref()
    try {
      const charsMax = counter?.readableChars ?? null
      const answer = await this.#answerOf(worker, { sql: statement.sql, values, charsMax })
      if ('rows' in answer) {
        counter?.addRead(answer.chars)
        return answer.rows
      }
      if ('isTooMuch' in answer) {
        counter!.addRead(counter!.readableChars + 1)
        throw new Error('The counter of what is read ends nothing beyond its limit.')
      }
      if ('ended' in answer) throw time.ended() ?? outOfTime
      const { code, message } = answer.error
      throw code === null ? new Error(message) : meaningOf(new Database.SqliteError(message, code))
    } finally {
      clearInterval(sweep)
      worker.unref()
    }
  }

  #answerOf(worker: Worker, question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const lost = (cause?: unknown) => {
        // Closed on purpose: the next statement starts another.
        const isClosed = this.#closed === worker
        settle(() => reject(isClosed ? new NoThread(withoutThread) : this.#missing(cause)))
      }
      const settle = (done: () => void) => {
        worker.off('message', answer).off('error', lost).off('exit', lost)
        done()
      }
      const answer = (message: Answer) => settle(() => resolve(message))
      worker.on('message', answer).on('error', lost).on('exit', lost)
      worker.postMessage(question)
    })
  }

  #missing(cause: unknown): NoThread {
    if (!this.#isMissing) this.#options.log.warn(withoutThread)
    this.#isMissing = true
    return new NoThread(withoutThread, { cause })
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker
    const workerData: ThreadData = { path: this.#path, end: this.#end }
    try {
      const worker = new Worker(workerUrl, { workerData, name: 'duet questions' })
      worker.on('error', () => {})
      // Also between statements: the next starts another.
      worker.once('exit', () => {
        if (this.#worker === worker) this.#worker = null
      })
      this.#worker = worker
      return worker
    } catch (cause) {
      throw this.#missing(cause)
    }
  }
}

const withoutThread =
  'SQLite has no second thread: questions that no index serves hold up other requests for as long as they take, until the next start.'
/** How soon an abandoned statement ends. */
const sweepMs = 25
const workerUrl = ownModule('store/sqlite/question-worker')
