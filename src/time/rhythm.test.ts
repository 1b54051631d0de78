// Cron expressions, compared with walking through the minutes of a local clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samples } from '../../test/support/check/samples.ts'
import { ticksOf } from './rhythm.ts'

const minuteMs = 60_000
const zones = ['Europe/Vienna', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Pacific/Apia', 'UTC']
const expressions = samples(1)
const years = Number(process.env['EXPRESSION_YEARS'] ?? 1)

/** A generator of its own, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Field {
  readonly text: string
  readonly values: ReadonlySet<number>
}
function fieldOf(
  [from, to, end = to]: readonly [number, number, number?],
  pick: (below: number) => number,
  isWhole: boolean,
): Field {
  const all = Array.from({ length: end - from + 1 }, (_, at) => from + at)
  const kind = isWhole ? 0 : 1 + pick(4)
  const one = from + pick(to - from + 1)
  if (kind === 0) return { text: '*', values: new Set(all) }
  if (kind === 1) return { text: String(one), values: new Set([one]) }
  if (kind === 2) {
    const step = 2 + pick(Math.max(1, Math.floor(all.length / 2)))
    return { text: `*/${step}`, values: new Set(all.filter((each) => (each - from) % step === 0)) }
  }
  if (kind === 3) {
    const last = one + pick(to - one + 1)
    return { text: `${one}-${last}`, values: new Set(all.filter((each) => each >= one && each <= last)) }
  }
  const other = from + pick(to - from + 1)
  return { text: `${one},${other}`, values: new Set([one, other]) }
}

/** The local clock, minute by minute; a change of it leaves out or repeats local minutes. */
function* localMinutes(timeZone: string, from: number, to: number): Iterable<readonly [moment: number, local: number]> {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const offsetAt = (moment: number): number => {
    const part = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
    return Date.UTC(part['year']!, part['month']! - 1, part['day']!, part['hour']!, part['minute']!) - moment
  }
  // Offsets change at full quarters of an hour.
  for (let quarter = from; quarter < to; quarter += 15 * minuteMs) {
    const offset = offsetAt(quarter)
    for (let moment = quarter; moment < quarter + 15 * minuteMs; moment += minuteMs) yield [moment, moment + offset]
  }
}

for (const [at, timeZone] of zones.entries())
  test(`14.2.6 the ticks of ${expressions} expressions in ${timeZone} are those of a walk through every minute`, async () => {
    const [from, to] = [Date.UTC(2020, 0, 1), Date.UTC(2020 + years, 0, 1)]
    const minutes = [...localMinutes(timeZone, from, to)]
    for (let seed = 1; seed <= expressions; seed++) {
      const pick = random(seed * 7 + at)
      // Often the hours around which clocks change.
      const isWholeDay = pick(3) > 0
      const fields = [
        fieldOf([0, 59], pick, pick(20) === 0),
        pick(3) === 0 ? fieldOf([0, 4, 23], pick, false) : fieldOf([0, 23], pick, pick(3) === 0),
        fieldOf([1, 28, 31], pick, isWholeDay),
        fieldOf([1, 12], pick, pick(2) === 0),
        fieldOf([0, 6], pick, pick(3) > 0),
      ] as const
      const cron = fields.map(({ text }) => text).join(' ')
      const [minute, hour, day, month, weekday] = fields
      const matches = (local: number): boolean => {
        const date = new Date(local)
        const [isDay, isWeekday] = [day.values.has(date.getUTCDate()), weekday.values.has(date.getUTCDay())]
        // Day and weekday together mean either.
        const isToday = day.text === '*' || weekday.text === '*' ? isDay && isWeekday : isDay || isWeekday
        const isNow = minute.values.has(date.getUTCMinutes()) && hour.values.has(date.getUTCHours())
        return isNow && isToday && month.values.has(date.getUTCMonth() + 1)
      }
      const expected: number[] = []
      let latest = minutes[0]![1] - minuteMs
      for (const [moment, local] of minutes) {
        // A gap: what it leaves out is the first moment after it.
        let isDue = local > latest && matches(local)
        for (let missing = latest + minuteMs; missing < local; missing += minuteMs) if (matches(missing)) isDue = true
        if (isDue) expected.push(moment)
        latest = Math.max(latest, local)
      }
      const { after } = await ticksOf({ cron, timeZone })
      const actual: number[] = []
      for (let next = after(new Date(from - 1)); next !== null && next.getTime() < to; next = after(next))
        actual.push(next.getTime())
      const show = (times: readonly number[]) => times.map((each) => new Date(each).toISOString())
      const wrong = expected.findIndex((each, index) => each !== actual[index])
      const around = (times: readonly number[]) => show(times.slice(Math.max(0, wrong - 1), wrong + 2)).join()
      assert(wrong === -1, `${cron} in ${timeZone}: ${around(actual)} instead of ${around(expected)}`)
      assert.equal(actual.length, expected.length, `${cron} in ${timeZone}`)
    }
  })

test('14.2.6 intervals are counted from the epoch', async () => {
  const { after } = await ticksOf({ minutes: 15 })
  assert.equal(after(new Date('2026-11-20T09:30:00Z'))!.toISOString(), '2026-11-20T09:45:00.000Z')
  assert.equal(after(new Date('2026-11-20T09:29:59.999Z'))!.toISOString(), '2026-11-20T09:30:00.000Z')
})
