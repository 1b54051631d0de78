// Moves due records in batches until the service stops. A move that fails is parked: alone, so that it delays no other.

import { isLostRace } from '../action/row/lock.ts'
import type { MoveDue } from '../action/write/move-due.ts'
import { WakeLoop } from '../concurrency/wake-loop.ts'
import { Failure, isUnavailable } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { Outage } from '../observation/outage.ts'
import type { TraceWork } from '../observation/trace.ts'
import { backoffMs } from '../reaction/backoff.ts'
import { reasonOf } from '../reaction/run.ts'
import type { TimedMove } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { sharedTime } from '../store/sql/text/shared-time.ts'
import { boundTo } from '../store/sql/text/sql-text.ts'
import { dueIdsSql, markPastSql, nextDueSql, parkSql } from '../store/sql/write/due.ts'
import { bind, type Program, query, type Store } from '../store/store.ts'
import type { ClockRows } from './clock-rows.ts'

export interface DueRecordsDependencies {
  readonly moves: readonly TimedMove[]
  readonly moveDue: MoveDue
  readonly rows: ClockRows
  readonly store: Store
  readonly dialect: Dialect
  readonly clock: () => Date
  readonly random: () => number
  readonly log: Pick<Log, 'warn' | 'info'>
  readonly trace: TraceWork
  readonly limits: Limits
}

/** A due record as it was when it was found. */
interface Candidate {
  readonly id: string
  readonly version: number
  readonly tally: number
}

export class DueRecords {
  readonly #dependencies: DueRecordsDependencies
  readonly #questions: ReturnType<typeof createDueQuestions>
  readonly #loop: WakeLoop
  /** Moves whose records that were due before are marked. */
  readonly #ready = new Set<TimedMove>()
  readonly counts = { moved: 0, refused: 0, failed: 0 }
  #lagSeconds = 0
  #timer: NodeJS.Timeout | undefined

