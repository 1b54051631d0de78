// Opens what the clock does: due records are moved, and schedules run.

import { randomUUID } from 'node:crypto'
import type { MoveDue } from '../action/write/move-due.ts'
import { Failure, isUnavailable } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { TaskDefinition } from '../reaction/definition.ts'
import { createQueue } from '../reaction/queue.ts'
import { type AttemptDependencies, RefusedTask } from '../reaction/run.ts'
import { TaskRunner } from '../reaction/task-runner.ts'
import type { TimedMove } from '../resource/model/model.ts'
import { type ClockRows, createClockRows } from './clock-rows.ts'
import { DueRecords } from './due-records.ts'
import type { Ticks } from './rhythm.ts'
import type { ScheduleDefinition } from './schedule.ts'
import { openTicks, scheduleTask } from './ticks.ts'

export interface ClockDependencies extends Omit<AttemptDependencies, 'queue' | 'holder' | 'limits'> {
  readonly moves: readonly TimedMove[]
  readonly moveDue: MoveDue
  readonly schedules: readonly ScheduleDefinition[]
  readonly rhythms: ReadonlyMap<string, Ticks>
  readonly limits: Limits
}
export interface Clock {
  /** Null if there are no timed moves. */
  readonly dueRecords: DueRecords | null
  /** Runs ticks, and moves that failed. */
  readonly tasks: TaskRunner
  /** To be called periodically: deletes old dead letters. */
  sweep(now: Date): Promise<void>
  /** Resolves when it looks for nothing. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** Rejects if the database does not respond. */
export async function openClock(dependencies: ClockDependencies): Promise<Clock> {
  const { moves, moveDue, schedules, rhythms, store, dialect, clock, limits } = dependencies
  const rows = createClockRows(dialect)
  const queue = createQueue(dialect)
  const definitions = [
    ...moves.map((each) => moveTask(each, moveDue, rows, limits)),
    ...schedules.map((each) => scheduleTask(each, rows, dialect, clock)),
  ]
  const ticks = await openTicks({ definitions: schedules, rhythms, rows, store, dialect, clock })
  const tasks = new TaskRunner({
    ...dependencies,
    queue,
    definitions: new Map(definitions.map((each) => [each.name, each])),
    holder: randomUUID(),
    atOnce: limits.schedulesAtOnce,
    makeTasks: ticks.makeTasks,
    runs: ticks.runs,
  })
  const dueRecords = moves.length === 0 ? null : new DueRecords({ ...dependencies, rows })
  tasks.start()
  dueRecords?.start()
  return {
    dueRecords,
    tasks,
    async sweep(now) {
      const old = new Date(now.getTime() - limits.reactionDeadSeconds * 1000)
      await store.write(() => queue.forgetDeadLetters(old, limits.sweepRows))
    },
    async idle() {
      await Promise.all([dueRecords?.idle(), tasks.idle()])
    },
    async stop() {
      await Promise.all([dueRecords?.stop(), tasks.stop()])
    },
  }
}

/** A move of the clock that failed: tried again with growing pauses, then a dead letter. */
const moveTask = (
  move: TimedMove,
  moveDue: MoveDue,
  rows: ClockRows,
  { reactionTimeMs: timeLimitMs, reactionAttempts: attempts }: Limits,
): TaskDefinition => ({
  kind: 'move',
  name: move.name,
  timeLimitMs,
  attempts,
  resource: move.action.resource.name,
  async work({ task, now }) {
    try {
      // A record that is not due any more was written since, and is moved when it is due again.
      await moveDue({ move, ids: [task.recordId], now, includesParked: true }, function* () {})
    } catch (error) {
      if (error instanceof Failure && !isUnavailable(error)) throw new RefusedTask(error.message)
      throw error
    }
  },
  *end({ recordId }, isDone) {
    if (isDone) yield* rows.settle(move.name, [recordId])
  },
})
