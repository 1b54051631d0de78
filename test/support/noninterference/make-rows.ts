// Random records for any service: every field a value of its kind, from few enough values that many are equal.

import { newRecord } from '../../../src/action/row/record.ts'
import type { SpecBase } from '../../../src/resource/field/field.ts'
import type { OneSpec } from '../../../src/resource/field/relation.ts'
import type { Column } from '../../../src/resource/model/column.ts'
import { eitherFieldsOf } from '../../../src/resource/model/either.ts'
import type { Model, OneRelation, ResourceModel } from '../../../src/resource/model/model.ts'
import { tenantRelations } from '../../../src/resource/model/tenant/tenant-key.ts'
import type { Random } from '../oracle/random.ts'
import { isWhole } from './either.ts'
import { intervalsOf, type LinkRow, linkRelations, type Row, type Rows } from './rows.ts'

/** When the records were made. */
export const recordsBegin = Date.UTC(2026, 10, 1)
/** When requests begin; all of them are made within a second, so that no rule changes its mind. */
export const comparedAt = new Date(recordsBegin + 86_400_000)
const words = ['alpha', 'Beta', 'gamma', 'Ünder', 'zeta', '日本']
const base32 = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ']

export interface MakeOptions {
  /** How many records of each resource; of accounts fewer. */
  readonly count: number
  /** Begins unique values, so that those of different makers never meet. */
  readonly name: string
}

/** Some of them are deleted, with all that goes with them. */
export function makeRows(model: Model, random: Random, { count, name }: MakeOptions): Rows {
  const records = new Map<string, Row>()
  for (const of of inOrderOfNeed(model)) {
    const isAccount = of === model.accounts.resource
    for (let at = 0; at < (isAccount ? Math.ceil(count / 2) : count); at++) {
      const row = makeRow(of, { records, random, unique: `${name}-${at}` })
      if (row !== null) records.set(row.id, row)
    }
  }
  // What stands for an outside person is there and may sign in.
  const { resource, status, activeState } = model.accounts
  const accounts = [...records.values()].filter((row) => row.of === resource)
  for (const row of accounts.slice(0, 4)) records.set(row.id, withValue(row, status, activeState))
  const rows: Rows = { records, links: makeLinks(model, records, random) }
  const ids = [...records.keys()].filter((id) => !accounts.slice(0, 4).some((row) => row.id === id))
  return random.some(ids, Math.ceil(ids.length / 10)).reduce((left: Rows, id) => deleteRow(left, id), rows)
}

export const withValue = (row: Row, { field }: Column, value: unknown): Row => ({
  ...row,
  values: { ...row.values, [field]: value },
})

export interface RowChoices {
  readonly records: ReadonlyMap<string, Row>
  readonly random: Random
  readonly unique: string
}

/** A new record; null where it requires one of a resource that has none. */
export function makeRow(of: ResourceModel, choices: RowChoices): Row | null {
  const { random } = choices
  const id = `${of.prefix}_0${Array.from({ length: 25 }, () => random.one(base32)).join('')}`
  const values: Record<string, unknown> = {}
  for (const column of of.columns) {
    if (column.secret || column.field === 'id') continue
    // A key with a limit of its own would be refused after a few requests.
    if (of.name === 'ApiKey' && column.field === 'requestsPerHour') {
      values[column.field] = null
      continue
    }
    const value = makeValue(column, choices)
    if (value === undefined) return null
    values[column.field] = value
  }
  inherit(of, values, choices)
  if (of.name === 'ApiKey') belong(of, values, choices)
  for (const { branches } of eitherFieldsOf(of)) keepOne(branches, values, random)
  if (!isWhole(of, values)) return null
  if (collides(of, values, choices)) return null
  const at = new Date(recordsBegin + random.below(6) * 3_600_000)
  const row = {
    of,
    id,
    isDeleted: false,
    values: { ...newRecord(of, id, values, at), ...values, createdAt: at, updatedAt: at },
  }
  return overlaps(row, choices) ? null : row
}

