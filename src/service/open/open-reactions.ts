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
export const codeRecords =
  (recordsFor: RecordsFor): AttemptDependencies['recordsFor'] =>
  (signal) => {
    const ended = () => (signal.aborted ? outOfTime : null)
    const caller = { vocabulary: asDefined, request: null, deadline: { ended, expired: ended } }
    return {
      records: recordsFor({ ...caller, actor: null }),
      asService: { records: recordsFor({ ...caller, actor: theService }) },
    }
  }

/** Null, with nothing loaded, if there are none or other processes run them. */
export async function startReactions(
  { options, workers, reactionDefinitions: definitions, log, shutdown }: OpenContext,
  { runnerContext, recordsFor, handover }: OpenRunner,
  { outbox, onEvent }: OpenEvents,
  { traces }: Observation,
): Promise<Reactions | null> {
  if (definitions.size === 0 || !workers) return null
  const [{ openReactions }, { createAct }] = await Promise.all([
    import('../../reaction/reactions.ts'),
    import('../../action/write/act.ts'),
  ])
  const { store, dialect, clock, limits } = runnerContext
  const reactions = await openReactions({
    definitions,
    outbox,
    store,
    dialect,
    recordsFor: codeRecords(recordsFor),
    act: createAct(runnerContext),
    cipher: runnerContext.cipher,
    handover,
    clock,
    random: options.random ?? Math.random,
    log,
    trace: traces?.work ?? untraced,
    limits,
  })
  onEvent((event) => reactions.notify(event))
  shutdown.beforeClose(() => reactions.stop())
  return reactions
}

/** Reads the expressions of schedules. Fails with ServiceDefinitionError if one cannot be read. */
export async function openRhythms({ scheduleDefinitions }: OpenContext): Promise<ReadonlyMap<string, Ticks>> {
  if (scheduleDefinitions.length === 0) return new Map()
  return await (await import('../../time/schedule.ts')).rhythmsOf(scheduleDefinitions)
}

/** Null, with nothing loaded, if there are none or other processes run them. */
export async function startClock(
  context: OpenContext,
  rhythms: ReadonlyMap<string, Ticks>,
  { runnerContext, recordsFor }: OpenRunner,
  { traces }: Observation,
): Promise<Clock | null> {
  const { options, workers, log, shutdown, model, scheduleDefinitions: schedules } = context
  if (!model.usesClock || !workers) return null
  const [{ openClock }, { createAct }, { createMoveDue }] = await Promise.all([
    import('../../time/open-clock.ts'),
    import('../../action/write/act.ts'),
    import('../../action/write/move-due.ts'),
  ])
  const { store, dialect, clock: time, limits } = runnerContext
  const clock = await openClock({
    moves: [...model.resources, ...model.unlisted].flatMap(({ timedMoves }) => timedMoves),
    moveDue: createMoveDue(runnerContext),
    schedules,
    rhythms,
    store,
    dialect,
    recordsFor: codeRecords(recordsFor),
    act: createAct(runnerContext),
    clock: time,
    random: options.random ?? Math.random,
    log,
    trace: traces?.work ?? untraced,
    limits,
  })
  shutdown.beforeClose(() => clock.stop())
  return clock
}
