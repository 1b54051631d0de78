// A new record inherits its tenants from the record that contains it. (contract 10.2.2)

import type { OneSpec } from '../../resource/field/relation.ts'
import type { Column } from '../../resource/model/column.ts'
import type { ResourceModel } from '../../resource/model/model.ts'
import { noCaller } from '../../store/sql/text/sql-text.ts'
import type { Program } from '../../store/store.ts'
import type { RowScope } from '../write-scope.ts'
import type { RowValues } from './load.ts'

type TenantScope = Pick<RowScope, 'statements' | 'dialect' | 'pending'>

/** Null if that record is missing. Needs no lock: tenants never change, and the containing record is locked as a reference. */
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
  const load = { resource: relation.target, conditions: [], columns: sources, lock: null } as const
  const rows = ids.length === 0 ? [] : yield statements.load(load, noCaller, ids)
  const byId = new Map(rows.map((row) => [row[0], row]))
  for (const record of open) {
    const row = byId.get(record[relation.field] as string)
    for (const [index, { field, type }] of columns.entries())
      record[field] = row === undefined ? null : dialect.decode(row[2 + index]!, type)
  }
}

/** A record that code writes: the given fields, and the id of a stored one. */
interface AuthoredRecord {
  readonly id: string
  readonly values: Readonly<RowValues>
  readonly fields: readonly string[]
}

/** Throws if code lets a record name one of another tenant. Input is validated earlier. (contract 10.2.6) */
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

/** By field; none if the record is gone. */
function* tenantsOf(
  resource: ResourceModel,
  id: string,
  columns: readonly Column[],
  { statements, dialect }: TenantScope,
): Program<Readonly<RowValues>> {
  const [row] = yield statements.load({ resource, conditions: [], columns, lock: null }, noCaller, [id])
  if (row === undefined) return {}
  return Object.fromEntries(columns.map(({ field, type }, index) => [field, dialect.decode(row[2 + index]!, type)]))
}

export const isSourceOf = (field: string, { tenants }: ResourceModel): boolean =>
  tenants.some((column) => sourceOf(column) === field)

const sourceOf = ({ spec }: Column): string | undefined => (spec as OneSpec).from