function keepOne(branches: readonly OneRelation[], values: Record<string, unknown>, random: Random): void {
  const set = branches.filter(({ field }) => values[field] != null)
  if (set.length === 0) return
  const kept = random.one(set)
  for (const { field } of branches) if (field !== kept.field) values[field] = null
}

/** The tenants that a record has from the one that it is within. */
function inherit({ tenants }: ResourceModel, values: Record<string, unknown>, { records }: RowChoices): void {
  for (const { field, spec } of tenants) {
    const { from } = spec as OneSpec
    if (from !== undefined) values[field] = records.get(values[from] as string)!.values[field]
  }
}

/** A key belongs to an account, or to a tenant with a role of its members. */
function belong(keys: ResourceModel, values: Record<string, unknown>, { records, random }: RowChoices): void {
  const relations = tenantRelations(keys)
  const chosen = random.chance(0.6) ? random.one(relations) : undefined
  const tenant = chosen && livingOf(chosen.target, records, random)
  for (const { field } of relations) values[field] = field === chosen?.field ? (tenant?.id ?? null) : null
  if (relations.length > 0) values['role'] = tenant === undefined ? null : roleOf(tenant, random)
  if (tenant !== undefined) values['user'] = null
  values['scopes'] = random.one([['*'], ['read:*'], narrowScopes(records, random)])
  values['expiresAt'] = null
}

/** To read some resources, and perhaps to write these. */
function narrowScopes(records: RowChoices['records'], random: Random): readonly string[] {
  const resources = new Set([...records.values()].map(({ of }) => of))
  // One that it may read names, is named by or linked to one that it may not.
  const leading = [...resources].flatMap((of) =>
    [...of.relations.values()].flatMap(({ target, kind }) =>
      target === of
        ? []
        : Array<readonly [ResourceModel, ResourceModel]>(kind === 'manyToMany' ? 3 : 1).fill([of, target]),
    ),
  )
  const [inside, outside] = random.one(leading) ?? []
  return [...resources].flatMap((each) => {
    const { path, actions } = each
    if (each === outside || (each !== inside && random.chance(0.5))) return []
    const verbs = random.chance(0.5) ? [...actions.keys()].filter((verb) => verb !== 'read') : []
    return ['read', ...verbs].map((verb) => `${verb}:${path}`)
  })
}

const livingOf = (of: ResourceModel, records: RowChoices['records'], random: Random): Row | undefined =>
  random.one([...records.values()].filter((row) => row.of === of && !row.isDeleted))

/** A role that members of such a tenant can have. */
function roleOf({ of }: Row, random: Random): unknown {
  const lists = [...of.relations.values()].filter(({ kind }) => kind === 'many')
  const roles = lists.flatMap(({ target }) => (target.column.get('role')?.spec as Spec | undefined)?.values ?? [])
  return roles.length === 0 ? null : random.one(roles)
}

/** Whether another record has the same values where fields are unique together. */
const collides = (of: ResourceModel, values: Readonly<Record<string, unknown>>, { records }: RowChoices): boolean =>
  of.uniques.some(
    ({ stored }) =>
      stored.length > 1 &&
      stored.every(({ field }) => values[field] !== null) &&
      [...records.values()].some(
        (row) => row.of === of && stored.every(({ field }) => row.values[field] === values[field]),
      ),
  )

/** Whether it takes nothing, or what another record has of it. */
function overlaps(row: Row, { records }: RowChoices): boolean {
  const own = intervalsOf(row)
  const others = own.length === 0 ? [] : [...records.values()].filter(({ of }) => of === row.of).flatMap(intervalsOf)
  return own.some(
    ({ key, start, end }) =>
      start >= end || others.some((each) => each.key === key && each.start < end && start < each.end),
  )
}

/** Undefined where a required relation has nothing to lead to. */
export function makeValue(column: Column, { records, random, unique }: RowChoices): unknown {
  if (column.nullable && random.chance(0.3)) return null
  if (column.unique) return isEmail(column.spec) ? `${unique}@example.com` : unique
  if (column.field === 'createdAt' || column.field === 'updatedAt') return new Date(recordsBegin)
  return makeSpecValue(column.spec, records, random)
}

