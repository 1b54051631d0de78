// The relations of `either`, of which a record has one. (contract 11.6)

import { getOrInsert } from '../../cache/get-or-insert.ts'
import type { EitherSpec } from '../field/relation.ts'
import type { FieldModel, OneRelation, ResourceModel } from './model.ts'

export const isEitherField = (field: FieldModel): boolean => (field.spec.kind as string) === 'either'

/** In the order of the definition; empty for other fields. */
export const branchesOf = (field: FieldModel, { relations }: ResourceModel): readonly OneRelation[] =>
  isEitherField(field) ? (field.spec as EitherSpec).of.map((name) => relations.get(name) as OneRelation) : []

interface EitherModel {
  readonly branches: readonly OneRelation[]
  readonly isOptional: boolean
}
/** Of a compiled resource. */
export const eitherFieldsOf = (resource: ResourceModel): readonly EitherModel[] =>
  getOrInsert(eitherFields, resource, () =>
    [...resource.fields.values()].flatMap((field) => {
      const branches = branchesOf(field, resource)
      return branches.length === 0 ? [] : [{ branches, isOptional: field.spec.optional === true }]
    }),
  )
const eitherFields = new WeakMap<ResourceModel, readonly EitherModel[]>()
