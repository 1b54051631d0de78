// A face's names for the fields of a resource, in one version. Code below the faces uses field names only.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import { memoize } from '../../cache/memoize.ts'
import type { PartName, SpecBase } from '../field/field.ts'
import { capitalised, isPart, snake } from '../naming/casing.ts'
import { singular } from '../naming/plural.ts'
import type { LinkRelation, ManyRelation, ResourceModel, ValuePath, VersionModel } from './model.ts'

export interface Vocabulary {
  name(resource: ResourceModel, field: string): string
  relation(resource: ResourceModel, field: string): string
  field(resource: ResourceModel, name: string): string | undefined
  /** `assignee.name`. */
  path(holder: ResourceModel, path: ValuePath): string
  /** One name of a face: `assignee_name`, `assigneeName`. */
  joined(holder: ResourceModel, path: ValuePath): string
  /** The name of the related record, whose id `name` names. (contract 11.2.12) */
  record(resource: ResourceModel, relation: string): string
  /** The name of a list in inputs: `lines`, or for linked ids `tag_ids`. (contract 13.1) */
  list(resource: ResourceModel, relation: ManyRelation | LinkRelation): string
  filter(resource: ResourceModel, filter: string): string
  /** The names of an `either` in inputs, and of its id and its type in filters and conditions. (contract 11.6) */
  either(resource: ResourceModel, field: string): { readonly input: string; readonly id: string; readonly type: string }
  readonly part: PartName
  /** Older names that conditions accept too. (contract 9.2.3) */
  readonly older?: readonly Vocabulary[]
}

export const asDefined: Vocabulary = {
  name: (_, field) => field,
  relation: (_, field) => field,
  field: (_, name) => name,
  path: (_, path) => path.name,
  joined: (_, path) => path.name,
  record: (_, relation) => relation,
  list: (_, { field }) => field,
  filter: (_, filter) => filter,
  either: (_, field) => ({ input: field, id: `${field}Id`, type: `${field}Type` }),
  part: (part) => part,
}

function isRelation(spec: SpecBase | undefined): boolean {
  const inner = spec?.kind === 'argument' ? (spec as SpecBase & { readonly of: SpecBase }).of : spec
  return inner?.kind === 'one'
}

/** snake_case, `author_id` for a relation. (contract 2.1.3, 9.1.2) */
export const restVocabulary = (version: VersionModel): Vocabulary =>
  vocabulary(
    (field, spec) => (isRelation(spec) ? `${snake(field)}_id` : snake(field)),
    (resource) => resource.olderNames.get(version.name),
    (steps) => steps.join('_'),
    ({ value }) => value,
  )

/** camelCase, `authorId` for a relation in inputs and filters. (contract 2.1.3, 9.2.3) */
export const graphqlVocabulary = (version?: VersionModel): Vocabulary =>
  vocabulary(
    (field, spec) => (isRelation(spec) ? `${field}Id` : field),
    (resource) => (version === undefined ? undefined : resource.olderNames.get(version.name)),
    ([first, ...rest]) => [first, ...rest.map(capitalised)].join(''),
    ({ id }) => id,
  )

function vocabulary(
  written: (field: string, spec: SpecBase | undefined) => string,
  older: (resource: ResourceModel) => ReadonlyMap<string, string> | undefined,
  join: (steps: readonly string[]) => string,
  sent: (names: { readonly value: string; readonly id: string }) => string,
): Vocabulary {
  const fieldsByResource = new WeakMap<ResourceModel, Map<string, string>>()
  const namesByResource = new WeakMap<ResourceModel, Map<string, string>>()
  // Every write reads these names.
  const name = (resource: ResourceModel, field: string): string =>
    namesByResource.get(resource)?.get(field) ?? nameFirst(resource, field)
  const nameFirst = (resource: ResourceModel, field: string): string => {
    const spec = specOf(resource, field)
    if (isPart(field)) return partName(resource, field, spec)
    const old = older(resource)?.get(field)
    const its = written(old ?? field, spec)
    if (spec !== undefined) getOrInsert(namesByResource, resource, () => new Map()).set(field, its)
    return its
  }
  const partName = (resource: ResourceModel, path: string, spec: SpecBase | undefined): string => {
    const [field, ...parts] = path.split('.')
    const inner = parts.map((part, at) => written(part, at === parts.length - 1 ? spec : undefined))
    return [name(resource, field!), ...inner].join('.')
  }
  const fields = (resource: ResourceModel) =>
    getOrInsert(fieldsByResource, resource, () => {
      const stored = resource.columns.map((each) => each.field)
      const all = new Set([...stored, ...resource.fields.keys(), ...accepted(resource).keys()])
      return new Map([...all].map((field) => [name(resource, field), field]))
    })
  const either: Vocabulary['either'] = (resource, field) => {
    const its = older(resource)?.get(field) ?? field
    const id = written(its, { kind: 'one' })
    return { input: sent({ value: written(its, undefined), id }), id, type: written(`${its}Type`, undefined) }
  }
  const record: Vocabulary['record'] = (resource, relation) =>
    written(older(resource)?.get(relation) ?? relation, undefined)
  const stepsOf = (holder: ResourceModel, { list, relations, resource, column }: ValuePath): readonly string[] => {
    const all = list === null ? relations : [list, ...relations]
    // The step after a relation names the record, not its id.
    const steps = all.map((relation, at) => record(at === 0 ? holder : all[at - 1]!.target, relation.field))
    return [...steps, ...name(resource, column.field).split('.')]
  }
  return {
    name,
    relation: (resource, field) => written(older(resource)?.get(field) ?? field, undefined),
    field: (resource, wire) => fields(resource).get(wire),
    path: (holder, path) => stepsOf(holder, path).join('.'),
    joined: (holder, path) => join(stepsOf(holder, path)),
    record,
    list: (resource, { kind, field }) =>
      kind === 'many' ? record(resource, field) : written(`${singular(field)}Ids`, undefined),
    filter: (resource, filter) => {
      const { test, column, value, either: of } = resource.namedFilters.get(filter)!
      if (of !== undefined) return either(resource, of.field)[of.part]
      return test === 'is' ? name(resource, column.field) : written(filter, value)
    },
    either,
    part: written,
  }
}

const specOf = (resource: ResourceModel, field: string): SpecBase | undefined =>
  resource.column.get(field)?.spec ?? resource.fields.get(field)?.spec ?? accepted(resource).get(field)

const accepted = memoize(
  ({ actions }: ResourceModel): ReadonlyMap<string, SpecBase> =>
    new Map([...actions.values()].flatMap(({ accept }) => accept.map(({ field, spec }) => [field, spec] as const))),
)
