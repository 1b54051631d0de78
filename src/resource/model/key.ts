// What can be done by a key: whether PUT at its address creates or replaces, and what a name in it means.

import type { Problem } from '../field/field.ts'
import { kindOf } from '../field/registry.ts'
import type { OneSpec } from '../field/relation.ts'
import { capitalised } from '../naming/casing.ts'
import type { Column, KeyModel } from './column.ts'
import type { Accepted, ActionModel, ResourceModel } from './model.ts'

/** A record named by one of its keys, as a client did. */
export interface KeyName {
  readonly key: KeyModel
  /** A value as JSON has it for each column of the key, not yet checked. */
  readonly sent: readonly unknown[]
}

/** The create and the update of an upsert; null where clients have not both, or cannot send the key to create. */
export function upsertActions(
  { actions }: ResourceModel,
  { columns }: KeyModel,
): { readonly create: ActionModel; readonly update: ActionModel } | null {
  const [create, update] = ['create', 'update'].map((name) => actions.get(name))
  if (create === undefined || update === undefined || create.allow.rule === 'nobody' || update.allow.rule === 'nobody')
    return null
  return columns.every((column) => create.accept.some((each) => each.column === column)) ? { create, update } : null
}

/** Whether a record can be created or replaced by any key. */
export const hasUpsert = (resource: ResourceModel): boolean =>
  resource.keys.some((key) => upsertActions(resource, key) !== null)

/** The columns that the definition names. */
export const ownColumns = ({ columns, tenant }: KeyModel): readonly Column[] =>
  columns.filter((column) => column !== tenant)

/** The tenants within which a key counts; null where it counts everywhere. */
export const tenantOf = ({ relations }: ResourceModel, { tenant }: KeyModel): ResourceModel | null =>
  tenant === null ? null : relations.get(tenant.field)!.target

/** `ExternalId`, `RegionAndCode`. */
export const keyTitle = (key: KeyModel): string =>
  ownColumns(key)
    .map(({ field }) => capitalised(field))
    .join('And')

/**
 * The keys by which an input of this action may name the record of a relation: those that count everywhere, and those that
 * count in a tenant that the record itself is in, and has not from this very relation. (contract 11.2.12)
 */
export function referenceKeys(
  { resource, kind }: ReferenceAction,
  { spec, field }: ReferenceField,
): readonly KeyModel[] {
  const relation = spec.kind === 'one' ? resource.relations.get(field) : undefined
  if (relation === undefined) return noKeys
  return relation.target.keys.filter(
    (key) => key.tenant === null || (kind !== 'collection' && tenantColumn(resource, field, key) !== null),
  )
}
type ReferenceAction = Pick<ActionModel, 'resource' | 'kind'>
type ReferenceField = Pick<Accepted, 'spec' | 'field'>
const noKeys: readonly KeyModel[] = []

/** The tenant of a record, by which a key of what its relation names is resolved; null where it has none. */
export function tenantColumn(resource: ResourceModel, relation: string, { tenant }: KeyModel): Column | null {
  const own = resource.tenants.find(({ field }) => field === tenant?.field)
  return own === undefined || own.field === relation || (own.spec as OneSpec).from === relation ? null : own
}

/** The values as a record holds them; null where there is a problem, which is told with the place of its column. */
export function keyValues(
  { key, sent }: KeyName,
  problem: (column: number, message: string) => void = () => {},
): readonly unknown[] | null {
  let fits = true
  const values = key.columns.map(({ spec }, at) => {
    const tell: Problem = (_, message) => {
      fits = false
      problem(at, message)
    }
    return sent[at] === null ? tell('', 'Must not be null.') : kindOf(spec).check(spec, sent[at], tell, (part) => part)
  })
  return fits ? values : null
}
