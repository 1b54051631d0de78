// Time zones: how far their clocks are ahead of UTC, and since when. What Node knows of them goes for both databases. (contract 12.2.24)

import { createBoundedCache } from '../cache/bounded-cache.ts'

/** The clocks of a zone between two changes; of the first, there is no beginning. */
export interface ClockPeriod {
  readonly begins: Date
  readonly aheadSeconds: number
}
export interface TimeZone {
  readonly name: string
  readonly periods: readonly ClockPeriod[]
}

export const utc: TimeZone = { name: 'UTC', periods: [{ begins: new Date(0), aheadSeconds: 0 }] }

/** The zone of this name in the IANA database; null where there is none. */
export function timeZone(name: string): TimeZone | null {
  if (!form.test(name)) return null
  const cached = zones.get(name)
  if (cached !== undefined) return cached
  const clock = clockOf(name)
  if (clock === null) return null
  const periods = periodsOf(clock)
  const zone = periods.length === 1 && periods[0]!.aheadSeconds === 0 ? utc : { name, periods }
  zones.set(name, zone, 0)
  return zone
}
const form = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/
const zones = createBoundedCache<TimeZone>(600, Number.POSITIVE_INFINITY)

/** How far the clocks are ahead at a moment. */
type Clock = (time: number) => number

function clockOf(name: string): Clock | null {
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
    // RangeError is how Intl says that it knows no such zone.
    return null
  }
  return (time) => {
    const [month, day, year, hour, minute, second] = format.format(time).match(/\d+/g)!.map(Number)
    return (Date.UTC(year!, month! - 1, day, hour, minute, second) - time) / 1_000
  }
}

/** From 1970, when the IANA database begins for all zones, to 2100; before and behind, clocks stay as they were and will be. */
const [first, last] = [Date.UTC(1970, 0), Date.UTC(2101, 0)]
/** Shorter than clocks ever were put forward for: in Boa Vista in the year 2000, a week less an hour. */
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

/** The first second of other clocks than those at `from`. */
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
