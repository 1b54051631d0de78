// Schedules at run time, and the checks of their definitions at the start.

import type { Limits } from '../limits.ts'
import { taskProblems } from '../reaction/definition.ts'
import { ServiceDefinitionError } from '../resource/contradiction/contradiction.ts'
import type { Rhythm, Schedule, Tick } from './every.ts'
import { type Ticks, ticksOf } from './rhythm.ts'

export interface ScheduleDefinition {
  readonly name: string
  readonly rhythm: Rhythm
  /** Instances that have another one start nothing. */
  readonly pattern: string
  /** How many missed ticks run. */
  readonly missedMax: number
  readonly timeLimitMs: number
  readonly attempts: number
  readonly work: (tick: Tick) => Promise<void>
}
interface Written extends Schedule {
  readonly rhythm: Rhythm
  readonly work: (tick: Tick) => Promise<void>
  readonly missed?: 'once' | 'none' | { readonly upTo: number }
  readonly timeLimitSeconds?: number
  readonly attempts?: number
}
type ScheduleLimits = Pick<Limits, 'scheduleTimeMs' | 'scheduleStepMs' | 'reactionAttempts' | 'reactionAttemptsMax'>

/** At most so many missed ticks are run, or counted. */
export const missedTicksMax = 1_000

/** Fails with ServiceDefinitionError if a schedule contradicts itself, another one, or a reaction or move of this name. */
export function readSchedules(
  schedules: readonly Schedule[],
  otherNames: ReadonlySet<string>,
  limits: ScheduleLimits,
): readonly ScheduleDefinition[] {
  const written = schedules as readonly Written[]
  const problems = written.flatMap((each, index) => {
    const before = new Set([...otherNames, ...written.slice(0, index).map(({ schedule }) => schedule)])
    return problemsOf(each, before, limits).map((problem) => `The schedule ${each.schedule} ${problem}.`)
  })
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
  return written.map(({ schedule, rhythm, work, missed = 'once', timeLimitSeconds, attempts }) => ({
    name: schedule,
    rhythm,
    pattern: JSON.stringify(rhythm.minutes === undefined ? [rhythm.cron, rhythm.timeZone] : [rhythm.minutes]),
    missedMax: missed === 'once' ? 1 : missed === 'none' ? 0 : missed.upTo,
    timeLimitMs: timeLimitSeconds === undefined ? limits.scheduleTimeMs : timeLimitSeconds * 1000,
    attempts: attempts ?? limits.reactionAttempts,
    work,
  }))
}

function problemsOf(
  { schedule: name, rhythm, work, missed = 'once', ...options }: Written,
  before: ReadonlySet<string>,
  { scheduleTimeMs: timeMaxMs, scheduleStepMs, reactionAttemptsMax: attemptsMax }: ScheduleLimits,
): readonly string[] {
  const upTo = typeof missed === 'object' ? missed.upTo : 1
  return [
    ...taskProblems({ name, isTaken: before.has(name), ...options }, { timeMaxMs, attemptsMax }),
    ...(typeof work === 'function' ? [] : ['has no work']),
    ...rhythmProblems(rhythm, scheduleStepMs),
    ...(Number.isInteger(upTo) && upTo >= 1 && upTo <= missedTicksMax
      ? []
      : [`runs 1 to ${missedTicksMax} of its missed ticks`]),
  ]
}

function rhythmProblems({ cron, timeZone, minutes }: Rhythm, stepMs: number): readonly string[] {
  if (minutes !== undefined)
    return minutes > 0 && minutes <= 10_080 && Number.isInteger((minutes * minuteMs) / stepMs)
      ? []
      : ['has an interval that is no whole number of minutes from 1 to 10,080, a week']
  if (typeof cron !== 'string' || cron.trim().split(/\s+/).length !== 5)
    return ["has no cron expression of five fields, such as '0 8 * * MON-FRI'"]
  try {
    new Intl.DateTimeFormat('en-US', { timeZone })
    return typeof timeZone === 'string' ? [] : ['has no time zone']
  } catch {
    return [`is in the time zone ${timeZone}, which does not exist`]
  }
}

/** `at 0 8 * * MON-FRI in Europe/Vienna; of missed ticks, the latest runs`. */
export function scheduleText({ rhythm: { cron, timeZone, minutes }, missedMax }: ScheduleDefinition): string {
  const when =
    minutes === undefined ? `at ${cron} in ${timeZone}` : `every ${minutes} minute${minutes === 1 ? '' : 's'}`
  const missed = ['none runs', 'the latest runs'][missedMax] ?? `the latest ${missedMax} run`
  return `${when}; of missed ticks, ${missed}`
}

/** Fails with ServiceDefinitionError if an expression cannot be read, or never comes. */
export async function rhythmsOf(definitions: readonly ScheduleDefinition[]): Promise<ReadonlyMap<string, Ticks>> {
  const rhythms = new Map<string, Ticks>()
  for (const { name, rhythm } of definitions) {
    let ticks: Ticks
    // The author needs the reason.
    try {
      ticks = await ticksOf(rhythm)
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)) throw error
      throw new ServiceDefinitionError([`The schedule ${name} cannot be read: ${error.message}`])
    }
    if (ticks.after(new Date(0)) === null)
      throw new ServiceDefinitionError([`The schedule ${name} never comes: change ${rhythm.cron}.`])
    rhythms.set(name, ticks)
  }
  return rhythms
}

/** The latest ticks after `from` until `to`, at most `count`, oldest first. Looks back over ever longer spans. */
export function latestTicks({ after }: Ticks, from: Date, to: Date, count: number): readonly Date[] {
  for (let spanMs = minuteMs; ; spanMs *= 2) {
    const isWhole = to.getTime() - spanMs <= from.getTime()
    const ticks: Date[] = []
    let next = after(isWhole ? from : new Date(to.getTime() - spanMs))
    while (next !== null && next <= to) {
      ticks.push(next)
      next = after(next)
    }
    if (isWhole || ticks.length >= count) return ticks.slice(-count)
  }
}
const minuteMs = 60_000
