// Lists of records whose ids are known: those of them that are there and readable, in the order of the ids or another.

import type { Condition } from '../../resource/model/condition.ts'
import { quote } from './dialect.ts'
import type { Select } from './join.ts'
import { orderSql, ownKey } from './keyset.ts'
import { limitSql, scopeTests } from './list-rows.ts'
import type { ListShape } from './list-shape.ts'
import { rowPlace } from './search.ts'
import type { Prepared, SqlText } from './sql-text.ts'

/** The ids are the `keys`; each record has its place among them as the column `_place`. */
export function amongSql(shape: ListShape, condition: Condition, select: Select, sql: SqlText): Prepared {
  const alias = sql.alias()
  const order = orderSql(shape, ownKey(alias, sql), sql)
  const { columns, joins } = select(alias, sql)
  return sql.query(
    `select ${columns} ${rowsAmong(shape, condition, alias, sql, joins)} order by ${order} ${limitSql(shape, sql)}`,
  )
}

/** How many of them there are: never more than a query may find, so that nothing else need bound it. */
export function countAmongSql(shape: ListShape, condition: Condition, sql: SqlText): Prepared {
  return sql.query(`select count(*) ${rowsAmong(shape, condition, sql.alias(), sql, '')}`)
}

function rowsAmong(shape: ListShape, condition: Condition, alias: string, sql: SqlText, joins: string): string {
  const [keys, record] = [sql.alias(), sql.alias()]
  const isSqlite = sql.dialect.engine === 'sqlite'
  const from = sql.dialect.keyTable(sql.parameter({ from: 'keys' }), keys)
  // Searches find a record by what else it would not have here.
  const place = rowPlace(sql)
  const rows =
    `select ${record}.${place} as ${place}, ${record}.*, ${keys}.place as "_place" from ${from} ` +
    `${isSqlite ? 'cross join' : 'join'} ${quote(shape.resource.table)} ${record} on ${record}."id" = ${keys}.value`
  const tests = scopeTests({ shape, condition, alias, within: null }, null, ownKey(alias, sql), sql)
  return `from (${rows}) ${alias}${joins} where ${[`${alias}."deleted_at" is null`, ...tests].join(' and ')}`
}
