// Groups by calendar units where clocks change: at any minute, by any step, at midnight, and over a whole day.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, optional, resource, type Service, service, text, timestamp } from 'duet-api'
import { timeZone } from '../../src/resource/code/time-zone.ts'
import { accounts, User } from '../support/domain/account.ts'
import { withService } from '../support/server/service.ts'

const Visit = resource('Visit', {
  prefix: 'vis',
  fields: { at: optional(timestamp()), zone: text({ max: 40 }) },
  where: ['zone', 'at'],
  summary: { by: ['at'] },
  actions: { read: { allow: anyone } },
})
const definition = service({ resources: { User, Visit }, accounts, roles: { ANY: {} } } as never) as Service<unknown>

/** Some of the changes of each: by an hour, by half of one, by two; at midnight; a minute after it; a day left out. */
const zones: Readonly<Record<string, readonly string[]>> = {
  'Europe/Berlin': ['2026-03-29', '2026-10-25'],
  'Australia/Lord_Howe': ['2026-04-04', '2026-10-03'],
  'America/St_Johns': ['2006-04-02', '2006-10-29'],
  'America/Sao_Paulo': ['2018-11-04', '2018-02-18'],
  'America/Havana': ['2026-03-08', '2026-11-01'],
  'Asia/Beirut': ['2026-03-28', '2026-10-24'],
  'Asia/Pyongyang': ['2015-08-14', '2018-05-04'],
  'America/Caracas': ['2007-12-09', '2016-05-01'],
  'Pacific/Apia': ['2011-12-30'],
  'Antarctica/Troll': ['2026-03-29', '2026-10-25'],
  'Africa/Monrovia': ['1972-01-07'],
  'Asia/Kathmandu': ['1985-12-31'],
}
const dayMs = 86_400_000
const minutes = [-61, -60, -31, -30, -1, 0, 1, 29, 30, 31, 59, 60, 61, 90]

/** About the changes of a zone on these days. */
function momentsOf(zone: string): readonly Date[] {
  const changes = timeZone(zone)!.periods.filter(({ begins }) =>
    zones[zone]!.some((day) => Math.abs(begins.getTime() - Date.parse(`${day}T12:00:00Z`)) < 2 * dayMs),
  )
  assert.equal(changes.length, zones[zone]!.length, zone)
  return changes.flatMap(({ begins }) => [
    new Date(begins.getTime() - 1),
    ...minutes.map((minute) => new Date(begins.getTime() + minute * 60_000)),
  ])
}

/** By what Intl says of the moment, and of the milliseconds before it. */
function nameOf(unit: string, at: Date, zone: string): string {
  const parts = (moment: Date) => {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      dateStyle: 'short',
      timeStyle: 'long',
    })
    const { year, month, day, hour } = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, value]),
    )
    return { date: `${year}-${month}-${day}`, hour: `${year}-${month}-${day}T${hour}`, ahead: aheadOf(moment, zone) }
  }
  const own = parts(at)
  if (unit === 'day') return own.date
  if (unit === 'month') return own.date.slice(0, 7)
  if (unit === 'week') return weekOf(own.date)
  // The first second of this hour, before which it was another one, or the clocks were others.
  let begins = Math.floor(at.getTime() / 1_000) * 1_000
  const isSame = (time: number) => {
    const other = parts(new Date(time))
    return other.hour === own.hour && other.ahead === own.ahead
  }
  while (isSame(begins - 60_000)) begins -= 60_000
  while (isSame(begins - 1_000)) begins -= 1_000
  return new Date(begins).toISOString()
}

const aheadOf = (moment: Date, zone: string): number => {
  const { periods } = timeZone(zone)!
  return periods.findLast(({ begins }, index) => index === 0 || begins <= moment)!.aheadSeconds
}

