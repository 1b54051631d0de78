// How many tenants a list would be gathered from: one page is read of each, so that they are limited. (contract 10.2.16)

import type { Condition } from '../../resource/model/condition.ts'
import type { ListShape } from './list-shape.ts'
import { leadSql, tenantLeads } from './rule-lead.ts'
import type { Prepared, SqlText } from './sql-text.ts'

/** Counts no further than the limit; null where no rule leads to tenants, or a filter names one. */
export function tenantCountSql(shape: ListShape, condition: Condition, sql: SqlText): Prepared | null {
  const leads = tenantLeads(condition).filter(({ column }) =>
    shape.filters.every(({ filter }) => filter.test !== 'is' || filter.column.name !== column),
  )
  if (leads.length === 0) return null
  const limit = sql.parameter({ from: 'limit' })
  const cast = sql.dialect.engine === 'postgres' ? '::bigint' : ''
  const counts = leads.map((lead) => {
    const [tenant, counted] = [sql.alias(), sql.alias()]
    return `select count(*) n from (select ${tenant}.id from ${leadSql(lead, sql)} ${tenant} limit ${limit}${cast}) ${counted}`
  })
  return sql.query(`select max(n) from (${counts.join(' union all ')}) counts`)
}
