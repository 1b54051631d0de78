// From how many tenants a list is gathered: one page is read of each, so that they are limited. (contract 10.2.16)

import type { Condition } from '../../resource/model/condition.ts'
import { leadSql } from './condition.ts'
import type { ListShape } from './list-shape.ts'
import { tenantLeads } from './rule-lead.ts'
import type { Prepared, SqlText } from './sql-text.ts'

/** Whether they are no more than `tenantsMax`, once for the whole statement; null where no rule leads to tenants, or a filter names one. */
export function fewTenantsSql(shape: ListShape, condition: Condition, sql: SqlText): string | null {
  const leads = tenantLeads(condition).filter(({ column }) =>
    shape.filters.every(({ filter }) => filter.test !== 'is' || filter.column.name !== column),
  )
  if (leads.length === 0) return null
  const max = sql.parameter({ from: 'tenantsMax' }) + (sql.dialect.engine === 'postgres' ? '::bigint' : '')
  const counts = leads.map((lead) => {
    const [tenant, counted] = [sql.alias(), sql.alias()]
    return `select count(*) n from (select ${tenant}.id from ${leadSql(lead, sql)} ${tenant} limit ${max} + 1) ${counted}`
  })
  return `(select max(n) from (${counts.join(' union all ')}) counts) <= ${max}`
}

/** Answers a row where they are no more; null as above. */
export function fewTenants(shape: ListShape, condition: Condition, sql: SqlText): Prepared | null {
  const isFew = fewTenantsSql(shape, condition, sql)
  return isFew === null ? null : sql.query(`select 1 where ${isFew}`)
}
