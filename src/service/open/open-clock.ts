// Opens the moves and schedules of the clock, which act as the service.

import type { Clock } from '../../time/open-clock.ts'
import type { Ticks } from '../../time/rhythm.ts'
import type { OpenContext } from './open-context.ts'
import { codeRecords } from './open-reactions.ts'
import type { OpenRunner } from './open-runner.ts'

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
    limits,
  })
  shutdown.beforeClose(() => clock.stop())
  return clock
}
