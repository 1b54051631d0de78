// Calendar units as SQL: which month, in a time zone, a moment is in. Where the clocks of a zone change is bound to the statement,
// so that both databases go by one table. (contract 12.2.24)

import type { CalendarUnit } from '../../resource/model/model.ts'
import type { SqlText } from './sql-text.ts'

/**
 * The seconds by which the clocks of a zone are ahead of UTC at a moment. The zone has so many `periods`, a power of two: the
 * first inputs are when each but the first begins, those behind them how far it is ahead.
 */
export function offsetSql(moment: string, periods: number, sql: SqlText): string {
  const isSqlite = sql.dialect.engine === 'sqlite'
  const input = (index: number, type: string): string => {
    const parameter = sql.parameter({ from: 'input', index })
    return isSqlite ? parameter : `${parameter}::${type}`
  }
  const among = (first: number, count: number): string => {
    if (count === 1) return input(periods - 1 + first, 'integer')
    const half = count / 2
    const begins = input(first + half - 1, 'timestamptz')
    return `case when ${moment} < ${begins} then ${among(first, half)} else ${among(first + half, half)} end`
  }
  return `(${among(0, periods)})`
}

/** The name of the unit that a moment is in; `offset` is SQL for how far the clocks are ahead of UTC, null for UTC itself. */
export function unitOfMoment(unit: CalendarUnit, moment: string, offset: string | null, { dialect }: SqlText): string {
  if (dialect.engine === 'postgres') {
    const utc = `(${moment} at time zone 'UTC')`
    if (unit === 'hour') {
      const since = `floor(extract(epoch from ${moment}))::bigint + ${offset ?? 0}`
      return inOrder(`to_char(${utc} - make_interval(secs => ${sinceHour(since)}), 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')`)
    }
    const local = offset === null ? utc : `(${utc} + make_interval(secs => ${offset}))`
    return unitOnPostgres(unit, local)
  }
  if (unit === 'hour') {
    const seconds = `unixepoch(${moment})`
    const begins = `${seconds} - ${sinceHour(`${seconds} + ${offset ?? 0}`)}`
    return `strftime('%Y-%m-%dT%H:%M:%S.000Z', ${begins}, 'unixepoch')`
  }
  return unitOnSqlite(unit, offset === null ? moment : `datetime(${moment}, ${offset} || ' seconds')`)
}

/** The name of the unit that a day is in. */
export const unitOfDay = (unit: CalendarUnit, day: string, { dialect }: SqlText): string =>
  dialect.engine === 'postgres' ? unitOnPostgres(unit, `${day}::timestamp`) : unitOnSqlite(unit, day)

/** The seconds since the last full hour; before 1970 too. */
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
/** In the order of code points, as everything is sorted. */
const inOrder = (text: string): string => `${text} collate "C"`

/** Of a text that begins with the day. */
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
