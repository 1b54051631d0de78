// One attempt of a task: its time limit, and the outcome for its row in the queue.

import type { Act } from '../action/code/own-records.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { TraceWork } from '../observation/trace.ts'
import type { AnyResource } from '../resource/language/row/any-resource.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { sharedTime } from '../store/sql/text/shared-time.ts'
import type { Program, Store } from '../store/store.ts'
import { backoffMs } from './backoff.ts'
import type { TaskDefinition } from './definition.ts'
import { createFinish, type Finish } from './finish.ts'
import type { ReactionMoment } from './on.ts'
import type { Queue, Task } from './queue.ts'

export interface AttemptDependencies {
  readonly store: Store
  readonly dialect: Dialect
  readonly queue: Queue
  readonly act: Act
  /** Usable until the signal aborts. */
  readonly recordsFor: (signal: AbortSignal) => Pick<ReactionMoment<AnyResource, never>, 'records' | 'asService'>
  readonly holder: string
  readonly clock: () => Date
  readonly random: () => number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly trace: TraceWork
  readonly limits: Pick<Limits, 'reactionRetryMs' | 'reactionRetryMaxMs' | 'reactionErrorLength'>
}
/** `died`: the task is a dead letter. Metrics use these words. */
export type AttemptResult = 'done' | 'failed' | 'died' | 'released'

/** A further attempt would be refused as well: the task waits for an operator at once. */
export class RefusedTask extends Error {}

const stopReason = new Error('The service stops.')

export class Attempt {
  readonly #definition: TaskDefinition
  readonly #task: Task
  readonly #dependencies: AttemptDependencies
  readonly #abort = new AbortController()
  readonly #finish: Finish
  /** Removes the attempt's tokens from a text; null if it has none. */
  #clean: ((text: string) => string) | null = null
  readonly #logFields: Readonly<Record<string, unknown>>
  /** Never rejects. */
  readonly result: Promise<AttemptResult>

