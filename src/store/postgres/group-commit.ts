// Group commit: writes that only add records, or change different ones, share transactions. Without this file: 6 times fewer
// writes a second. 1. Writes of one event-loop turn share a transaction with a short lock timeout. 2. Their programs run in
// lockstep, so that statements can be combined. 3. A program that fails before it has written is rejected alone. 4. After any
// other failure, each remaining write runs again alone. A failure of the database rejects all: it may have committed.

import { type Deadline, requireTime, requireWaiting } from '../../budget/deadline.ts'
import { isUnavailable } from '../../failure/failure.ts'
import { asBound, failProgram, isLockTimeout, LostRace, unavailable } from '../program.ts'
import type { Bound, Program, Step, StoredRow, WriteOptions } from '../store.ts'
import type { PostgresLimits } from './connection.ts'
import { onlyReads, type Transaction } from './transaction.ts'

interface QueuedWrite {
  readonly program: () => Program<unknown>
  readonly deadline: Deadline | undefined
  readonly changes: readonly string[]
  readonly reads: readonly string[]
  readonly since: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

export interface GroupCommitOptions {
  readonly limits: Pick<PostgresLimits, 'writesPerCommit' | 'writesWaiting' | 'writeWaitMs'>
  /** With a short lock timeout: a lock held elsewhere would delay the whole group. */
  readonly begin: () => Transaction
  /** Called with every failure; returns whether to discard the connection. */
  readonly note: (error: unknown, transaction: Transaction) => boolean
  readonly runAlone: <T>(program: () => Program<T>, deadline: Deadline | undefined) => Promise<T>
}

type GroupedWriteOptions = Pick<WriteOptions, 'deadline' | 'changes' | 'reads'>

/** Concurrent transactions: while one waits for the database, the next is prepared. */
const transactionsMax = 2

export class GroupCommit {
  readonly #options: GroupCommitOptions
  readonly #queue: QueuedWrite[] = []
  #transactions = 0
  #isScheduled = false
  #refusal: NodeJS.Timeout | null = null
  readonly #running = new Claims()

  constructor(options: GroupCommitOptions) {
    this.#options = options
  }

  get waiting(): number {
    return this.#queue.length
  }

  write<T>(program: () => Program<T>, { deadline, changes = [], reads = [] }: GroupedWriteOptions): Promise<T> {
    if (this.#queue.length >= this.#options.limits.writesWaiting) {
      return Promise.reject(unavailable(new Error('Too many writes are waiting.')))
    }
    return new Promise<T>((resolve, reject) => {
      const since = performance.now()
      this.#queue.push({
        program,
        deadline,
        changes,
        reads,
        since,
        resolve: resolve as (value: unknown) => void,
        reject,
      })
      this.#schedule()
    })
  }

  /** After this turn, so that all its writes share a transaction. */
  #schedule(): void {
    if (this.#isScheduled) return
    if (this.#transactions === transactionsMax) {
      const { writeWaitMs } = this.#options.limits
      this.#refusal ??= setTimeout(() => this.#refuseLate(), writeWaitMs).unref()
      return
    }
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#next()
    })
  }

  #next(): void {
    const group = this.#takeGroup()
    if (group.length === 0) return
    this.#transactions++
    for (const each of group) this.#running.add(each)
    this.#run(group).finally(() => {
      this.#transactions--
      for (const each of group) this.#running.remove(each)
      if (this.#queue.length > 0) this.#schedule()
    })
    if (this.#queue.length > 0) this.#schedule()
  }

  /** The first waiting writes without conflicts; later writes that conflict stay in order. */
  #takeGroup(): readonly QueuedWrite[] {
    const group: QueuedWrite[] = []
    const [taken, left] = [new Claims(), new Claims()]
    const rest: QueuedWrite[] = []
    for (const each of this.#queue) {
      const isFree =
        group.length < this.#options.limits.writesPerCommit &&
        [this.#running, taken, left].every((claims) => !claims.conflict(each))
      ;(isFree ? group : rest).push(each)
      ;(isFree ? taken : left).add(each)
    }
    this.#queue.splice(0, this.#queue.length, ...rest)
    return group
  }

  #refuseLate(): void {
    this.#refusal = null
    const latest = performance.now() - this.#options.limits.writeWaitMs
    const firstInTime = this.#queue.findIndex(({ since }) => since > latest)
    const late = this.#queue.splice(0, firstInTime === -1 ? this.#queue.length : firstInTime)
    for (const { reject } of late) reject(unavailable(new Error('The transactions before it took too long.')))
    if (this.#queue.length > 0) this.#schedule()
  }

  async #run(group: readonly QueuedWrite[]): Promise<void> {
    const transaction = this.#options.begin()
    const members = group.map((each) => new Member(each))
    try {
      await runInLockstep(members, transaction)
      const isCommitted = await transaction.commit(false)
      if (isCommitted) {
        for (const { write, value } of members) write.resolve(value)
        return
      }
    } catch (error) {
      // The database is unreachable or out of resources: neither a failed statement nor a lock timeout.
      const isOver = isUnavailable(error) && !isLockTimeout(error)
      await transaction.abandon(this.#options.note(error, transaction), !isOver)
      if (isOver) {
        for (const { write } of members) write.reject(error)
        return
      }
    }
    for (const { write, isRejected } of members) {
      if (!isRejected) this.#options.runAlone(write.program, write.deadline).then(write.resolve, write.reject)
    }
  }
}

