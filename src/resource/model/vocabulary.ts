// What one face, in one version, calls the fields of a resource. The runner speaks of fields; only vocabularies know names.

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { PartName, SpecBase } from '../field/field.ts'
import { singular, snake } from '../naming/casing.ts'
import type { LinkRelation, ManyRelation, ResourceModel, ValuePath, VersionModel } from './model.ts'

export interface Vocabulary {
  /** The name of a field as clients of this face send and see it. */
  name(resource: ResourceModel, field: string): string
  /** What a relation is called where it leads somewhere, and does not stand for an id. */
  relation(resource: ResourceModel, field: string): string
  /** The field that a client's name means, or undefined. */
  field(resource: ResourceModel, name: string): string | undefined
  /** The name of a value that a record leads to: `assignee.name`. */
  path(holder: ResourceModel, path: ValuePath): string
  /** The name of a relation's record itself: what `name` calls the id of. (contract 11.2.12) */
  record(resource: ResourceModel, relation: string): string
  /** What inputs call a list: `lines`, or the ids of what is linked, `tag_ids`. (contract 13.1) */
  list(resource: ResourceModel, relation: ManyRelation | LinkRelation): string
  /** The name of a filter of lists. */
  filter(resource: ResourceModel, filter: string): string
  /** The name of a part of an embedded object. */
  readonly part: PartName
}

/** The names of the definition, which authors write. */
export const asDefined: Vocabulary = {
  name: (_, field) => field,
  relation: (_, field) => field,
  field: (_, name) => name,
  path: (_, path) => path.name,
  record: (_, relation) => relation,
  list: (_, { field }) => field,
  filter: (_, filter) => filter,
  part: (part) => part,
}

/** An argument is called what it holds would be called. */
function isRelation(spec: SpecBase | undefined): boolean {
  const inner = spec?.kind === 'argument' ? (spec as SpecBase & { readonly of: SpecBase }).of : spec
  return inner?.kind === 'one'
}

/** snake_case, `author_id` for a relation, and the older names of that version. (contract 2.1.3, 9.1.2) */
export const restVocabulary = (version: VersionModel): Vocabulary =>
  vocabulary(
    (field, spec) => (isRelation(spec) ? `${snake(field)}_id` : snake(field)),
    (resource) => resource.olderNames.get(version.name),
  )

/** camelCase, `authorId` for a relation in inputs and filters. (contract 2.1.3) */
export const graphqlVocabulary = (): Vocabulary =>
  vocabulary(
    (field, spec) => (isRelation(spec) ? `${field}Id` : field),
    () => undefined,
  )

function vocabulary(
  written: (field: string, spec: SpecBase | undefined) => string,
  older: (resource: ResourceModel) => ReadonlyMap<string, string> | undefined,
): Vocabulary {
  const fieldsByResource = new WeakMap<ResourceModel, Map<string, string>>()
  const namesByResource = new WeakMap<ResourceModel, Map<string, string>>()
  // Every write asks for the names of what it accepts.
  const name = (resource: ResourceModel, field: string): string =>
    namesByResource.get(resource)?.get(field) ?? nameFirst(resource, field)
  const nameFirst = (resource: ResourceModel, field: string): string => {
    const old = older(resource)?.get(field)
    const spec = specOf(resource, field)
    const its = written(old ?? field, spec)
    if (spec !== undefined) getOrInsert(namesByResource, resource, () => new Map()).set(field, its)
    return its
  }
  const fields = (resource: ResourceModel) =>
    getOrInsert(fieldsByResource, resource, () => {
      const stored = resource.columns.map((each) => each.field)
      const all = new Set([...stored, ...resource.fields.keys(), ...accepted(resource).keys()])
      return new Map([...all].map((field) => [name(resource, field), field]))
    })
  const record: Vocabulary['record'] = (resource, relation) =>
    written(older(resource)?.get(relation) ?? relation, undefined)
  return {
    name,
    relation: (resource, field) => written(older(resource)?.get(field) ?? field, undefined),
    field: (resource, wire) => fields(resource).get(wire),
    path: (holder, { list, relations, resource, column }) => {
      const all = list === null ? relations : [list, ...relations]
      const steps = all.map((relation, at) => {
        const of = at === 0 ? holder : all[at - 1]!.target
        // What follows is of the record that it names, and not its id.
        return record(of, relation.field)
      })
      return [...steps, name(resource, column.field)].join('.')
    },
    record,
    list: (resource, { kind, field }) =>
      kind === 'many' ? record(resource, field) : written(`${singular(field)}Ids`, undefined),
    filter: (resource, filter) => {
      const { test, column, value } = resource.filters.get(filter)!
      return test === 'is' ? name(resource, column.field) : written(filter, value)
    },
    part: written,
  }
}

const specOf = (resource: ResourceModel, field: string): SpecBase | undefined =>
  resource.column.get(field)?.spec ?? resource.fields.get(field)?.spec ?? accepted(resource).get(field)

/** What actions accept, arguments among it, which no record holds. */
const accepted = (resource: ResourceModel): ReadonlyMap<string, SpecBase> =>
  getOrInsert(
    acceptedOf,
    resource,
    ({ actions }) =>
      new Map([...actions.values()].flatMap(({ accept }) => accept.map(({ field, spec }) => [field, spec] as const))),
  )
const acceptedOf = new WeakMap<ResourceModel, ReadonlyMap<string, SpecBase>>()
