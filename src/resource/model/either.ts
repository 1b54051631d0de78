// The relations of `either`, of which a record has one. (contract 11.6)

import { memoize } from '../../cache/memoize.ts'
import type { EitherSpec } from '../field/relation.ts'
import type { FieldModel, OneRelation, ResourceModel, WhereValue } from './model.ts'

export const isEitherField = (field: FieldModel | undefined): boolean => (field?.spec.kind as string) === 'either'

/** In the order of the definition; empty for other fields. */
export const branchesOf = (field: FieldModel, { relations }: ResourceModel): readonly OneRelation[] =>
  isEitherField(field) ? (field.spec as EitherSpec).of.map((name) => relations.get(name) as OneRelation) : []

/** Those of an `either`, or the one relation of this name. */
export const branchesNamed = (name: string, resource: ResourceModel): readonly OneRelation[] => {
  const relation = resource.relations.get(name) as OneRelation | undefined
  return relation === undefined ? branchesOf(resource.fields.get(name)!, resource) : [relation]
}

/** The id that the record has in one of them; null if in none. */
export const idIn = (branches: readonly OneRelation[], record: Readonly<Record<string, unknown>>): string | null => {
  const branch = branches.find(({ field }) => record[field] != null)
  return branch === undefined ? null : (record[branch.field] as string)
}

/** The relation that an id belongs to by its prefix; the first if to none, where no record has it. An id that is missing is refused later. */
export const branchOf = (id: string | undefined, branches: readonly OneRelation[]): OneRelation =>
  branches.find(({ target }) => id?.startsWith(`${target.prefix}_`)) ?? branches[0]!

interface EitherModel {
  readonly field: string
  readonly branches: readonly OneRelation[]
  readonly isOptional: boolean
}
/** Of a compiled resource. */
export const eitherFieldsOf = memoize((resource: ResourceModel): readonly EitherModel[] =>
  [...resource.fields.values()].flatMap((field) => {
    const branches = branchesOf(field, resource)
    return branches.length === 0 ? [] : [{ field: field.name, branches, isOptional: field.spec.optional === true }]
  }),
)

/** What conditions test of it, by the names of the definition: its id and its type. (contract 11.6.8) */
export function eitherValues(
  { name, spec }: FieldModel,
  branches: readonly WhereValue[],
): readonly (readonly [string, WhereValue])[] {
  const common = { ...branches[0]!, tests: new Set(['is', 'oneOf'] as const) }
  const types = { kind: 'choice', values: (spec as EitherSpec).types }
  return [
    [name, { ...common, spec: { kind: 'one' }, either: { field: name, part: 'id', branches } }],
    [`${name}Type`, { ...common, spec: types, either: { field: name, part: 'type', branches } }],
  ]
}