type Claim = Pick<QueuedWrite, 'changes' | 'reads'>

class Claims {
  readonly #changed = new Map<string, number>()
  readonly #read = new Map<string, number>()

  conflict({ changes, reads }: Claim): boolean {
    return (
      changes.some((id) => this.#changed.has(id) || this.#read.has(id)) || reads.some((id) => this.#changed.has(id))
    )
  }

  add({ changes, reads }: Claim): void {
    for (const id of changes) count(this.#changed, id, 1)
    for (const id of reads) count(this.#read, id, 1)
  }

  remove({ changes, reads }: Claim): void {
    for (const id of changes) count(this.#changed, id, -1)
    for (const id of reads) count(this.#read, id, -1)
  }
}

function count(counts: Map<string, number>, id: string, by: 1 | -1): void {
  const next = (counts.get(id) ?? 0) + by
  if (next === 0) counts.delete(id)
  else counts.set(id, next)
}

class Member {
  readonly write: QueuedWrite
  readonly #program: Program<unknown>
  #result: ReturnType<Program<unknown>['next']> | null = null
  #hasWritten = false
  /** Rejected alone; later results of the group are ignored. */
  isRejected = false

  constructor(write: QueuedWrite) {
    this.write = write
    this.#program = write.program()
  }

  /**
   * False if the program has ended. A failure before it has written rejects this write alone; a later one throws RolledBack.
   */
  step(rows: readonly StoredRow[]): boolean {
    try {
      const { deadline } = this.write
      if (this.#result === null) requireWaiting(deadline)
      else requireTime(deadline)
      this.#result = this.#program.next(rows)
      return this.#result.done !== true
    } catch (error) {
      const reason = failProgram(this.#program, error)
      if (this.#hasWritten || reason instanceof LostRace) throw new RolledBack(reason)
      this.isRejected = true
      this.write.reject(reason)
      return false
    }
  }

  nextStatement(): Bound {
    const bound = asBound(this.#result!.value as Step)
    this.#hasWritten ||= !onlyReads(bound)
    return bound
  }

  get value(): unknown {
    return this.#result?.value
  }
}

/** A program failed after writing, so the whole group must be rolled back. */
class RolledBack extends Error {
  constructor(cause: unknown) {
    super('A program that had written failed.', { cause })
  }
}

/** Throws if the transaction must be rolled back. */
async function runInLockstep(members: readonly Member[], transaction: Transaction): Promise<void> {
  const failures: unknown[] = []
  let isBegun = false
  let active = members.filter((each) => each.step(noRows))
  while (active.length > 0) {
    const bounds = active.map((each) => each.nextStatement())
    const answers = transaction.executeAll(bounds)
    // Commands return no rows, so a failure may surface as late as the commit.
    const isAwaited = !isBegun || bounds.some(({ statement }) => statement.answers)
    if (!isAwaited) answers.catch((error) => failures.push(error))
    const rows = isAwaited ? await answers : null
    if (failures.length > 0) throw failures[0]
    isBegun = true
    active = active.filter((each, index) => each.step(rows?.[index] ?? noRows))
  }
}
const noRows: readonly StoredRow[] = []
