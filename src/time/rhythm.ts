// When a schedule is due: intervals from the epoch, or cron expressions in a time zone.

import type { Cron } from 'croner'
import { loadOptional } from '../dependency/optional-package.ts'
import type { Rhythm } from './every.ts'

export interface Ticks {
  /** The first tick after this moment; null if there is none. */
  after(moment: Date): Date | null
}

/** Rejects with the reason if the expression or the time zone is invalid, and with MissingPackage. */
export async function ticksOf(rhythm: Rhythm): Promise<Ticks> {
  if (rhythm.minutes !== undefined) return intervals(rhythm.minutes * 60_000)
  const { Cron } = await loadOptional('croner', 'A schedule has a cron expression', () => import('croner'))
  // croner leaves out some of the times that a change of half an hour skips.
  const cron = new Cron(rhythm.cron, { timezone: 'UTC', paused: true, mode: '5-part' })
  return localTicks(cron, wallClock(rhythm.timeZone))
}

const intervals = (ms: number): Ticks => ({
  after: (moment) => new Date((Math.floor(moment.getTime() / ms) + 1) * ms),
})

type Offset = (moment: number) => number

const localTicks = (cron: Cron, offsetAt: Offset): Ticks => ({
  after(moment) {
    const time = moment.getTime()
    let local = cron.nextRun(new Date(time + offsetAt(time)))
    // A clock that was put back shows a second time what was due the first time.
    for (; local !== null; local = cron.nextRun(local)) {
      const next = firstAt(local.getTime(), offsetAt)
      if (next > time) return new Date(next)
    }
    return null
  },
})

/** The first moment at which the local clock shows this time, or a later one if it never does. */
function firstAt(local: number, offsetAt: Offset): number {
  const [early, late] = [local - searchMs, local + searchMs]
  const [before, after] = [offsetAt(early), offsetAt(late)]
  if (before === after) return local - before
  const change = changeBetween(early, late, offsetAt)
  if (local < change + before) return local - before
  return Math.max(change, local - after)
}
/** More than any clock differs from UTC. */
const searchMs = 26 * 3_600_000

/** The moment of the change, to the minute. */
function changeBetween(early: number, late: number, offsetAt: Offset): number {
  const before = offsetAt(early)
  let [first, last] = [Math.floor(early / minuteMs), Math.floor(late / minuteMs)]
  while (last - first > 1) {
    const middle = Math.floor((first + last) / 2)
    if (offsetAt(middle * minuteMs) === before) first = middle
    else last = middle
  }
  return last * minuteMs
}
const minuteMs = 60_000

function wallClock(timeZone: string): Offset {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields })
  return (moment) => {
    const part = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
    const [year, month, day] = [part.get('year')!, part.get('month')!, part.get('day')!]
    const shown = Date.UTC(year, month - 1, day, part.get('hour')!, part.get('minute')!)
    return shown - Math.floor(moment / minuteMs) * minuteMs
  }
}
