// Where calendar units begin, in zones whose clocks change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginningOf, type CalendarUnit } from './calendar.ts'

const cases: readonly (readonly [CalendarUnit, string, now: string, moment: string, local: string])[] = [
  ['hour', 'UTC', '2026-11-26T07:59:59.999Z', '2026-11-26T07:00', '2026-11-26T07:00'],
  ['hour', 'Asia/Kolkata', '2026-11-26T07:29:00Z', '2026-11-26T06:30', '2026-11-26T12:00'],
  ['day', 'UTC', '2026-11-26T00:00:00Z', '2026-11-26T00:00', '2026-11-26T00:00'],
  ['day', 'Europe/Vienna', '2026-11-25T23:00:00Z', '2026-11-25T23:00', '2026-11-26T00:00'],
  ['day', 'Europe/Vienna', '2026-11-25T22:59:59Z', '2026-11-24T23:00', '2026-11-25T00:00'],
  // The day on which clocks are put forward, and the one on which they are put back.
  ['day', 'Europe/Vienna', '2026-03-29T12:00:00Z', '2026-03-28T23:00', '2026-03-29T00:00'],
  ['day', 'Europe/Vienna', '2026-10-25T12:00:00Z', '2026-10-24T22:00', '2026-10-25T00:00'],
  // Midnight is skipped.
  ['day', 'America/Santiago', '2026-09-06T12:00:00Z', '2026-09-06T04:00', '2026-09-06T00:00'],
  // Midnight is shown twice.
  ['day', 'America/Havana', '2026-11-01T12:00:00Z', '2026-11-01T04:00', '2026-11-01T00:00'],
  // A day that did not exist.
  ['month', 'Pacific/Apia', '2012-01-15T00:00:00Z', '2011-12-31T10:00', '2012-01-01T00:00'],
  ['week', 'UTC', '2026-11-26T07:00:00Z', '2026-11-23T00:00', '2026-11-23T00:00'],
  ['week', 'UTC', '2026-11-29T23:00:00Z', '2026-11-23T00:00', '2026-11-23T00:00'],
  ['week', 'UTC', '2026-11-30T00:00:00Z', '2026-11-30T00:00', '2026-11-30T00:00'],
  ['month', 'Australia/Lord_Howe', '2026-10-20T00:00:00Z', '2026-09-30T13:30', '2026-10-01T00:00'],
  ['quarter', 'UTC', '2026-06-30T23:59:59Z', '2026-04-01T00:00', '2026-04-01T00:00'],
  ['quarter', 'America/New_York', '2026-12-01T00:00:00Z', '2026-10-01T04:00', '2026-10-01T00:00'],
  ['year', 'Europe/Vienna', '2026-01-01T00:00:00Z', '2025-12-31T23:00', '2026-01-01T00:00'],
  ['year', 'UTC', '0099-06-01T00:00:00Z', '0099-01-01T00:00', '0099-01-01T00:00'],
]

for (const [unit, timeZone, now, moment, local] of cases)
  test(`10.1.23 the ${unit} of ${now} in ${timeZone} begins at ${moment}`, () => {
    const beginning = beginningOf({ unit, timeZone }, new Date(now))
    assert.equal(beginning.moment.toISOString().slice(0, 16), moment)
    assert.equal(beginning.local.toISOString().slice(0, 16), local)
  })