/** What the making of values must know of a specification, whatever its kind. */
type Spec = SpecBase & {
  readonly values?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly of?: SpecBase
  readonly fields?: Readonly<Record<string, SpecBase>>
  readonly target?: string
  readonly format?: string
}

export function makeSpecValue(spec: Spec, records: ReadonlyMap<string, Row>, random: Random): unknown {
  const { kind, format, min = 0, max = 1_000 } = spec
  switch (format ?? kind) {
    case 'choice':
    case 'state':
      return random.one(spec.values!)
    case 'integer':
      return min + random.below(Math.min(5, max - min + 1))
    case 'boolean':
      return random.chance(0.5)
    case 'timestamp':
      return new Date(recordsBegin + random.below(6) * 3_600_000)
    case 'email':
      // As some accounts have it.
      return `user-${random.below(6)}@example.com`
    case 'url':
      return `https://example.com/${random.below(3)}`
    case 'currency':
      return random.one(['EUR', 'USD'])
    case 'scope':
      return 'read:*'
    case 'json':
      return { theme: random.one(words) }
    case 'list': {
      const size = min + random.below(Math.min(3, max - min + 1))
      const values = Array.from({ length: size }, () => makeSpecValue(spec.of!, records, random))
      return values.includes(undefined) ? undefined : values
    }
    case 'object': {
      const parts = Object.entries(spec.fields!).map(([part, of]) => [part, makeSpecValue(of, records, random)])
      return parts.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(parts)
    }
    case 'one': {
      const targets = [...records.values()].filter((row) => row.of.name === spec.target && !row.isDeleted)
      return targets.length === 0 ? (spec.optional ? null : undefined) : random.one(targets).id
    }
    default:
      return random.one(words).slice(0, max)
  }
}

/** Resources after those that their required relations lead to, as far as there is no ring; keys last, whose scopes name all others. */
function inOrderOfNeed(model: Model): readonly ResourceModel[] {
  const ordered = new Set<ResourceModel>()
  function visit(resource: ResourceModel, path: readonly ResourceModel[]): void {
    if (ordered.has(resource) || path.includes(resource)) return
    for (const relation of resource.relations.values())
      if (relation.kind === 'one') visit(relation.target, [...path, resource])
    ordered.add(resource)
  }
  const [keys, others] = [true, false].map((isKey) =>
    model.resources.filter(({ name }) => (name === 'ApiKey') === isKey),
  )
  for (const resource of [...others!, ...keys!]) visit(resource, [])
  return [...ordered]
}

function makeLinks(model: Model, records: ReadonlyMap<string, Row>, random: Random): readonly LinkRow[] {
  const links: LinkRow[] = []
  for (const relation of linkRelations(model)) {
    const idsOf = (of: ResourceModel) => [...records.values()].filter((row) => row.of === of).map(({ id }) => id)
    const targets = idsOf(relation.link.target)
    for (const source of idsOf(relation.link.source))
      for (const target of targets.length === 0 ? [] : random.some(targets, 4))
        if (source !== target) links.push({ relation, source, target })
  }
  return links
}

/** The rows after this one was deleted: with it goes what requires it, what may do without it forgets it. */
export function deleteRow(rows: Rows, id: string): Rows {
  const records = new Map(rows.records)
  const waiting = [id]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const row = records.get(next)!
    if (row.isDeleted) continue
    records.set(next, { ...row, isDeleted: true })
    for (const { holder, relation } of row.of.referrers)
      for (const other of records.values()) {
        if (other.of !== holder || other.isDeleted || other.values[relation.field] !== next) continue
        if (relation.onDelete === 'clear') records.set(other.id, withValue(other, relation.column, null))
        else waiting.push(other.id)
      }
  }
  const isLiving = (each: string) => !records.get(each)!.isDeleted
  return { records, links: rows.links.filter(({ source, target }) => isLiving(source) && isLiving(target)) }
}

export const isEmail = (spec: SpecBase): boolean => (spec as Spec).format === 'email'
