// SQL that reads records by id.

import type { ResourceModel } from '../../../resource/model/model.ts'
import type { Condition } from '../../../resource/model/rule/condition.ts'
import { notDeletedSql } from '../condition/condition.ts'
import { quote } from '../text/dialect.ts'
import type { Prepared, SqlText } from '../text/sql-text.ts'
import { keySql } from '../text/variants.ts'
import type { Select } from './join.ts'

/** Unless deleted, and if the condition holds. */
export function recordSql(resource: ResourceModel, condition: Condition, select: Select, sql: SqlText): Prepared {
  const alias = sql.alias()
  const { columns, joins } = select(alias, sql)
  const from = `${quote(resource.table)} ${alias}${joins}`
  const notDeleted = notDeletedSql(condition, alias, sql)
  const make = (test: string, alsoSelected: string) =>
    `select ${columns}${alsoSelected} from ${from} where ${test} and ${notDeleted}`
  return keySql(`${alias}."id"`, { from: 'id' }, make, sql)
}

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

/** Unordered, without deleted ones; the first column is the id. */
export function recordsSql(resource: ResourceModel, condition: Condition, select: Select, sql: SqlText): Prepared {
  const alias = sql.alias()
  const { columns, joins } = select(alias, sql)
  const table = `${quote(resource.table)} ${alias}`
  const keys = sql.parameter({ from: 'keys' })
  const start = `select ${alias}."id", ${columns}`
  if (sql.dialect.engine === 'sqlite') {
    // With `in`, the keys would be sorted first.
    const list = sql.alias()
    const from = `${sql.dialect.keyTable(keys, list)} cross join ${table} on ${alias}."id" = ${list}.value${joins}`
    return sql.query(`${start} from ${from} where ${notDeletedSql(condition, alias, sql)}`)
  }
  // As a table, the keys would double the planning time.
  const among = sql.dialect.among(`${alias}."id"`, keys)
  return sql.query(`${start} from ${table}${joins} where ${among} and ${notDeletedSql(condition, alias, sql)}`)
}
