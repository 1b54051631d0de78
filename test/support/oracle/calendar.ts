// Calendar units by the rules that laws have for clocks, without a table of time zones.

export type Unit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'

const hourMs = 3_600_000
/** The last Sunday of a month, from 0, at this hour of UTC. */
function lastSunday(year: number, month: number, hour: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0))
  return Date.UTC(year, month, last.getUTCDate() - last.getUTCDay(), hour)
}
/** The Sunday of this number in a month, at this hour of UTC. */
function sunday(number: number, year: number, month: number, hour: number): number {
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay()
  return Date.UTC(year, month, 1 + ((7 - first) % 7) + 7 * (number - 1), hour)
}

/** How far clocks are ahead of UTC, of the years in which these rules hold. */
export const zones = {
  UTC: () => 0,
  'Europe/Berlin': (time: number) => {
    const year = new Date(time).getUTCFullYear()
    return (time >= lastSunday(year, 2, 1) && time < lastSunday(year, 9, 1) ? 2 : 1) * hourMs
  },
  'America/New_York': (time: number) => {
    const year = new Date(time).getUTCFullYear()
    return (time >= sunday(2, year, 2, 7) && time < sunday(1, year, 10, 6) ? -4 : -5) * hourMs
  },
  'Asia/Kolkata': () => 5.5 * hourMs,
} as const

/** What a moment's unit is called, or a day's, which is in no zone. */
export function unitName(unit: Unit, value: Date | string, zone: keyof typeof zones): string {
  const time = new Date(value).getTime()
  const ahead = typeof value === 'string' ? 0 : zones[zone](time)
  const local = new Date(time + ahead)
  const iso = local.toISOString()
  const year = iso.slice(0, 4)
  switch (unit) {
    case 'year':
      return year
    case 'quarter':
      return `${year}-Q${Math.floor(local.getUTCMonth() / 3) + 1}`
    case 'month':
      return iso.slice(0, 7)
    case 'week':
      return weekOf(local)
    case 'day':
      return iso.slice(0, 10)
    case 'hour':
      return new Date(Date.parse(`${iso.slice(0, 13)}:00:00.000Z`) - ahead).toISOString()
  }
}

/** The first moment of the unit that a moment is in, and what its day is called there: found by walking back. */
export function beginning(unit: Unit, time: number, zone: keyof typeof zones): { moment: number; day: string } {
  const stepMs = hourMs / 2
  const name = (at: number) => unitName(unit, new Date(at), zone)
  let moment = Math.floor(time / stepMs) * stepMs
  while (name(moment - stepMs) === name(time)) moment -= stepMs
  return { moment, day: unitName('day', new Date(moment), zone) }
}

/** ISO 8601: the week of a year is the one whose Thursday is in that year. */
function weekOf(local: Date): string {
  const thursday = new Date(local)
  thursday.setUTCDate(local.getUTCDate() + 4 - (local.getUTCDay() || 7))
  const year = thursday.getUTCFullYear()
  const days = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (24 * hourMs))
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`
}
