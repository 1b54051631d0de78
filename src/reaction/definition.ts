// What `on(…)` holds at run time, and what it must not say: found before the service listens, told in sentences.

import type { Limits } from '../limits.ts'
import { ServiceDefinitionError } from '../resource/contradiction/contradiction.ts'
import type { Column } from '../resource/model/column.ts'
import { eventsOf, type Model, type ResourceModel } from '../resource/model/model.ts'
import type { Reaction } from './on.ts'

export interface ReactionDefinition {
  readonly name: string
  readonly event: string
  readonly resource: ResourceModel
  readonly timeLimitMs: number
  readonly attempts: number
  readonly react: (moment: object) => unknown
  /** The tokens of the new record that it is handed. */
  readonly tokens: readonly string[]
  /** The columns of which it is given what they held before. */
  readonly changed: readonly Column[]
  /** Whether it is about records that were deleted: it is given them as they were. */
  readonly isDeletion: boolean
}
interface Written extends Reaction {
  readonly react: (moment: object) => unknown
  readonly timeLimitSeconds?: number
  readonly attempts?: number
}
type ReactionLimits = Pick<Limits, 'reactionTimeMs' | 'reactionTimeMaxMs' | 'reactionAttempts' | 'reactionAttemptsMax'>

/** The reactions by name. Fails with ServiceDefinitionError where one contradicts itself, another one or the model. */
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
  { name, event, resource, react, timeLimitSeconds = 1, attempts = 1 }: Written,
  before: readonly Written[],
  model: Model,
  { reactionTimeMaxMs, reactionAttemptsMax }: ReactionLimits,
): readonly string[] {
  const emitted = eventsOf(model).some((each) => each.name === event && each.resource.name === resource)
  const secondsMax = reactionTimeMaxMs / 1000
  return [
    ...(/^[A-Za-z][\w-]{0,99}$/.test(name) ? [] : ['needs a name of letters, digits, _ and -']),
    ...(before.some((each) => each.name === name)
      ? ['has the name of another: give one of them a name of its own']
      : []),
    ...(emitted ? [] : [`listens to ${event}, which no action of ${resource} emits in this service`]),
    ...(typeof react === 'function' ? [] : ['says nothing that could be done']),
    ...(timeLimitSeconds > 0 && timeLimitSeconds <= secondsMax
      ? []
      : [`may take more than 0 and at most ${secondsMax} seconds`]),
    ...(Number.isInteger(attempts) && attempts >= 1 && attempts <= reactionAttemptsMax
      ? []
      : [`is tried 1 to ${reactionAttemptsMax} times`]),
  ]
}
