// Records by id: one, or many at once.

import type { Condition } from '../../resource/condition.ts'
import type { ResourceModel } from '../../resource/model.ts'
import { livingSql } from './condition.ts'
import { quote } from './dialect.ts'
import type { Selected } from './join.ts'
import type { Prepared, SqlText } from './text.ts'

/** The living record with this `id`, if the condition holds for it. */
export function recordSql(
  resource: ResourceModel,
  condition: Condition,
  select: (alias: string) => Selected,
  sql: SqlText,
): Prepared {
  const alias = sql.alias()
  const id = sql.parameter({ from: 'id' })
  const { columns, joins } = select(alias)
  const from = `${quote(resource.table)} ${alias}${joins}`
  return sql.query(`select ${columns} from ${from} where ${alias}."id" = ${id} and ${livingSql(condition, alias, sql)}`)
}

/** The living records among `keys` for which the condition holds, in no order; the first column is the id. */
export function recordsSql(
  resource: ResourceModel,
  condition: Condition,
  select: (alias: string) => Selected,
  sql: SqlText,
): Prepared {
  const alias = sql.alias()
  const keys = sql.alias()
  const { columns, joins } = select(alias)
  const from = sql.dialect.keyTable(sql.parameter({ from: 'keys' }), keys)
  const table = `${quote(resource.table)} ${alias}`
  // As a list to be `in`, the keys would be sorted first.
  const join = sql.dialect.engine === 'sqlite' ? 'cross join' : 'join'
  return sql.query(
    `select ${alias}."id", ${columns} from ${from} ${join} ${table} on ${alias}."id" = ${keys}.value${joins} ` +
      `where ${livingSql(condition, alias, sql)}`,
  )
}