function weekOf(date: string): string {
  const day = new Date(`${date}T00:00:00Z`)
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * dayMs)
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1)
  const week = Math.floor((thursday.getTime() - first) / dayMs / 7) + 1
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`
}

withService(
  '12.2 Summaries where clocks change',
  (running) => {
    test('12.2.40 groups at either end of all moments are of the years 0001 to 9999', async () => {
      const moments = ['0001-01-01T00:00:00Z', '0001-01-01T23:59:59.999Z', '0001-01-02T00:00:00Z']
      moments.push('9999-12-30T23:59:59.999Z', '9999-12-31T00:00:00Z', '9999-12-31T23:59:59.999Z')
      const ends = moments.map((at, index) => [`end${index}`, { Visit: { zone: 'ends', at: new Date(at) } }] as const)
      const fixtures = running().fixtures(Object.fromEntries(ends) as never)
      for (const [name] of ends) await fixtures.idOf(name as never)
      const days = ['0001-01-01', '0001-01-01', '9999-12-31', '9999-12-31']
      // Those between are moved by the clocks: never beyond the ends.
      const moved: Readonly<Record<string, readonly [string, string]>> = {
        'Pacific/Kiritimati': ['0001-01-01', '9999-12-31'],
        'Pacific/Niue': ['0001-01-01', '9999-12-30'],
        'Africa/Monrovia': ['0001-01-01', '9999-12-30'],
        UTC: ['0001-01-02', '9999-12-30'],
      }
      const names = async (unit: string, zone: string) => {
        const where = encodeURIComponent('zone = "ends"')
        const query = `group_by=at:${unit}&time_zone=${zone}&limit=100&where=${where}`
        const { body } = await running().send(`GET /api/v1/visits/summary?${query}`, { fixtures })
        return (body.data as { at: string; count: number }[]).flatMap(({ at, count }) => Array(count).fill(at))
      }
      for (const [zone, between] of Object.entries(moved)) {
        const expected = [...days, ...between].sort()
        assert.deepEqual(await names('day', zone), expected, zone)
        const cut = (chars: number) => expected.map((each) => each.slice(0, chars))
        assert.deepEqual(await names('month', zone), cut(7), zone)
        assert.deepEqual(await names('year', zone), cut(4), zone)
        assert.deepEqual(
          await names('quarter', zone),
          cut(4).map((year) => `${year}-Q${year === '0001' ? 1 : 4}`),
        )
        assert.deepEqual(
          await names('week', zone),
          cut(4).map((year) => `${year}-W${year === '0001' ? '01' : 52}`),
        )
        for (const hour of await names('hour', zone)) assert.match(hour, /^(0001-01-0|9999-12-3)/, zone)
      }
    })

    test('12.1.11 a moment that is far from now is at either end of all moments', async () => {
      for (const [condition, isTrue] of [
        ['at > now - 999999999w', true],
        ['at < now - 999999999w', false],
        ['at < now + 999999999w', true],
        ['at > now + 999999999w', false],
      ] as const) {
        const where = encodeURIComponent(`zone = "far" AND ${condition}`)
        const fixtures = running().fixtures({ far: { Visit: { zone: 'far', at: new Date('2026-01-01') } } } as never)
        await fixtures.idOf('far' as never)
        const { status, body } = await running().send(`GET /api/v1/visits?where=${where}`, { fixtures })
        assert.equal(status, 200)
        assert.equal(body.data.length > 0, isTrue, condition)
      }
    })

    test('12.2.24, 12.2.40 a group is named by what it is in, and an hour by a moment that is in it', async () => {
      const moments = Object.keys(zones).flatMap((zone) => momentsOf(zone).map((at) => ({ zone, at })))
      const never = Object.keys(zones).map((zone) => ({ zone, at: null }))
      const recipes = Object.fromEntries([...moments, ...never].map((each, index) => [`v${index}`, { Visit: each }]))
      const fixtures = running().fixtures(recipes as never)
      for (const name of Object.keys(recipes)) await fixtures.idOf(name as never)
      for (const zone of Object.keys(zones))
        for (const unit of ['hour', 'day', 'week', 'month']) {
          const where = encodeURIComponent(`zone = "${zone}"`)
          const query = `group_by=at:${unit}&time_zone=${zone}&limit=100&where=${where}`
          const { body } = await running().send(`GET /api/v1/visits/summary?${query}`, { fixtures })
          const names = (body.data as readonly { at: string | null; count: number }[]).map(({ at, count }) => [
            at,
            count,
          ])
          const expected = new Map<string, number>()
          for (const { at } of moments.filter((each) => each.zone === zone)) {
            const name = nameOf(unit, at, zone)
            expected.set(name, (expected.get(name) ?? 0) + 1)
          }
          assert.deepEqual(names, [...[...expected].sort(), [null, 1]], `${unit} in ${zone}`)
          const graphql = await running().graphql(
            `{ visitSummary(groupBy: [AT_${unit.toUpperCase()}], timeZone: "${zone}", first: 100, where: { zone: { eq: "${zone}" } }) { nodes { at count } } }`,
            { fixtures },
          )
          const nodes = graphql.body.data.visitSummary.nodes as readonly { at: string; count: number }[]
          assert.deepEqual(
            nodes.map(({ at, count }) => [at, count]),
            names,
          )
        }
    })
  },
  { definition },
)