  constructor(definition: TaskDefinition, task: Task, dependencies: AttemptDependencies) {
    const { name: reaction } = definition
    this.#definition = definition
    this.#task = task
    this.#dependencies = dependencies
    this.#logFields = { reaction, eventId: task.eventId, recordId: task.recordId, attempt: task.attempt }
    this.#finish = createFinish(dependencies.act, () => this.#end(), this.#abort.signal)
    this.result = dependencies
      .trace(`${definition.kind} ${reaction}`, () => this.#run())
      .catch((error: unknown) => this.#fail(this.#cleaned(error)))
      .catch((error: unknown) => {
        // The task stays claimed until its time limit.
        this.#warn('The end of a reaction could not be written down.', error)
        return 'failed'
      })
  }

  /** Returns the task to the queue, unless it is just ending. */
  release(): void {
    this.#abort.abort(stopReason)
  }

  async #run(): Promise<AttemptResult> {
    const { attempts, timeLimitMs } = this.#definition
    if (this.#task.attempt > attempts) throw new Error('The last instance that tried it was lost.')
    const { signal } = this.#abort
    const aborted = Promise.withResolvers<never>()
    aborted.promise.catch(() => undefined)
    signal.addEventListener('abort', () => aborted.reject(signal.reason))
    const limit = `No end after ${timeLimitMs} milliseconds.`
    const timer = setTimeout(() => this.#abort.abort(new Error(limit)), timeLimitMs)
    try {
      await Promise.race([this.#react(), aborted.promise])
      if (!this.#finish.isDone) await this.#dependencies.store.write(() => this.#end())
      return 'done'
    } finally {
      clearTimeout(timer)
    }
  }

  async #react(): Promise<void> {
    const { recordsFor, store, dialect, clock } = this.#dependencies
    const { signal } = this.#abort
    // Typed by the service that the code belongs to.
    const finish = this.#finish.call as never
    const now = await store.read(sharedTime(dialect, clock))
    const hide = (clean: (text: string) => string): void => {
      this.#clean = clean
    }
    await this.#definition.work({ task: this.#task, ...recordsFor(signal), signal, now, finish, hide })
    await this.#finish.settled()
    // The changes of the second call would be lost.
    if (this.#finish.misuse !== null) throw this.#finish.misuse
  }

  *#end(): Program<void> {
    const { queue, holder } = this.#dependencies
    if (!(yield* queue.end(this.#task, holder))) throw new Error('Another instance has taken this reaction over.')
    yield* this.#definition.end(this.#task, true)
  }

  *#deadLetter(task: Task, reason: string): Program<boolean> {
    const { queue, holder, dialect, clock } = this.#dependencies
    const now = yield* sharedTime(dialect, clock)
    const isOurs = yield* queue.deadLetter(task, holder, now, reason)
    if (isOurs) yield* this.#definition.end(task, false)
    return isOurs
  }

  *#release(): Program<boolean> {
    const { queue, holder, dialect, clock } = this.#dependencies
    return yield* queue.release(this.#task, holder, yield* sharedTime(dialect, clock))
  }

  *#retry(reason: string): Program<Date | null> {
    const { queue, holder, dialect, clock, random, limits } = this.#dependencies
    const now = yield* sharedTime(dialect, clock)
    const dueAt = new Date(now.getTime() + backoffMs(this.#task.attempt, random(), limits))
    return (yield* queue.retry(this.#task, holder, dueAt, reason)) ? dueAt : null
  }

  #cleaned(error: unknown): unknown {
    const clean = this.#clean
    if (clean === null) return error
    if (!(error instanceof Error)) return clean(String(error))
    const cleaned = new Error(clean(error.message))
    cleaned.name = error.name
    cleaned.stack = clean(error.stack ?? '')
    return cleaned
  }

  async #fail(error: unknown): Promise<AttemptResult> {
    const { store, limits } = this.#dependencies
    if (this.#finish.isDone && this.#finish.misuse !== null) return this.#keepAsDeadLetter(this.#finish.misuse)
    if (this.#finish.isDone) {
      this.#warn('A reaction failed after it had finished.', error)
      return 'done'
    }
    if (this.#abort.signal.reason === stopReason) {
      await store.write(() => this.#release())
      return 'released'
    }
    const reason = reasonOf(error, limits.reactionErrorLength)
    if (error instanceof RefusedTask) {
      await store.write(() => this.#deadLetter({ ...this.#task, attempt: 0 }, error.message))
      return 'failed'
    }
    if (this.#task.attempt >= this.#definition.attempts) {
      const isOurs = await store.write(() => this.#deadLetter(this.#task, reason))
      return isOurs ? this.#died(error) : this.#tooLate(error)
    }
    const dueAt = await store.write(() => this.#retry(reason))
    if (dueAt === null) return this.#tooLate(error)
    this.#warn('A reaction failed, and will be tried again.', error, { dueAt: dueAt.toISOString() })
    return 'failed'
  }

  /** A further attempt would repeat what `finish` changed, so an operator decides. */
  async #keepAsDeadLetter(error: Error): Promise<AttemptResult> {
    const { store, queue, clock, limits } = this.#dependencies
    const reason = reasonOf(error, limits.reactionErrorLength)
    await store.write(() => queue.insertDeadLetter(this.#task, this.#definition.resource, clock(), reason))
    return this.#died(error)
  }

  #died(error: unknown): AttemptResult {
    const fields = { event: 'reaction_died', ...this.#logFields, err: error }
    this.#dependencies.log.error('A reaction became a dead letter; duet reactions lists it.', fields)
    return 'died'
  }

  #tooLate(error: unknown): AttemptResult {
    this.#warn('A reaction came to its end too late: it had finished, or another instance has it.', error)
    return 'failed'
  }

  #warn(message: string, error: unknown, more: Readonly<Record<string, unknown>> = {}): void {
    this.#dependencies.log.warn(message, { ...this.#logFields, ...more, err: error })
  }
}

export const reasonOf = (error: unknown, length: number): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll('\0', '').slice(0, length)
