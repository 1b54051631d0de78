// SQL of moves made by the clock, and their hidden columns.

import { dueColumns } from '../../../resource/model/compile/compile-timed-move.ts'
import type { StateTest, TimedMove } from '../../../resource/model/model.ts'
import { tallyName } from '../../../resource/naming/casing.ts'
import { encodeValue } from '../text/column-value.ts'
import { type Dialect, literal, quote } from '../text/dialect.ts'
import { type Derived, derivedName } from '../text/names.ts'
import { type Prepared, SqlText } from '../text/sql-text.ts'

/** Both databases can compute every due time within. */
const spanSecondsMax = 100_000_000_000

/** Immutable, so that it can be indexed: `timestamptz + interval` is not. */
export function dueSql({ on, shifts, copy }: TimedMove, { engine }: Dialect): string {
  const at = quote(copy ?? on.name)
  if (shifts.length === 0) return at
  const seconds = shifts
    .map(({ unitSeconds, count }) => {
      if (typeof count === 'number') return `(${unitSeconds * count})`
      return engine === 'sqlite'
        ? `${quote(count.name)} * (${unitSeconds})`
        : `${quote(count.name)}::bigint * (${unitSeconds})`
    })
    .join(' + ')
  const moved =
    engine === 'sqlite'
      ? `strftime('%Y-%m-%dT%H:%M:%fZ', ${at}, (${seconds}) || ' seconds')`
      : `(${at} at time zone 'UTC' + (${seconds}) * interval '1 second') at time zone 'UTC'`
  return `(case when ${seconds} between -${spanSecondsMax} and ${spanSecondsMax} then ${moved} end)`
}

/** The records that its index holds. Without the parked ones, unless they are to be tried again. */
export function waitingSql(move: TimedMove, dialect: Dialect, includesParked = false): string {
  const tests = move.action.from.map((test) => testSql(test, dialect))
  const parked = includesParked ? [] : [`${quote(move.parked)} is null`]
  return [
    '"deleted_at" is null',
    ...tests,
    `${quote(move.made)} is null`,
    ...parked,
    `${dueSql(move, dialect)} is not null`,
  ].join(' and ')
}

function testSql({ column, values, present }: StateTest, dialect: Dialect): string {
  const name = quote(column.name)
  if (values === null) return `${name} is ${present === true ? 'not null' : 'null'}`
  const texts = values.map((each) => literal(encodeValue(column, each, dialect)))
  return texts.length === 1 ? `${name} = ${texts[0]}` : `${name} in (${texts.join(', ')})`
}

export function dueIndex(move: TimedMove, dialect: Dialect): Derived {
  const { table } = move.action.resource
  const due = dueSql(move, dialect)
  const definition = `on ${quote(table)} (${due}, "id") where ${waitingSql(move, dialect)}`
  const name = derivedName(`${table}_${move.action.name}`, definition, 'idx')
  return { name, create: [`create index ${quote(name)} ${definition}`], unique: null }
}

/** One probe of the index. */
export function nextDueSql(move: TimedMove, dialect: Dialect): string {
  const due = dueSql(move, dialect)
  return `select ${due} from ${quote(move.action.resource.table)} where ${waitingSql(move, dialect)} order by ${due} limit 1`
}

const hasTally = ({ action }: TimedMove): boolean => action.resource.keptNumbers.length > 0

/** Id, version and tally of records due at input 0, the longest due first. */
export function dueIdsSql(move: TimedMove, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const due = dueSql(move, dialect)
  const now = sql.parameter({ from: 'input', index: 0 })
  const test = `${waitingSql(move, dialect)} and ${due} <= ${now}`
  const from = `from ${quote(move.action.resource.table)} where ${test}`
  const tally = hasTally(move) ? quote(tallyName) : '0'
  return sql.query(
    `select "id", "version", ${tally} ${from} order by ${due}, "id" limit ${sql.parameter({ from: 'limit' })}`,
  )
}

