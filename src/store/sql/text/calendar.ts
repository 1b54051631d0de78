// The calendar unit of a moment in a time zone, as SQL. Offset changes are bound as parameters, so that both databases use the same
// table. (contract 12.2.40)

import type { CalendarUnit } from '../../../resource/model/model.ts'
import type { SqlText } from './sql-text.ts'

/**
 * The zone's offset from UTC in seconds. `periods` is a power of two: the first inputs are the starts of all periods but the first,
 * followed by their offsets.
 */
export const offsetSql = (moment: string, periods: number, sql: SqlText): string =>
  ofPeriodSql(moment, periods, (place) => inputSql(periods - 1 + place, 'integer', sql), sql)

export const changeSql = (moment: string, periods: number, sql: SqlText): string =>
  ofPeriodSql(
    moment,
    periods,
    (place) => (place === 0 ? earliestSql(sql) : inputSql(place - 1, 'timestamptz', sql)),
    sql,
  )

/** Finds a moment's period by binary search. */
function ofPeriodSql(moment: string, periods: number, of: (place: number) => string, sql: SqlText): string {
  const among = (first: number, count: number): string => {
    if (count === 1) return of(first)
    const half = count / 2
    const begins = inputSql(first + half - 1, 'timestamptz', sql)
    return `case when ${moment} < ${begins} then ${among(first, half)} else ${among(first + half, half)} end`
  }
  return `(${among(0, periods)})`
}

function inputSql(index: number, type: string, sql: SqlText): string {
  const parameter = sql.parameter({ from: 'input', index })
  return sql.dialect.engine === 'sqlite' ? parameter : `${parameter}::${type}`
}
const earliestSql = ({ dialect }: SqlText): string =>
  dialect.engine === 'sqlite' ? `'0000-01-01T00:00:00.000Z'` : `'-infinity'::timestamptz`

/** The offset, and the last change if an hour may begin with it. */
export interface ClockSql {
  readonly offset: string
  readonly change: string | null
}

export function unitOfMoment(unit: CalendarUnit, moment: string, clock: ClockSql | null, { dialect }: SqlText): string {
  const { offset, change } = clock ?? { offset: null, change: null }
  if (dialect.engine === 'postgres') {
    const utc = `(${moment} at time zone 'UTC')`
    if (unit === 'hour') {
      const since = `floor(extract(epoch from ${moment}))::bigint + ${offset ?? 0}`
      const hour = `${utc} - make_interval(secs => ${sinceHour(since)})`
      // `greatest` would ignore a moment that is null.
      const begins =
        change === null
          ? hour
          : `case when ${moment} is not null then greatest(${hour}, ${change} at time zone 'UTC') end`
      return inOrder(`to_char(${begins}, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`)
    }
    const local = offset === null ? utc : `(${utc} + make_interval(secs => ${offset}))`
    return unitOnPostgres(unit, local)
  }
  if (unit === 'hour') {
    const seconds = `unixepoch(${moment})`
    const hour = `${seconds} - ${sinceHour(`${seconds} + ${offset ?? 0}`)}`
    const begins = change === null ? hour : `max(${hour}, unixepoch(${change}))`
    return `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${begins}, 'unixepoch')`
  }
  return unitOnSqlite(unit, offset === null ? moment : `datetime(${moment}, ${offset} || ' seconds')`)
}

export const unitOfDay = (unit: CalendarUnit, day: string, { dialect }: SqlText): string =>
  dialect.engine === 'postgres' ? unitOnPostgres(unit, `${day}::timestamp`) : unitOnSqlite(unit, day)

/** Also before 1970. */
const sinceHour = (seconds: string): string => `((${seconds}) % 3600 + 3600) % 3600`

type NamedUnit = Exclude<CalendarUnit, 'hour'>
const patterns: Readonly<Record<NamedUnit, string>> = {
  year: 'YYYY',
  quarter: 'YYYY"-Q"Q',
  month: 'YYYY-MM',
  week: 'IYYY"-W"IW',
  day: 'YYYY-MM-DD',
}
const unitOnPostgres = (unit: CalendarUnit, local: string): string =>
  inOrder(`to_char(${local}, '${patterns[unit as NamedUnit]}')`)
const inOrder = (text: string): string => `${text} collate "C"`

/** `local` begins with the day. */
function unitOnSqlite(unit: CalendarUnit, local: string): string {
  switch (unit) {
    case 'year':
      return `substr(${local}, 1, 4)`
    case 'quarter':
      return `substr(${local}, 1, 5) || 'Q' || ((substr(${local}, 6, 2) + 2) / 3)`
    case 'month':
      return `substr(${local}, 1, 7)`
    case 'week':
      return `strftime('%G-W%V', ${local})`
    default:
      return `substr(${local}, 1, 10)`
  }
}
