// Moments: a Date in code, ISO 8601 in UTC with milliseconds in JSON. (contract 2.1.4)

import { words } from '../naming/casing.ts'
import { type Field, type FieldKind, field, type Was } from './field.ts'

/** A moment: a `Date` in code; clients send ISO 8601 with an offset and get UTC with milliseconds. */
export const timestamp = (options: { was?: Was; column?: string; about?: string } = {}): Field<'timestamp', Date> =>
  field('timestamp', options)

// Leap seconds are not accepted.
const form = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/

const answered = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'

/** Parses ISO 8601 with an offset; null for other text and for days that do not exist. */
export function parseTimestamp(value: string): Date | null {
  const parts = form.exec(value)
  if (parts === null) return null
  const [, year, month, day, hour, minute, second, , , offsetHour = '0', offsetMinute = '0'] = parts
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return null
  const calendar = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  calendar.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (calendar.getUTCMonth() !== Number(month) - 1 || calendar.getUTCDate() !== Number(day)) return null
  const moment = new Date(value)
  // With four-digit years, text order equals time order.
  return moment.getTime() >= earliest && moment.getTime() <= latest ? moment : null
}
const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')
/** Clamps to the moments a store can compare: years of four digits. */
export const momentAt = (time: number): Date => new Date(Math.min(Math.max(time, earliest), latest))

/** Caches the last one: a write mostly uses one moment. */
export function isoText(moment: Date): string {
  const ms = moment.getTime()
  if (ms !== printedMs) {
    printed = moment.toISOString()
    printedMs = ms
  }
  return printed
}
let printedMs = Number.NaN
let printed = ''

export const kind: FieldKind = {
  column: 'timestamp',
  options: ['was', 'column'],
  embeddable: true,
  graphql: 'String',
  compares: 'in time',
  check: (_, value, problem) =>
    (typeof value === 'string' && parseTimestamp(value)) ||
    problem('', 'Must be a moment in ISO 8601, such as 2026-11-20T09:30:00.000Z.'),
  // Inside JSON a moment is read as text, and may be written back.
  checkValue: (_, value, problem) => {
    const moment = typeof value === 'string' ? parseTimestamp(value) : value
    if (!(moment instanceof Date) || Number.isNaN(moment.getTime())) return problem('', 'Must be a moment.')
    return moment.getTime() >= earliest && moment.getTime() <= latest
      ? moment
      : problem('', 'Must be a moment of the years 1 to 9999.')
  },
  read: (_, value) => (typeof value === 'string' ? new Date(value) : value),
  write: (_, value) => (value instanceof Date ? isoText(value) : value),
  about: timeSentence('At', 'When'),
  // Requests, such as expiry, are mostly about the future.
  example: (_, { direction }) => (direction === 'answer' ? '2026-11-20T09:30:00.000Z' : '2099-12-31T23:59:59.000Z'),
  schema: (_, input) => ({
    type: 'string',
    format: 'date-time',
    ...(input ? { pattern: form.source, maxLength: 35 } : { pattern: answered, maxLength: 24 }),
  }),
}

/** `publishedAt`: when the post was published; `expiresAt`: when the key expires; `dueOn`: the day on which it is due. */
export function timeSentence(end: 'At' | 'On', when: string): NonNullable<FieldKind['about']> {
  return (field, holder) => {
    const name = field.slice(0, -end.length)
    if (name === '' || !field.endsWith(end)) return `The ${words(field)} of the ${holder}.`
    const what = words(name)
    if (/s$/.test(what)) return `${when} the ${holder} ${what}.`
    return `${when} the ${holder} ${what.endsWith('ed') ? 'was' : 'is'} ${what}.`
  }
}
