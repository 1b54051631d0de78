// Keys: PUT that creates or replaces, and references by key.

import { actorOf, type Requester } from '../actor.ts'
import type { Problem } from '../field/field.ts'
import { kindOf } from '../field/registry.ts'
import type { OneSpec } from '../field/relation.ts'
import { capitalised } from '../naming/casing.ts'
import type { Column, KeyModel } from './column.ts'
import type { Accepted, ActionModel, Relation, ResourceModel } from './model.ts'

export interface KeyName {
  readonly key: KeyModel
  readonly sent: readonly unknown[]
  readonly names: readonly string[]
}

/** Null if clients lack either, or cannot send the key to create, or if only some records have such a key. */
export function upsertActions(
  { actions }: ResourceModel,
  { columns, where }: KeyModel,
): { readonly create: ActionModel; readonly update: ActionModel } | null {
  const [create, update] = ['create', 'update'].map((name) => actions.get(name))
  if (
    where !== null ||
    create === undefined ||
    update === undefined ||
    create.allow.rule === 'nobody' ||
    update.allow.rule === 'nobody'
  )
    return null
  return columns.every((column) => create.accept.some((each) => each.column === column)) ? { create, update } : null
}

export const upsertKeys = (resource: ResourceModel): readonly KeyModel[] =>
  resource.keys.filter((key) => upsertActions(resource, key) !== null)

/** Those by which they can upsert many at once. */
export const manyUpsertKeys = (resource: ResourceModel): readonly KeyModel[] =>
  resource.batch ? upsertKeys(resource) : noKeys

/** Without the tenant column, which the library adds. */
export const ownColumns = ({ columns, tenant }: KeyModel): readonly Column[] =>
  columns.filter((column) => column !== tenant)

/** Null if the key is unique in the service. */
export const tenantOf = ({ relations }: ResourceModel, { tenant }: Pick<KeyModel, 'tenant'>): ResourceModel | null =>
  tenant === null ? null : relations.get(tenant.field)!.target

/** The caller's tenant if the key counts in it and the caller is an API key of it; otherwise null. (contract 11.2.32) */
export function ownTenant(resource: ResourceModel, key: Pick<KeyModel, 'tenant'>, requester: Requester): string | null {
  const own = actorOf(requester)?.tenant
  return own !== undefined && tenantOf(resource, key)?.name === own.resource ? own.id : null
}

/** Why a key without its tenant names no record; null if it has one. */
export const tenantProblem = ({ key: { tenant, columns }, sent }: Pick<KeyName, 'key' | 'sent'>): string | null =>
  tenant !== null && sent[columns.indexOf(tenant)] === null ? leftOutTenant : null

export const leftOutTenant = 'Is required, except of an API key of the tenant.'

/** `ExternalId`, `RegionAndCode`. */
export const keyTitle = (key: KeyModel, nameOf: (field: string) => string = (field) => field): string =>
  ownColumns(key)
    .map(({ field }) => capitalised(nameOf(field)))
    .join('And')

/** A key that is sent whole is as one of the service, whose tenant may be left out by an API key of it. (contract 11.2.33) */
export interface ReferenceKey extends KeyModel {
  readonly named?: Column
}

/** Keys by which an input may name the related record: unique in the service, or in a tenant that the record has. (contract 11.2.12) */
export function referenceKeys(
  { resource, kind }: ReferenceAction,
  { spec, field }: ReferenceField,
): readonly ReferenceKey[] {
  const relation = spec.kind === 'one' ? resource.relations.get(field) : undefined
  return relation === undefined ? noKeys : keysOfRelation({ resource, kind }, relation)
}

/** Likewise for elements of a list of links. (contract 13.1.25) */
export const keysOfRelation = (
  { resource, kind }: ReferenceAction,
  { target, field }: Pick<Relation, 'target' | 'field'>,
): readonly ReferenceKey[] =>
  target.keys.flatMap((key): readonly ReferenceKey[] => {
    const { tenant } = key
    if (tenant === null) return [key]
    if (kind === 'collection' || resource.tenants.every((each) => each.field !== tenant.field)) return []
    return tenantColumn(resource, field, key) === null ? [{ ...key, tenant: null, named: tenant }] : [key]
  })
type ReferenceAction = Pick<ActionModel, 'resource' | 'kind'>
type ReferenceField = Pick<Accepted, 'spec' | 'field'>
const noKeys: readonly KeyModel[] = []

/** The tenant column that resolves a key of the related record; null if there is none. */
export function tenantColumn(resource: ResourceModel, relation: string, { tenant }: KeyModel): Column | null {
  const own = resource.tenants.find(({ field }) => field === tenant?.field)
  return own === undefined || own.field === relation || (own.spec as OneSpec).from === relation ? null : own
}

/**
 * Why a key value cannot be part of an address: proxies treat `.` and `..` as path steps, and change or refuse control
 * characters. (contract 11.2.13)
 */
export const addressProblem = (value: unknown): string | null =>
  typeof value === 'string' && /^\.{1,2}$|\p{Cc}/u.test(value)
    ? 'A value of a key is not . or .., and has no control characters.'
    : null

export const isOfKey = ({ keys }: Pick<ResourceModel, 'keys'>, column: Column): boolean =>
  keys.some(({ columns }) => columns.includes(column))

/** Null if one is invalid, which is reported with its column. */
export function keyValues(
  { key, sent }: Pick<KeyName, 'key' | 'sent'>,
  problem: (column: number, message: string) => void = () => {},
): readonly unknown[] | null {
  let fits = true
  const values = key.columns.map(({ spec }, at) => {
    const report: Problem = (_, message) => {
      fits = false
      problem(at, message)
    }
    if (sent[at] === null) return report('', 'Must not be null.')
    const value = kindOf(spec).check(spec, sent[at], report, (part) => part)
    const wrong = addressProblem(value)
    return wrong === null ? value : report('', wrong)
  })
  return fits ? values : null
}
