// Lists over known ids: the existing, readable records, in the order of the ids or another.

import type { Condition } from '../../../resource/model/rule/condition.ts'
import type { ListShape } from '../condition/list-shape.ts'
import { rowPlace } from '../condition/search.ts'
import { quote } from '../text/dialect.ts'
import type { Prepared, SqlText } from '../text/sql-text.ts'
import type { Select } from './join.ts'
import { orderSql, ownKey } from './keyset.ts'
import { limitSql, scopeTests } from './list-rows.ts'

/** The ids are the `keys`; the column `_place` is the index of a record's id. */
export function amongSql(shape: ListShape, condition: Condition, select: Select, sql: SqlText): Prepared {
  const alias = sql.alias()
  const order = orderSql(shape, ownKey(alias, sql), sql)
  const { columns, joins } = select(alias, sql)
  return sql.query(
    `select ${columns} ${rowsAmong(shape, condition, alias, sql, joins)} order by ${order} ${limitSql(shape, sql)}`,
  )
}

/** Bounded by the number of ids. */
export function countAmongSql(shape: ListShape, condition: Condition, sql: SqlText): Prepared {
  return sql.query(`select count(*) ${rowsAmong(shape, condition, sql.alias(), sql, '')}`)
}

function rowsAmong(shape: ListShape, condition: Condition, alias: string, sql: SqlText, joins: string): string {
  const [keys, record] = [sql.alias(), sql.alias()]
  const isSqlite = sql.dialect.engine === 'sqlite'
  const from = sql.dialect.keyTable(sql.parameter({ from: 'keys' }), keys)
  // A search excludes records by other means.
  const place = rowPlace(sql)
  const rows =
    `select ${record}.${place} as ${place}, ${record}.*, ${keys}.place as "_place" from ${from} ` +
    `${isSqlite ? 'cross join' : 'join'} ${quote(shape.resource.table)} ${record} on ${record}."id" = ${keys}.value`
  const tests = scopeTests({ shape, condition, alias, within: null }, null, ownKey(alias, sql), sql)
  return `from (${rows}) ${alias}${joins} where ${[`${alias}."deleted_at" is null`, ...tests].join(' and ')}`
}
