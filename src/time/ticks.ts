// Turns ticks that are due into tasks: one row per schedule, locked while its next tick is chosen, so that each becomes one task.

import type { TaskDefinition } from '../reaction/definition.ts'
import type { TaskRunnerDependencies } from '../reaction/task-runner.ts'
import type { Dialect } from '../store/sql/text/dialect.ts'
import { sharedTime } from '../store/sql/text/shared-time.ts'
import type { Program, Store } from '../store/store.ts'
import type { ClockRows } from './clock-rows.ts'
import type { Ticks } from './rhythm.ts'
import { latestTicks, type ScheduleDefinition } from './schedule.ts'

export interface TickDependencies {
  readonly definitions: readonly ScheduleDefinition[]
  readonly rhythms: ReadonlyMap<string, Ticks>
  readonly rows: ClockRows
  readonly store: Store
  readonly dialect: Dialect
  readonly clock: () => Date
}

/** Registers the schedules: a new one, or a changed expression, counts from now. */
export async function openTicks(
  dependencies: TickDependencies,
): Promise<Pick<TaskRunnerDependencies, 'makeTasks' | 'runs'>> {
  const { definitions, store, rows, rhythms, dialect, clock } = dependencies
  const opened = new Map<ScheduleDefinition, Date>()
  const next = new Map<ScheduleDefinition, Date | null>()
  for (const each of definitions)
    await store.write(function* () {
      const now = yield* sharedTime(dialect, clock)
      const { name, pattern } = each
      const row = yield* rows.open(name, { pattern, at: now, isReady: true })
      if (row.pattern !== pattern) yield* rows.write(name, { pattern, at: now, isReady: true })
      opened.set(each, now)
      next.set(each, rhythms.get(name)!.after(row.pattern === pattern ? row.at : now))
    })
  /** Another instance registered them with another expression later: they are its own. */
  let foreign: ReadonlySet<string> = new Set()
  function* look(): Program<Date> {
    const patterns = yield* rows.patterns()
    foreign = new Set(definitions.flatMap(({ name, pattern }) => (patterns.get(name) === pattern ? [] : name)))
    return yield* sharedTime(dialect, clock)
  }
  async function makeTasks(): Promise<void> {
    if (definitions.length === 0) return
    const now = await store.read(look())
    for (const each of definitions) {
      if (foreign.has(each.name)) continue
      const time = next.get(each)!
      if (time === null || time > now) continue
      const nextTime = await store.write(() => startTick(each, { now, opened: opened.get(each)! }, dependencies))
      next.set(each, nextTime)
    }
  }
  return { makeTasks, runs: (name) => !foreign.has(name) }
}

/** Adds a task for a tick that is due, unless one is running; returns when to look again. */
function* startTick(
  { name, pattern, missedMax }: ScheduleDefinition,
  { now, opened }: { readonly now: Date; readonly opened: Date },
  { rows, rhythms }: TickDependencies,
): Program<Date | null> {
  const row = yield* rows.row(name)
  if (row.pattern !== pattern) return now
  const ticks = rhythms.get(name)!
  const due = latestTicks(ticks, row.at, now, Math.max(1, missedMax))
  const last = due.at(-1)
  if (last === undefined) return ticks.after(row.at)
  const isBusy = (yield* rows.running(name)) > 0
  if (isBusy && missedMax > 0) return now
  // Without missed ticks, one is run only by an instance that was running when it was due.
  const tick = missedMax > 0 ? due[0]! : !isBusy && last > opened ? last : null
  yield* rows.write(name, { ...row, at: tick ?? last })
  if (tick !== null) {
    const eventId = `${name} ${tick.toISOString()}`
    yield* rows.add({ name, eventId, resource: '', recordId: '', at: tick }, now, now, null)
  }
  return ticks.after(tick ?? last)
}

export const scheduleTask = (
  { name, timeLimitMs, attempts, work }: ScheduleDefinition,
  rows: ClockRows,
  dialect: Dialect,
  clock: () => Date,
): TaskDefinition => ({
  kind: 'schedule',
  name,
  timeLimitMs,
  attempts,
  resource: '',
  async work({ task: { at: tick, attempt }, records, asService, finish, signal, now }) {
    await work({ tick, attempt, records, asService, finish, signal, now })
  },
  *end(_, isDone) {
    if (isDone) yield* rows.done(name, yield* sharedTime(dialect, clock))
  },
})
