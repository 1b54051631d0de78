// A move of the clock that failed, as a task: tried again with growing pauses, then a dead letter.

import type { MoveDue } from '../action/write/move-due.ts'
import { Failure } from '../failure/failure.ts'
import type { Limits } from '../limits.ts'
import type { TaskDefinition } from '../reaction/definition.ts'
import { RefusedTask } from '../reaction/run.ts'
import type { TimedMove } from '../resource/model/model.ts'
import type { ClockRows } from './clock-rows.ts'

export const moveTask = (
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
      if (error instanceof Failure && error.code !== 'SERVICE_UNAVAILABLE') throw new RefusedTask(error.message)
      throw error
    }
  },
  *end({ recordId }, isDone) {
    if (isDone) yield* rows.settle(move.name, [recordId])
  },
})
