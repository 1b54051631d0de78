// The beginning of the calendar unit that a moment is in, in a time zone.

import { timeZone, utc } from '../code/time-zone.ts'

export type CalendarUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'
export const calendarUnits: readonly CalendarUnit[] = ['hour', 'day', 'week', 'month', 'quarter', 'year']

/** The first moment of the current unit. Weeks begin on Monday. */
export interface CalendarStart {
  readonly unit: CalendarUnit
  /** By its name in the IANA database. */
  readonly timeZone: string
}

/**
 * `local`: what its clocks show then, as if they were UTC. A beginning that the clocks skip is the first moment after it; of one that
 * they show twice it is the first.
 */
export function beginningOf({ unit, timeZone: name }: CalendarStart, now: Date): Record<'moment' | 'local', Date> {
  const { periods } = timeZone(name) ?? utc
  const time = now.getTime()
  const { aheadSeconds } = periods.findLast(({ begins }, at) => at === 0 || begins.getTime() <= time)!
  const local = localBeginning(unit, time + aheadSeconds * 1_000)
  for (const [at, period] of periods.entries()) {
    const begins = at === 0 ? Number.NEGATIVE_INFINITY : period.begins.getTime()
    const moment = Math.max(local - period.aheadSeconds * 1_000, begins)
    if (moment < (periods[at + 1]?.begins.getTime() ?? Number.POSITIVE_INFINITY))
      return { moment: new Date(moment), local: new Date(local) }
  }
  throw new Error('The last period of a time zone has no end.')
}

function localBeginning(unit: CalendarUnit, time: number): number {
  if (unit === 'hour') return Math.floor(time / hourMs) * hourMs
  const day = Math.floor(time / dayMs) * dayMs
  const date = new Date(day)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (unit) {
    case 'day':
      return day
    case 'week':
      return day - ((date.getUTCDay() + 6) % 7) * dayMs
    case 'month':
      return firstOf(year, month)
    case 'quarter':
      return firstOf(year, month - (month % 3))
    case 'year':
      return firstOf(year, 0)
  }
}
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** `Date.UTC` takes years below 100 for those of the last century. */
const firstOf = (year: number, month: number): number => new Date(0).setUTCFullYear(year, month, 1)
