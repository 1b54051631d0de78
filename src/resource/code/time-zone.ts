// Time zones: offsets from UTC, as this Node knows them, for both databases. (contract 12.2.39, 12.2.40)

import { createBoundedCache } from '../../cache/bounded-cache.ts'
import { timeZoneNames } from './time-zone-names.ts'

/** The first period has no start. */
export interface ClockPeriod {
  readonly begins: Date
  readonly aheadSeconds: number
}
export interface TimeZone {
  readonly name: string
  readonly periods: readonly ClockPeriod[]
}

export const utc: TimeZone = { name: 'UTC', periods: [{ begins: new Date(0), aheadSeconds: 0 }] }

/** By IANA name, in any case; null if there is none, or this Node does not know it. */
export function timeZone(name: string): TimeZone | null {
  // Node also accepts other names, such as IST.
  if (!zoneNames.has(name.toLowerCase())) return null
  const cached = zones.get(name)
  if (cached !== undefined) return cached
  const clock = clockOf(name)
  if (clock === null) return null
  const periods = periodsOf(clock)
  const zone = periods.length === 1 && periods[0]!.aheadSeconds === 0 ? utc : { name, periods: withinYears(periods) }
  zones.set(name, zone, 0)
  return zone
}
const zoneNames = new Set([...timeZoneNames, ...Intl.supportedValuesOf('timeZone')].map((name) => name.toLowerCase()))
const zones = createBoundedCache<TimeZone>(600, Number.POSITIVE_INFINITY)

type Clock = (time: number) => number

function clockOf(name: string): Clock | null {
  // A zone without local time.
  if (name.toLowerCase() === 'factory') return () => 0
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    // Intl throws a RangeError for an unknown zone.
    return null
  }
  return (time) => {
    const [month, day, year, hour, minute, second] = format.format(time).match(/\d+/g)!.map(Number)
    return (Date.UTC(year!, month! - 1, day, hour, minute, second) - time) / 1_000
  }
}

/** The IANA database covers all zones from 1970. Outside, clocks are assumed constant. */
const [first, last] = [Date.UTC(1970, 0), Date.UTC(2101, 0)]
/** Shorter than any period of daylight saving: in Boa Vista in 2000 it lasted a week less an hour. */
const stepMs = 6 * 86_400_000

function periodsOf(clock: Clock): readonly ClockPeriod[] {
  const periods = [{ begins: new Date(first), aheadSeconds: clock(first) }]
  for (let at = first; at < last; at += stepMs) {
    const end = Math.min(at + stepMs, last)
    let from = at
    while (clock(end) !== periods.at(-1)!.aheadSeconds) {
      from = changeBetween(clock, from, end)
      periods.push({ begins: new Date(from), aheadSeconds: clock(from) })
    }
  }
  return periods
}

/** UTC on the first and the last day of all moments: the databases write years beyond 0001 to 9999 differently. */
const withinYears = ([start, ...others]: readonly ClockPeriod[]): readonly ClockPeriod[] => [
  { begins: new Date('0001-01-01T00:00:00Z'), aheadSeconds: 0 },
  { begins: new Date('0001-01-02T00:00:00Z'), aheadSeconds: start!.aheadSeconds },
  ...others,
  { begins: new Date('9999-12-31T00:00:00Z'), aheadSeconds: 0 },
]

/** The first second at which clocks differ from those at `from`. */
function changeBetween(clock: Clock, from: number, end: number): number {
  const before = clock(from)
  let [low, high] = [from, end]
  while (high - low > 1_000) {
    const middle = low + Math.floor((high - low) / 2_000) * 1_000
    if (clock(middle) === before) low = middle
    else high = middle
  }
  return high
}