  constructor(dependencies: DueRecordsDependencies) {
    this.#dependencies = dependencies
    this.#loop = new WakeLoop({
      work: () => this.#workThrough(),
      outage: new Outage(dependencies.log, 'Due records could not be moved; they will be, in a moment.'),
    })
    this.#questions = createDueQuestions(dependencies.moves, dependencies.dialect)
  }

  get lagSeconds(): number {
    return this.#lagSeconds
  }

  start(): void {
    this.#loop.start(this.#dependencies.limits.duePollMs)
    this.#loop.wake()
  }

  /** Resolves when it looks for nothing. */
  idle(): Promise<void> {
    return this.#loop.idle()
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    clearTimeout(this.#timer)
  }

  async #workThrough(): Promise<void> {
    const { moves, store } = this.#dependencies
    for (const move of moves) if (!this.#ready.has(move)) await this.#prepare(move)
    for (;;) {
      const { now, next } = await store.read(this.#next())
      const due = moves.filter((_, at) => next[at] !== null && next[at]! <= now)
      const times = next.filter((each) => each !== null).map((each) => each.getTime() - now.getTime())
      this.#lagSeconds = Math.max(0, -Math.min(0, ...times)) / 1000
      let isMore = false
      for (const move of due) if (await this.#moveSome(move)) isMore = true
      if (isMore && !this.#loop.isStopping) continue
      this.#wakeAfter(Math.min(...times.filter((each) => each > 0)))
      return
    }
  }

  /** What is due before the next poll is not left until then. */
  #wakeAfter(pauseMs: number): void {
    clearTimeout(this.#timer)
    if (pauseMs < this.#dependencies.limits.duePollMs) this.#timer = setTimeout(this.#loop.wake, pauseMs).unref()
  }

  *#next(): Program<{ readonly now: Date; readonly next: readonly (Date | null)[] }> {
    const { dialect, clock } = this.#dependencies
    return { now: yield* sharedTime(dialect, clock), next: yield* this.#questions.next() }
  }

  /** Marks the records that were due before there was this move, unless they were written since. (contract 14.1.7) */
  async #prepare(move: TimedMove): Promise<void> {
    const { store, rows, dialect, clock } = this.#dependencies
    const questions = this.#questions
    const row = await store.write(function* () {
      const now = yield* sharedTime(dialect, clock)
      return yield* rows.open(move.name, { pattern: 'move', at: now, isReady: move.includesPast })
    })
    if (!row.isReady) {
      while (!this.#loop.isStopping && (await store.write(() => questions.markPast(move, row.at))));
      if (this.#loop.isStopping) return
      await store.write(() => rows.write(move.name, { ...row, isReady: true }))
    }
    this.#ready.add(move)
  }

  /** True if more may be due now. */
  async #moveSome(move: TimedMove): Promise<boolean> {
    if (this.#loop.isStopping || !this.#ready.has(move)) return false
    const { store, dialect, clock, limits } = this.#dependencies
    const { effect, checkReads } = move.action
    const count = checkReads ? 1 : effect === null ? limits.dueBatch : limits.dueBatchWithEffect
    const questions = this.#questions
    const { now, candidates } = await store.read(
      (function* () {
        const now = yield* sharedTime(dialect, clock)
        return { now, candidates: yield* questions.due(move, now, count) }
      })(),
    )
    if (candidates.length === 0) return false
    const settled = await this.#move(move, candidates, now)
    // What others hold is taken at the next look.
    return settled === count
  }

  async #move(move: TimedMove, candidates: readonly Candidate[], now: Date): Promise<number> {
    const { moveDue, rows, trace } = this.#dependencies
    const ids = candidates.map(({ id }) => id)
    try {
      const moved = await trace(`move ${move.name}`, () =>
        moveDue({ move, ids, now, includesParked: false }, function* (own) {
          if (own.length === 0) return
          yield* rows.settle(move.name, own)
          yield* rows.done(move.name, now)
        }),
      )
      this.counts.moved += moved
      return moved
    } catch (error) {
      if (isTemporary(error)) throw error
      const [first, ...others] = candidates
      if (others.length === 0) {
        await this.#park(move, first!, error, now)
        return 1
      }
      let settled = 0
      for (const each of candidates) settled += this.#loop.isStopping ? 0 : await this.#move(move, [each], now)
      return settled
    }
  }

  /** Tried again once the record changes; one whose code fails, later and later as well. */
  async #park(move: TimedMove, candidate: Candidate, error: unknown, now: Date): Promise<void> {
    const { store, rows, random, limits, log } = this.#dependencies
    const { id } = candidate
    const isRefused = error instanceof Failure
    const reason = reasonOf(error, limits.reactionErrorLength)
    const dueAt = isRefused ? null : new Date(now.getTime() + backoffMs(1, random(), limits))
    const questions = this.#questions
    const isParked = await store.write(function* () {
      if (!(yield* questions.park(move, candidate))) return false
      yield* rows.settle(move.name, [id])
      const task = { name: move.name, eventId: `${move.name} ${id}`, resource: move.action.resource.name, recordId: id }
      yield* rows.add({ ...task, at: now }, dueAt, now, isRefused ? error.message : reason)
      return true
    })
    if (!isParked) return
    this.counts[isRefused ? 'refused' : 'failed']++
    if (!isRefused)
      log.warn('A move made by the clock failed, and will be tried again.', {
        move: move.name,
        recordId: id,
        err: error,
      })
  }
}

const isTemporary = (error: unknown): boolean => isUnavailable(error) || (error instanceof Failure && isLostRace(error))

/** SQLite blocks the process. */
const markRows = 1_000

/** What is read and marked, as programs whose statements are made once. */
function createDueQuestions(moves: readonly TimedMove[], dialect: Dialect) {
  const timestamp = (at: Date) => dialect.encode(at, 'timestamp')
  const next = query(`select ${moves.map((each) => `(${nextDueSql(each, dialect)})`).join(', ')}`)
  const statements = new Map(
    moves.map((each) => [
      each,
      { due: dueIdsSql(each, dialect), park: parkSql(each, dialect), markPast: markPastSql(each, dialect) },
    ]),
  )
  return {
    /** The earliest due time of each move: a probe of its index. */
    *next(): Program<readonly (Date | null)[]> {
      const [row] = yield bind(next)
      return row!.map((each) => dialect.decode(each, 'timestamp') as Date | null)
    },
    *due(move: TimedMove, now: Date, limit: number): Program<readonly Candidate[]> {
      const rows = yield boundTo(statements.get(move)!.due, { actor: null, input: [timestamp(now)], limit })
      return rows.map(([id, version, tally]) => ({
        id: id as string,
        version: Number(version),
        tally: Number(tally),
      }))
    },
    /** False if the record was written since. */
    *park(move: TimedMove, { id, version, tally }: Candidate): Program<boolean> {
      return (yield boundTo(statements.get(move)!.park, { actor: null, input: [id, version, tally] })).length > 0
    },
    /** False if nothing is left to mark. */
    *markPast(move: TimedMove, since: Date): Program<boolean> {
      const input = [timestamp(since)]
      return (yield boundTo(statements.get(move)!.markPast, { actor: null, input, limit: markRows })).length > 0
    },
  }
}
