// A list reads one page per tenant, so their number is limited. (contract 10.2.16)

import type { Condition } from '../../../resource/model/rule/condition.ts'
import { drivingTableSql } from '../condition/condition.ts'
import { drivingTenants } from '../condition/driving-table.ts'
import type { ListShape } from '../condition/list-shape.ts'
import type { Prepared, SqlText } from '../text/sql-text.ts'

/** Evaluated once per statement; null if the rule is not by tenant, or a filter names one. */
export function fewTenantsSql(shape: ListShape, condition: Condition, sql: SqlText): string | null {
  const drivingTables = drivingTenants(condition).filter(({ column }) =>
    shape.filters.every(({ filter }) => filter.test !== 'is' || filter.column.name !== column),
  )
  if (drivingTables.length === 0) return null
  const max = sql.parameter({ from: 'tenantsMax' }) + (sql.dialect.engine === 'postgres' ? '::bigint' : '')
  const counts = drivingTables.map((drivingTable) => {
    const [tenant, counted] = [sql.alias(), sql.alias()]
    return `select count(*) n from (select ${tenant}.id from ${drivingTableSql(drivingTable, sql)} ${tenant} limit ${max} + 1) ${counted}`
  })
  return `(select max(n) from (${counts.join(' union all ')}) counts) <= ${max}`
}

/** Returns a row within the limit; null as above. */
export function fewTenants(shape: ListShape, condition: Condition, sql: SqlText): Prepared | null {
  const isFew = fewTenantsSql(shape, condition, sql)
  return isFew === null ? null : sql.query(`select 1 where ${isFew}`)
}
