// Statements that find which written records overlap others, or end before they start.

import type { Column, ExclusionModel } from '../../../resource/model/column.ts'
import type { ResourceModel } from '../../../resource/model/model.ts'
import { recordCondition } from '../condition/condition.ts'
import { selectedSql } from '../text/column-value.ts'
import { type Dialect, quote } from '../text/dialect.ts'
import { type Prepared, SqlText } from '../text/sql-text.ts'

const statements = { values: valuesSql, overlapping: overlappingSql } as const

/** What is locked for the records among the `keys`, or which of them violate the exclusion. */
export const exclusionSql = (
  find: keyof typeof statements,
  resource: ResourceModel,
  exclusion: ExclusionModel,
  dialect: Dialect,
): Prepared => statements[find](resource, exclusion, dialect)

/** The different values that written records of the exclusion have in its columns, among the `keys`. */
function valuesSql(resource: ResourceModel, exclusion: ExclusionModel, dialect: Dialect): Prepared {
  const sql = new SqlText(dialect)
  const record = sql.alias()
  const values = exclusion.stored.map((each) => selectedSql(each, record, dialect)).join(', ')
  const among = dialect.among(`${record}."id"`, sql.parameter({ from: 'keys' }))
  const compared = comparedSql(resource, exclusion, record, dialect)
  return sql.query(`select distinct ${values} from ${quote(resource.table)} ${record} where ${among} and ${compared}`)
}

/**
 * Ids of written records, among the `keys`, that end before they start, or overlap another one. Stored intervals are disjoint,
 * so only the last one that starts before the end of a record can overlap it.
 */
function overlappingSql(resource: ResourceModel, exclusion: ExclusionModel, dialect: Dialect): Prepared {
  const { stored, start, end } = exclusion
  const sql = new SqlText(dialect)
  const [record, other] = [sql.alias(), sql.alias()]
  const of = (alias: string, column: Column) => `${alias}.${quote(column.name)}`
  const isEmpty = `${of(record, end)} <= ${of(record, start)}`
  const beside = [
    ...stored.map((each) => `${of(other, each)} = ${of(record, each)}`),
    comparedSql(resource, exclusion, other, dialect),
    `${other}."id" <> ${record}."id"`,
    `${of(other, start)} < coalesce(${of(record, end)}, ${endless(end, dialect)})`,
  ]
  const reaches = `${of(other, end)} is null or ${of(other, end)} > ${of(record, start)}`
  const last =
    `select (${reaches}) from ${quote(resource.table)} ${other} where ${beside.join(' and ')} ` +
    `order by ${of(other, start)} desc limit 1`
  const overlaps = `(${comparedSql(resource, exclusion, record, dialect)} and coalesce((${last}), false))`
  const among = dialect.among(`${record}."id"`, sql.parameter({ from: 'keys' }))
  return sql.query(
    `select ${record}."id", coalesce(${isEmpty}, false) from ${quote(resource.table)} ${record} ` +
      `where ${among} and ${record}."deleted_at" is null and (coalesce(${isEmpty}, false) or ${overlaps})`,
  )
}

/** What the index holds: not deleted, fulfilling the condition, and without a null among the compared values. */
function comparedSql(
  resource: ResourceModel,
  { stored, where }: ExclusionModel,
  alias: string,
  dialect: Dialect,
): string {
  const present = stored.filter(({ nullable }) => nullable).map(({ name }) => `${alias}.${quote(name)} is not null`)
  return [`${alias}."deleted_at" is null`, ...present, ...recordCondition(where, resource, alias, dialect)].join(
    ' and ',
  )
}

/** Later than every start, in a form that an index can be searched by. */
function endless({ type }: Column, { engine }: Dialect): string {
  if (type === 'integer') return engine === 'postgres' ? '2147483648::bigint' : '2147483648'
  return engine === 'postgres' ? `'infinity'` : `'~'`
}
