// Records by id: one, or many at once.

import type { Condition } from '../../resource/model/condition.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { livingSql } from './condition.ts'
import { quote } from './dialect.ts'
import type { Select } from './join.ts'
import type { Prepared, SqlText } from './sql-text.ts'
import { keySql } from './variants.ts'

/** The living record with this `id`, if the condition holds for it. */
export function recordSql(resource: ResourceModel, condition: Condition, select: Select, sql: SqlText): Prepared {
  const alias = sql.alias()
  const { columns, joins } = select(alias, sql)
  const from = `${quote(resource.table)} ${alias}${joins}`
  const living = livingSql(condition, alias, sql)
  const make = (test: string, alsoSelected: string) =>
    `select ${columns}${alsoSelected} from ${from} where ${test} and ${living}`
  return keySql(`${alias}."id"`, { from: 'id' }, make, sql)
}

/** As `recordsSql` says, of the one with this `id`. */
export const onlyRecordSql: typeof recordSql = (resource, condition, select, sql) =>
  recordSql(
    resource,
    condition,
    (alias, own) => {
      const { columns, joins } = select(alias, own)
      return { columns: `${alias}."id", ${columns}`, joins }
    },
    sql,
  )

/** The living records among `keys` for which the condition holds, in no order; the first column is the id. */
export function recordsSql(resource: ResourceModel, condition: Condition, select: Select, sql: SqlText): Prepared {
  const alias = sql.alias()
  const { columns, joins } = select(alias, sql)
  const table = `${quote(resource.table)} ${alias}`
  const keys = sql.parameter({ from: 'keys' })
  const start = `select ${alias}."id", ${columns}`
  if (sql.dialect.engine === 'sqlite') {
    // As a list to be `in`, the keys would be sorted first.
    const list = sql.alias()
    const from = `${sql.dialect.keyTable(keys, list)} cross join ${table} on ${alias}."id" = ${list}.value${joins}`
    return sql.query(`${start} from ${from} where ${livingSql(condition, alias, sql)}`)
  }
  // As a table, the keys would take the planner twice as long.
  const among = sql.dialect.among(`${alias}."id"`, keys)
  return sql.query(`${start} from ${table}${joins} where ${among} and ${livingSql(condition, alias, sql)}`)
}
