// The tenants that a record is in: a new record has them from the record that it is within. (contract 10.2.2)

import type { OneSpec } from '../resource/field/relation.ts'
import type { Column } from '../resource/model/column.ts'
import type { ResourceModel } from '../resource/model/model.ts'
import { noAsker } from '../store/sql/sql-text.ts'
import type { Program } from '../store/store.ts'
import type { RowValues } from './load.ts'
import type { RowScope } from './write-scope.ts'

type TenantScope = Pick<RowScope, 'statements' | 'dialect' | 'pending'>

/** Fills in what these new records have from others; null where those are missing. One statement, and none where they have it. */
export function* inheritTenants(
  resource: ResourceModel,
  records: readonly RowValues[],
  { statements, dialect, pending }: TenantScope,
): Program<void> {
  const columns = resource.tenants.filter((column) => sourceOf(column) !== undefined)
  if (columns.length === 0) return
  const relation = resource.relations.get(sourceOf(columns[0]!)!)!
  for (const record of records) {
    const holder = pending?.get(record[relation.field] as string)?.record
    if (holder !== undefined) for (const { field } of columns) record[field] = holder[field]
  }
  const open = records.filter((record) => columns.some(({ field }) => record[field] == null))
  if (open.length === 0) return
  const sources = columns.map(({ field }) => relation.target.column.get(field)!)
  const ids = [...new Set(open.flatMap((record) => (record[relation.field] as string | null | undefined) ?? []))].sort()
  const load = { resource: relation.target, conditions: [], columns: sources, lock: 'share' } as const
  const rows = ids.length === 0 ? [] : yield statements.load(load, noAsker, ids)
  const byId = new Map(rows.map((row) => [row[0], row]))
  for (const record of open) {
    const row = byId.get(record[relation.field] as string)
    for (const [index, { field, type }] of columns.entries())
      record[field] = row === undefined ? null : dialect.decode(row[2 + index]!, type)
  }
}

/** A record that the service's own code writes: the fields that it gave, and of a stored one the id. */
interface AuthoredRecord {
  readonly id: string
  readonly values: Readonly<RowValues>
  readonly fields: readonly string[]
}

/**
 * Throws, for the log, where code lets a record name one of another tenant. What clients send has been refused before, with the
 * field. (contract 10.2.6)
 */
export function* requireOneTenant(
  resource: ResourceModel,
  { id, values, fields }: AuthoredRecord,
  scope: TenantScope,
): Program<void> {
  for (const field of fields) {
    const relation = resource.relations.get(field)
    const other = values[field] as string | null | undefined
    if (relation?.kind !== 'one' || other == null || scope.pending?.has(other)) continue
    const { target, same } = relation
    const common = resource.tenants.filter((tenant) => same.includes(tenant.field))
    if (common.length === 0) continue
    const own = common.every((tenant) => values[tenant.field] !== undefined)
      ? values
      : yield* tenantsOf(resource, id, common, scope)
    const theirs = yield* tenantsOf(
      target,
      other,
      common.map((tenant) => target.column.get(tenant.field)!),
      scope,
    )
    if (common.some((tenant) => own[tenant.field] !== theirs[tenant.field]))
      throw new Error(`The service's own code lets ${resource.name}.${field} name a ${target.name} of another tenant.`)
  }
}

/** The tenants of a stored record, by field; none where it is gone. */
function* tenantsOf(
  resource: ResourceModel,
  id: string,
  columns: readonly Column[],
  { statements, dialect }: TenantScope,
): Program<Readonly<RowValues>> {
  const [row] = yield statements.load({ resource, conditions: [], columns, lock: null }, noAsker, [id])
  if (row === undefined) return {}
  return Object.fromEntries(columns.map(({ field, type }, index) => [field, dialect.decode(row[2 + index]!, type)]))
}

/** Whether a record has its tenant from the one that this field names. */
export const isSourceOf = (field: string, { tenants }: ResourceModel): boolean =>
  tenants.some((column) => sourceOf(column) === field)

const sourceOf = ({ spec }: Column): string | undefined => (spec as OneSpec).from
