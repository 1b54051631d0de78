// One attempt of one reaction: what it is given, how long it may take, and what becomes of its task.

import type { Act } from '../action/act.ts'
import { recordFrom, visibleColumns } from '../action/load.ts'
import type { Limits } from '../limits.ts'
import type { Log } from '../observation/log.ts'
import type { RouteRecords } from '../program/records.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import type { Dialect } from '../store/sql/dialect.ts'
import type { WriteStatements } from '../store/sql/write-statements.ts'
import type { Program, Store } from '../store/store.ts'
import { pauseMs } from './backoff.ts'
import type { ReactionDefinition } from './definition.ts'
import { createFinish } from './finish.ts'
import type { Queue, Task } from './queue.ts'

export interface RunGiven {
  readonly store: Store
  readonly dialect: Dialect
  readonly statements: WriteStatements
  readonly queue: Queue
  readonly act: Act
  /** What one attempt may read until its signal aborts. */
  readonly recordsFor: (eventId: string, signal: AbortSignal) => Pick<RouteRecords, 'get' | 'list'>
  /** This instance, as the queue knows it. */
  readonly holder: string
  readonly clock: () => Date
  /** From 0 up to 1. */
  readonly random: () => number
  readonly log: Pick<Log, 'warn' | 'error'>
  readonly limits: Pick<Limits, 'reactionRetryMs' | 'reactionRetryMaxMs' | 'reactionErrorLength'>
}
export type Ending = 'done' | 'failed' | 'died' | 'released'
export interface Attempt {
  /** Never rejects. */
  readonly ended: Promise<Ending>
  /** Waits no longer: gives the task back to whoever comes next, unless it ends in this moment. */
  release(): void
}

const released = new Error('The service stops.')

export function attempt(definition: ReactionDefinition, task: Task, given: RunGiven): Attempt {
  const { store, queue, act, holder, clock, log } = given
  const stop = new AbortController()
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => undefined)
  stop.signal.addEventListener('abort', () => stopped.reject(stop.signal.reason))
  const told = { reaction: definition.name, eventId: task.eventId, recordId: task.recordId, attempt: task.attempt }
  const finish = createFinish(act, end, stop.signal)

  function* end(): Program<void> {
    if (!(yield* queue.end(task, holder))) throw new Error('Another instance has taken this reaction over.')
  }
  async function react(): Promise<void> {
    const { get, list } = given.recordsFor(task.eventId, stop.signal)
    const record = await store.read(living(definition.resource, task.recordId, given))
    await definition.react({
      eventId: task.eventId,
      at: task.at,
      attempt: task.attempt,
      id: task.recordId,
      record,
      by: task.by,
      records: { get, list },
      signal: stop.signal,
      now: clock(),
      finish: finish.call,
    })
    await finish.settled()
    // Also where the reaction caught it: what the second call was to change would be lost.
    if (finish.misuse !== null) throw finish.misuse
  }
  async function work(): Promise<Ending> {
    if (task.attempt > definition.attempts) throw new Error('The last instance that tried it was lost.')
    const limit = `No end after ${definition.timeLimitMs} milliseconds.`
    const timer = setTimeout(() => stop.abort(new Error(limit)), definition.timeLimitMs)
    try {
      await Promise.race([react(), stopped.promise])
      if (!finish.isDone) await store.write(end)
      return 'done'
    } finally {
      clearTimeout(timer)
    }
  }
  async function fail(error: unknown): Promise<Ending> {
    if (finish.isDone && finish.misuse !== null) return bury(finish.misuse)
    if (finish.isDone) {
      log.warn('A reaction failed after it had finished.', { ...told, err: error })
      return 'done'
    }
    if (stop.signal.reason === released) {
      await store.write(() => queue.release(task, holder, clock()))
      return 'released'
    }
    const reason = reasonOf(error, given.limits.reactionErrorLength)
    if (task.attempt >= definition.attempts) {
      if (!(await store.write(() => queue.giveUp(task, holder, clock(), reason)))) return lost(error)
      return died(error)
    }
    const dueAt = new Date(clock().getTime() + pauseMs(task.attempt, given.random(), given.limits))
    if (!(await store.write(() => queue.retry(task, holder, dueAt, reason)))) return lost(error)
    log.warn('A reaction failed, and will be tried again.', { ...told, dueAt: dueAt.toISOString(), err: error })
    return 'failed'
  }
  /** What the first `finish` changed would be changed again by another attempt: so an operator decides. */
  async function bury(error: Error): Promise<Ending> {
    const reason = reasonOf(error, given.limits.reactionErrorLength)
    await store.write(() => queue.bury(task, definition.resource.name, clock(), reason))
    return died(error)
  }
  function died(error: unknown): Ending {
    log.error('A reaction was given up; duet reactions lists it.', { event: 'reaction_died', ...told, err: error })
    return 'died'
  }
  function lost(error: unknown): Ending {
    log.warn('A reaction came to its end too late: it had finished, or another instance has it.', {
      ...told,
      err: error,
    })
    return 'failed'
  }

  const ended = work()
    .catch(fail)
    .catch((error: unknown): Ending => {
      // It stays held until its time is over, and then somebody takes it up again.
      log.warn('The end of a reaction could not be written down.', { ...told, err: error })
      return 'failed'
    })
  return { ended, release: () => stop.abort(released) }
}

function* living(
  resource: ResourceModel,
  id: string,
  { statements, dialect }: RunGiven,
): Program<Readonly<Record<string, unknown>> | null> {
  const columns = visibleColumns(resource)
  const [row] = yield statements.load({ resource, conditions: [], columns, lock: null }, null, [id])
  return row === undefined ? null : recordFrom(row, 2, columns, dialect)
}

const reasonOf = (error: unknown, length: number): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll('\0', '').slice(0, length)
