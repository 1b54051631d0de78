// Calendar days: ISO 8601 text without time. (contract 11.1.1)

import { type Field, type FieldKind, field, type NeedOf, type Was } from './field.ts'
import { timeSentence } from './timestamp.ts'

/** A day in the years 1 to 9999, such as `2026-11-22`, without time zone: text in code and JSON. */
export const date = <const D extends string = never>(
  options: { default?: D; unique?: true; was?: Was; column?: string; about?: string } = {},
): Field<'date', string, string, NeedOf<D>> => field('date', options)

const form = /^(?!0000)(\d{4})-(\d\d)-(\d\d)$/

export function isDate(text: string): boolean {
  const [, year, month, day] = form.exec(text)?.map(Number) ?? []
  if (year === undefined) return false
  const calendar = new Date(0)
  calendar.setUTCFullYear(year, month! - 1, day)
  return calendar.getUTCMonth() === month! - 1 && calendar.getUTCDate() === day
}

export const kind: FieldKind = {
  column: 'date',
  options: ['default', 'unique', 'was', 'column'],
  embeddable: true,
  graphql: { name: 'Date', about: 'A day in ISO 8601, such as `2026-11-22`.', clause: '11.1.1' },
  compares: 'in time',
  check: (_, value, problem) =>
    typeof value === 'string' && isDate(value) ? value : problem('', 'Must be a day in ISO 8601, such as 2026-11-22.'),
  about: timeSentence('On', 'The day on which'),
  example: () => '2026-11-22',
  schema: () => ({ type: 'string', format: 'date', pattern: '^(?!0000)\\d{4}-\\d{2}-\\d{2}$', maxLength: 10 }),
}