/** Locks the `keys` still due at input 0. Waits for others only to try parked ones again. */
export function lockDueSql(move: TimedMove, includesParked: boolean, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const table = quote(move.action.resource.table)
  const among = dialect.among('"id"', sql.parameter({ from: 'keys' }))
  const isDue = `${dueSql(move, dialect)} <= ${sql.parameter({ from: 'input', index: 0 })}`
  return sql.query(
    `select "id" from ${table} where ${among} and ${waitingSql(move, dialect, includesParked)} and ${isDue} ` +
      `order by "id"${dialect.lock(includesParked ? 'no key update' : 'no key update skip locked', table)}`,
  )
}

/** Marks the `keys` as moved for their due time. Raises no version. */
export function markMadeSql(move: TimedMove, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const among = dialect.among('"id"', sql.parameter({ from: 'keys' }))
  return sql.command(
    `update ${quote(move.action.resource.table)} set ${quote(move.made)} = ${dueSql(move, dialect)} where ${among}`,
  )
}

/** Marks up to `limit` records that were due, and last written, at input 0 or before; returns their ids. */
export function markPastSql(move: TimedMove, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const table = quote(move.action.resource.table)
  const due = dueSql(move, dialect)
  const then = sql.parameter({ from: 'input', index: 0 })
  const past = `${waitingSql(move, dialect)} and ${due} <= ${then} and "updated_at" <= ${then}`
  const ids = `select "id" from ${table} where ${past} limit ${sql.parameter({ from: 'limit' })}`
  return sql.query(`update ${table} set ${quote(move.made)} = ${due} where "id" in (${ids}) returning "id"`)
}

/** Parks the record of input 0 unless it was written since version and tally of inputs 1 and 2. */
export function parkSql(move: TimedMove, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const { resource } = move.action
  const [id, version] = [0, 1].map((index) => sql.parameter({ from: 'input', index }))
  const isSame = hasTally(move) ? ` and ${quote(tallyName)} = ${sql.parameter({ from: 'input', index: 2 })}` : ''
  return sql.query(
    `update ${quote(resource.table)} set ${quote(move.parked)} = 1 where "id" = ${id} and "version" = ${version}${isSame} returning "id"`,
  )
}

/** What a write of these columns sets besides: nothing stays parked, and a new due time is not made yet. */
export function timedSets(
  moves: readonly TimedMove[],
  written: readonly { readonly name: string; readonly value: string }[],
): readonly string[] {
  return moves.flatMap((move) => {
    const changes = dueColumns(move).flatMap(({ name }) => written.find((each) => each.name === name) ?? [])
    const same = changes.map(({ name, value }) => `${quote(name)} is not distinct from ${value}`)
    const made = quote(move.made)
    return [
      `${quote(move.parked)} = null`,
      ...(same.length === 0 ? [] : [`${made} = case when ${same.join(' and ')} then ${made} end`]),
    ]
  })
}

export function copySql({ action, relation, on }: TimedMove): string {
  const [table, target] = [action.resource.table, relation!.target.table].map(quote)
  return `(select "on".${quote(on.name)} from ${target} "on" where "on"."id" = ${table}.${quote(relation!.column.name)})`
}

/** Locks records with `column` among the `keys` in id order, before their due times change. */
export function lockReferrersSql(move: TimedMove, column: string, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const table = quote(move.action.resource.table)
  const among = dialect.among(quote(column), sql.parameter({ from: 'keys' }))
  const limit = sql.parameter({ from: 'limit' })
  return sql.query(
    `select "id" from ${table} where ${among} and "deleted_at" is null order by "id" limit ${limit}${dialect.lock('no key update', table)}`,
  )
}

/** Copies the timestamp anew, only where it differs. */
export function copyAnewSql(move: TimedMove, column: string, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const { table } = move.action.resource
  const source = copySql(move)
  const among = dialect.among(quote(column), sql.parameter({ from: 'keys' }))
  const [copy, made, parked] = [move.copy!, move.made, move.parked].map(quote)
  return sql.command(
    `update ${quote(table)} set ${copy} = ${source}, ${made} = null, ${parked} = null ` +
      `where ${among} and "deleted_at" is null and ${copy} is distinct from ${source}`,
  )
}
