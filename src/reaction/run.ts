// One attempt of a reaction: its input, its time limit, and the outcome for its task.

import type { Act } from '../action/code/own-records.ts'
import type { Cipher } from '../action/encrypted-value.ts'
import { recordFrom, visibleColumns } from '../action/row/load.ts'
import { readPrevious } from '../event/outbox.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import { createCleaner } from '../observation/secrets.ts'
import { readValue } from '../resource/field/registry.ts'
import type { AnyResource } from '../resource/language/row/any-resource.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { noCaller } from '../store/sql/text/sql-text.ts'
import type { WriteStatements } from '../store/sql/write/write-statements.ts'
import type { Program, Store } from '../store/store.ts'
import { backoffMs } from './backoff.ts'
import type { ReactionDefinition } from './definition.ts'
import { createFinish, type Finish } from './finish.ts'
import type { ReactionMoment } from './on.ts'
import type { Queue, Task } from './queue.ts'
import type { HandedTokens, TokenHandover } from './token-handover.ts'

export interface AttemptDependencies {
  readonly store: Store
  readonly dialect: Dialect
  readonly statements: WriteStatements
  readonly cipher: Cipher
  readonly queue: Queue
  readonly act: Act
  readonly handover: TokenHandover | null
  /** Usable until the signal aborts. */
  readonly recordsFor: (signal: AbortSignal) => Pick<ReactionMoment<AnyResource, never>, 'records' | 'asService'>
  readonly holder: string
  readonly clock: () => Date
  readonly random: () => number
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly limits: Pick<Limits, 'reactionRetryMs' | 'reactionRetryMaxMs' | 'reactionErrorLength'>
}
/** `died`: the task is a dead letter. Metrics use these words. */
export type AttemptResult = 'done' | 'failed' | 'died' | 'released'

const stopReason = new Error('The service stops.')

export class Attempt {
  readonly #definition: ReactionDefinition
  readonly #task: Task
  readonly #dependencies: AttemptDependencies
  readonly #abort = new AbortController()
  readonly #finish: Finish
  /** Removes the attempt's tokens from a text; null if it has none. */
  #clean: ((text: string) => string) | null = null
  readonly #logFields: Readonly<Record<string, unknown>>
  /** Never rejects. */
  readonly result: Promise<AttemptResult>

  constructor(definition: ReactionDefinition, task: Task, dependencies: AttemptDependencies) {
    const { name: reaction } = definition
    this.#definition = definition
    this.#task = task
    this.#dependencies = dependencies
    this.#logFields = { reaction, eventId: task.eventId, recordId: task.recordId, attempt: task.attempt }
    this.#finish = createFinish(dependencies.act, () => this.#end(), this.#abort.signal)
    this.result = this.#run()
      .catch((error: unknown) => this.#fail(this.#cleaned(error)))
      .catch((error: unknown) => {
        // The task stays claimed until its time limit, then it is retried.
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
    const { store, recordsFor, clock } = this.#dependencies
    const { eventId, at, attempt, recordId, by } = this.#task
    const { signal } = this.#abort
    const record = await store.read(recordOf(this.#definition, this.#task, this.#dependencies))
    const tokens = await this.#handedTokens()
    const finish = this.#finish.call
    await this.#definition.react({
      eventId,
      at,
      attempt,
      id: recordId,
      record,
      by,
      previous: previousOf(this.#definition, this.#task),
      tokens,
      ...recordsFor(signal),
      signal,
      now: clock(),
      finish,
    })
    await this.#finish.settled()
    // Even if the reaction caught it: the changes of the second call would be lost.
    if (this.#finish.misuse !== null) throw this.#finish.misuse
  }

  /** From here on the tokens are removed from log lines. */
  async #handedTokens(): Promise<HandedTokens> {
    const { store, handover } = this.#dependencies
    if (handover === null || this.#definition.tokens.length === 0) return {}
    const tokens = await store.read(handover.handed(this.#definition, this.#task.recordId))
    this.#clean = createCleaner(Object.values(tokens).filter((each) => each !== null))
    return tokens
  }

  *#end(): Program<void> {
    const { queue, holder } = this.#dependencies
    if (!(yield* queue.end(this.#task, holder))) throw new Error('Another instance has taken this reaction over.')
    yield* this.#eraseTokens()
  }

  *#deadLetter(now: Date, reason: string): Program<boolean> {
    const { queue, holder } = this.#dependencies
    const isOurs = yield* queue.deadLetter(this.#task, holder, now, reason)
    if (isOurs) yield* this.#eraseTokens()
    return isOurs
  }

  *#eraseTokens(): Program<void> {
    const { handover } = this.#dependencies
    if (handover === null || this.#definition.tokens.length === 0) return
    yield* handover.erase(this.#definition.name, this.#task.recordId)
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
    const { store, queue, holder, clock, random, limits } = this.#dependencies
    const task = this.#task
    if (this.#finish.isDone && this.#finish.misuse !== null) return this.#keepAsDeadLetter(this.#finish.misuse)
    if (this.#finish.isDone) {
      this.#warn('A reaction failed after it had finished.', error)
      return 'done'
    }
    if (this.#abort.signal.reason === stopReason) {
      await store.write(() => queue.release(task, holder, clock()))
      return 'released'
    }
    const reason = reasonOf(error, limits.reactionErrorLength)
    if (task.attempt >= this.#definition.attempts) {
      const isOurs = await store.write(() => this.#deadLetter(clock(), reason))
      return isOurs ? this.#died(error) : this.#tooLate(error)
    }
    const dueAt = new Date(clock().getTime() + backoffMs(task.attempt, random(), limits))
    if (!(await store.write(() => queue.retry(task, holder, dueAt, reason)))) return this.#tooLate(error)
    this.#warn('A reaction failed, and will be tried again.', error, { dueAt: dueAt.toISOString() })
    return 'failed'
  }

  /** A further attempt would repeat what `finish` changed, so an operator decides. */
  async #keepAsDeadLetter(error: Error): Promise<AttemptResult> {
    const { store, queue, clock, limits } = this.#dependencies
    const reason = reasonOf(error, limits.reactionErrorLength)
    await store.write(() => queue.insertDeadLetter(this.#task, this.#definition.resource.name, clock(), reason))
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

/** The current record, unrestricted, or for a deletion as it was; null if it was deleted since. */
function* recordOf(
  { resource, isDeletion }: ReactionDefinition,
  { recordId, at }: Task,
  { statements, dialect, cipher }: AttemptDependencies,
): Program<Readonly<Record<string, unknown>> | null> {
  const columns = visibleColumns(resource)
  const ruleInputs = isDeletion ? { ...noCaller, deletedAt: dialect.encode(at, 'timestamp') } : noCaller
  const asOf = isDeletion ? 'untilDeleted' : 'now'
  const [row] = yield statements.load({ resource, conditions: [], columns, lock: null, asOf }, ruleInputs, [recordId])
  return row === undefined ? null : recordFrom(row, 2, { resource, columns, dialect, cipher })
}

function previousOf({ changed }: ReactionDefinition, { previous }: Task): Readonly<Record<string, unknown>> {
  const values = previous === null ? {} : readPrevious(previous)
  if (values === 'unknown')
    throw new Error('Another release wrote the previous values of this event in a form of its own.')
  return Object.fromEntries(changed.map(({ field, spec }) => [field, readValue(spec, values[field]?.[0] ?? null)]))
}

const reasonOf = (error: unknown, length: number): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll('\0', '').slice(0, length)
