// Reactions at run time, and the checks of their definitions at the start.

import type { Limits } from '../limits.ts'
import { ServiceDefinitionError } from '../resource/contradiction/contradiction.ts'
import type { AnyResource } from '../resource/language/row/any-resource.ts'
import type { Column } from '../resource/model/column.ts'
import { eventsOf, type Model, type ResourceModel } from '../resource/model/model.ts'
import type { Program } from '../store/store.ts'
import type { Reaction, ReactionMoment } from './on.ts'
import type { Task } from './queue.ts'

/** What the queue runs: a reaction, a tick of a schedule, or a move made by the clock that failed. */
export interface TaskDefinition {
  readonly kind: 'reaction' | 'schedule' | 'move'
  readonly name: string
  readonly timeLimitMs: number
  readonly attempts: number
  /** Of the records that its tasks are about; empty if they are about none. */
  readonly resource: string
  work(moment: TaskMoment): Promise<void>
  /** In the transaction that ends a task, or makes it a dead letter. */
  end(task: Task, isDone: boolean): Program<void>
}
/** What an attempt gives to the code. */
export interface TaskMoment
  extends Pick<ReactionMoment<AnyResource, never>, 'records' | 'asService' | 'finish' | 'signal' | 'now'> {
  readonly task: Task
  /** Removes secrets from what is logged of the attempt from now on. */
  readonly hide: (clean: (text: string) => string) => void
}
export interface ReactionDefinition {
  readonly name: string
  readonly timeLimitMs: number
  readonly attempts: number
  readonly event: string
  readonly resource: ResourceModel
  readonly react: (moment: object) => unknown
  readonly tokens: readonly string[]
  readonly changed: readonly Column[]
  /** The event is a deletion: it receives the record as it was. */
  readonly isDeletion: boolean
}
interface Written extends Reaction {
  readonly react: (moment: object) => unknown
  readonly timeLimitSeconds?: number
  readonly attempts?: number
}
type ReactionLimits = Pick<Limits, 'reactionTimeMs' | 'reactionTimeMaxMs' | 'reactionAttempts' | 'reactionAttemptsMax'>

/** Fails with ServiceDefinitionError. */
export function readReactions(
  reactions: readonly Reaction[],
  model: Model,
  limits: ReactionLimits,
): ReadonlyMap<string, ReactionDefinition> {
  const written = reactions as readonly Written[]
  const problems = written.flatMap((each, index) =>
    problemsOf(each, written.slice(0, index), model, limits).map((problem) => `The reaction ${each.name} ${problem}.`),
  )
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
  const events = eventsOf(model)
  return new Map(
    written.map(({ name, event, react, timeLimitSeconds, attempts = limits.reactionAttempts }) => {
      const timeLimitMs = timeLimitSeconds === undefined ? limits.reactionTimeMs : timeLimitSeconds * 1000
      const { with: tokens, changed, isDeletion, resource: of } = events.find((each) => each.name === event)!
      return [name, { name, event, resource: of, react, timeLimitMs, attempts, tokens, changed, isDeletion }]
    }),
  )
}

function problemsOf(
  { name, event, resource, react, ...options }: Written,
  before: readonly Written[],
  model: Model,
  { reactionTimeMaxMs: timeMaxMs, reactionAttemptsMax: attemptsMax }: ReactionLimits,
): readonly string[] {
  const emitted = eventsOf(model).some((each) => each.name === event && each.resource.name === resource)
  const isTaken = before.some((each) => each.name === name)
  return [
    ...taskProblems({ name, isTaken, ...options }, { timeMaxMs, attemptsMax }),
    ...(emitted ? [] : [`listens to ${event}, which no action of ${resource} emits in this service`]),
    ...(typeof react === 'function' ? [] : ['has no handler']),
  ]
}

interface WrittenTask {
  readonly name: string
  readonly isTaken: boolean
  readonly timeLimitSeconds?: number
  readonly attempts?: number
}

/** What is wrong with the name and the limits of a reaction or a schedule. */
export function taskProblems(
  { name, isTaken, timeLimitSeconds = 1, attempts = 1 }: WrittenTask,
  { timeMaxMs, attemptsMax }: { readonly timeMaxMs: number; readonly attemptsMax: number },
): readonly string[] {
  const secondsMax = timeMaxMs / 1000
  return [
    ...(/^[A-Za-z][\w-]{0,99}$/.test(name) ? [] : ['needs a name of letters, digits, _ and -']),
    ...(isTaken ? ['has the name of another reaction or schedule: give one of them a name of its own'] : []),
    ...(timeLimitSeconds > 0 && timeLimitSeconds <= secondsMax
      ? []
      : [`may take more than 0 and at most ${secondsMax} seconds`]),
    ...(Number.isInteger(attempts) && attempts >= 1 && attempts <= attemptsMax
      ? []
      : [`is tried 1 to ${attemptsMax} times`]),
  ]
}
