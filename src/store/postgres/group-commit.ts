// Writes that only add records share transactions: those of one turn of the event loop begin, go on and end together, and
// what they ask alike is asked as one. Where anything goes wrong, each is run again alone, and fails or succeeds by itself.

import { type Deadline, requireTime, requireWaiting } from '../../budget/deadline.ts'
import { Failure } from '../../failure/failure.ts'
import { asBound, failProgram } from '../program.ts'
import type { Bound, Program, Step, StoredRow } from '../store.ts'
import { isLockTimeout, type PostgresLimits, unavailable } from './connection.ts'
import { onlyReads, type Transaction } from './transaction.ts'

interface Write {
  readonly program: () => Program<unknown>
  readonly deadline: Deadline | undefined
  /** When it came, in milliseconds of `performance.now`. */
  readonly since: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export interface SharedWritesOptions {
  readonly limits: Pick<PostgresLimits, 'writesPerCommit' | 'writesWaiting' | 'writeWaitMs'>
  /** A transaction in which nobody waits long for a lock: one that is held would keep all of them waiting. */
  readonly begin: () => Transaction
  /** Told of what failed; answers whether its connection is of no more use. */
  readonly note: (error: unknown) => boolean
  /** Runs a write in a transaction of its own. */
  readonly alone: <T>(program: () => Program<T>, deadline: Deadline | undefined) => Promise<T>
}

/** While one of them waits for the database, the other is made. */
const mostAtOnce = 2

export class SharedWrites {
  readonly #options: SharedWritesOptions
  readonly #queue: Write[] = []
  #running = 0
  #isScheduled = false
  #patience: NodeJS.Timeout | null = null

  constructor(options: SharedWritesOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#queue.length
  }

  write<T>(program: () => Program<T>, deadline: Deadline | undefined): Promise<T> {
    if (this.#queue.length >= this.#options.limits.writesWaiting) {
      return Promise.reject(unavailable(new Error('Too many writes are waiting.')))
    }
    return new Promise<T>((resolve, reject) => {
      const since = performance.now()
      this.#queue.push({ program, deadline, since, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  /** Begins after this turn of the event loop, so that all that it brought can share a transaction. */
  #schedule(): void {
    if (this.#isScheduled) return
    if (this.#running === mostAtOnce) {
      const { writeWaitMs } = this.#options.limits
      this.#patience ??= setTimeout(() => this.#refuseLate(), writeWaitMs).unref()
      return
    }
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#next()
    })
  }

  #next(): void {
    const group = this.#queue.splice(0, this.#options.limits.writesPerCommit)
    if (group.length === 0) return
    this.#running++
    this.#run(group).finally(() => {
      this.#running--
      if (this.#queue.length > 0) this.#schedule()
    })
    if (this.#queue.length > 0) this.#schedule()
  }

  #refuseLate(): void {
    this.#patience = null
    const latest = performance.now() - this.#options.limits.writeWaitMs
    const young = this.#queue.findIndex(({ since }) => since > latest)
    const late = this.#queue.splice(0, young === -1 ? this.#queue.length : young)
    for (const { reject } of late) reject(unavailable(new Error('The transactions before it took too long.')))
    if (this.#queue.length > 0) this.#schedule()
  }

  async #run(group: readonly Write[]): Promise<void> {
    const transaction = this.#options.begin()
    const members = group.map((each) => new Member(each))
    try {
      await runInStep(members, transaction)
      const isCommitted = await transaction.commit(false)
      if (isCommitted) {
        for (const { write, value } of members) write.resolve(value)
        return
      }
    } catch (error) {
      await transaction.abandon(this.#options.note(error))
      // Neither a statement's own failure, nor that it waited for a lock.
      if (error instanceof Failure && !isLockTimeout(error)) {
        for (const { write } of members) write.reject(error)
        return
      }
    }
    for (const { write, hasFailed } of members) {
      if (!hasFailed) this.#options.alone(write.program, write.deadline).then(write.resolve, write.reject)
    }
  }
}

/** The program of a write, while it runs beside others. */
class Member {
  readonly write: Write
  readonly #program: Program<unknown>
  #step: ReturnType<Program<unknown>['next']> | null = null
  #hasWritten = false
  /** Whether it was told so already: it failed before it wrote anything. Nothing that it is told later counts. */
  hasFailed = false

  constructor(write: Write) {
    this.write = write
    this.#program = write.program()
  }

  /**
   * Hands it these rows; answers whether it asks for more. Where it fails although it has not written, it is nobody else's
   * failure; otherwise throws it.
   */
  goOn(rows: readonly StoredRow[]): boolean {
    try {
      const { deadline } = this.write
      if (this.#step === null) requireWaiting(deadline)
      else requireTime(deadline)
      this.#step = this.#program.next(rows)
      return this.#step.done !== true
    } catch (error) {
      const said = failProgram(this.#program, error)
      if (this.#hasWritten) throw new Undone(said)
      this.hasFailed = true
      this.write.reject(said)
      return false
    }
  }

  /** The statement that it asks for, which is about to be sent. */
  ask(): Bound {
    const bound = asBound(this.#step!.value as Step)
    this.#hasWritten ||= !onlyReads(bound)
    return bound
  }

  /** What it came to, once it asks for no more. */
  get value(): unknown {
    return this.#step?.value
  }
}

/** A program failed that had written: what it wrote has to be undone, and with it what the others wrote. */
class Undone extends Error {
  constructor(cause: unknown) {
    super('A program that had written failed.', { cause })
  }
}

/** Runs all of them to their ends, a statement of each at a time. Throws where what was written has to be undone. */
async function runInStep(members: readonly Member[], transaction: Transaction): Promise<void> {
  const failures: unknown[] = []
  let isBegun = false
  let asking = members.filter((each) => each.goOn(none))
  while (asking.length > 0) {
    const bounds = asking.map((each) => each.ask())
    const asked = transaction.executeAll(bounds)
    // Nobody needs the answer to a command: that it failed is known before the commit at the latest.
    const isAwaited = !isBegun || bounds.some(({ statement }) => statement.answers)
    if (!isAwaited) asked.catch((error) => failures.push(error))
    const rows = isAwaited ? await asked : null
    if (failures.length > 0) throw failures[0]
    isBegun = true
    asking = asking.filter((each, index) => each.goOn(rows?.[index] ?? none))
  }
}
const none: readonly StoredRow[] = []
