// Opens what runs without a caller and may act as the service: reactions, and what the clock does.

import type { RecordsFor } from '../../action/code/records.ts'
import { outOfTime } from '../../budget/deadline.ts'
import { untraced } from '../../observation/trace.ts'
import type { Reactions } from '../../reaction/reactions.ts'
import type { AttemptDependencies } from '../../reaction/run.ts'
import { theService } from '../../resource/actor.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'
import type { Clock } from '../../time/open-clock.ts'
import type { Ticks } from '../../time/rhythm.ts'
import type { OpenContext } from './open-context.ts'
import type { OpenEvents } from './open-events.ts'
import type { Observation } from './open-observation.ts'
import type { OpenRunner } from './open-runner.ts'

/** What code without a caller is given, until its signal aborts. */
const codeRecords =
  (recordsFor: RecordsFor): AttemptDependencies['recordsFor'] =>
  (signal) => {
    const ended = () => (signal.aborted ? outOfTime : null)
    const caller = { vocabulary: asDefined, request: null, deadline: { ended, expired: ended } }
    return {
      records: recordsFor({ ...caller, actor: null }),
      asService: { records: recordsFor({ ...caller, actor: theService }) },
    }
  }

/** What every attempt at a task needs. */
function attempting(
  { options, log }: OpenContext,
  { runnerContext, recordsFor, act }: OpenRunner,
  { traces }: Observation,
) {
  const { store, dialect, clock, limits } = runnerContext
  return {
    store,
    dialect,
    clock,
    limits,
    recordsFor: codeRecords(recordsFor),
    act,
    random: options.random ?? Math.random,
    log,
    trace: traces?.work ?? untraced,
  }
}

/** Null, with nothing loaded, if there are none or other processes run them. */
export async function startReactions(
  context: OpenContext,
  runner: OpenRunner,
  { outbox, onEvent }: OpenEvents,
  observation: Observation,
): Promise<Reactions | null> {
  const { workers, reactions: definitions, shutdown } = context
  if (definitions.size === 0 || !workers) return null
  const { openReactions } = await import('../../reaction/reactions.ts')
  const reactions = await openReactions({
    ...attempting(context, runner, observation),
    definitions,
    outbox,
    cipher: runner.runnerContext.cipher,
    handover: runner.handover,
  })
  onEvent((event) => reactions.notify(event))
  shutdown.beforeClose(() => reactions.stop())
  return reactions
}

/** Reads the expressions of schedules. Fails with ServiceDefinitionError if one cannot be read. */
export async function openRhythms({ schedules }: OpenContext): Promise<ReadonlyMap<string, Ticks>> {
  if (schedules.length === 0) return new Map()
  return await (await import('../../time/schedule.ts')).rhythmsOf(schedules)
}

/** Null, with nothing loaded, if there are none or other processes run them. */
export async function startClock(
  context: OpenContext,
  rhythms: ReadonlyMap<string, Ticks>,
  runner: OpenRunner,
  observation: Observation,
): Promise<Clock | null> {
  const { workers, shutdown, model, schedules } = context
  if (!model.usesClock || !workers) return null
  const [{ openClock }, { createMoveDue }] = await Promise.all([
    import('../../time/open-clock.ts'),
    import('../../action/write/move-due.ts'),
  ])
  const clock = await openClock({
    ...attempting(context, runner, observation),
    moves: [...model.resources, ...model.unlisted].flatMap(({ timedMoves }) => timedMoves),
    moveDue: createMoveDue(runner.runnerContext),
    schedules,
    rhythms,
  })
  shutdown.beforeClose(() => clock.stop())
  return clock
}
