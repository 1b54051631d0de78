// Records by id: one, or many at once.

import type { Condition } from '../../resource/condition.ts'
import type { ResourceModel } from '../../resource/model.ts'
import { conditionSql } from './condition.ts'
import { quote } from './dialect.ts'
import type { Prepared, SqlText } from './text.ts'

/** The living record with this `id`, if the condition holds for it. */
export function recordSql(
  resource: ResourceModel,
  condition: Condition,
  columns: (alias: string) => string,
  sql: SqlText,
): Prepared {
  const alias = sql.alias()
  const id = sql.parameter({ from: 'id' })
  return sql.query(
    `select ${columns(alias)} from ${quote(resource.table)} ${alias} where ${alias}."id" = ${id} and ${living(condition, alias, sql)}`,
  )
}

/** The living records among `keys` for which the condition holds, in no order; the first column is the id. */
export function recordsSql(
  resource: ResourceModel,
  condition: Condition,
  columns: (alias: string) => string,
  sql: SqlText,
): Prepared {
  const alias = sql.alias()
  const keys = sql.dialect.keyList(sql.parameter({ from: 'keys' }))
  const where = `${alias}."id" in ${keys} and ${living(condition, alias, sql)}`
  return sql.query(`select ${alias}."id", ${columns(alias)} from ${quote(resource.table)} ${alias} where ${where}`)
}

function living(condition: Condition, alias: string, sql: SqlText): string {
  const test = condition.is === 'always' ? '' : ` and ${conditionSql(condition, alias, sql)}`
  return `${alias}."deleted_at" is null${test}`
}
