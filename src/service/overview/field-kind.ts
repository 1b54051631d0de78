// Describes a field briefly: `text, at most 200 characters`.

import type { SpecBase } from '../../resource/field/field.ts'
import { kindOf, valueSchema } from '../../resource/field/registry.ts'
import { branchesOf, isEitherField } from '../../resource/model/either.ts'
import type { FieldModel, ResourceModel } from '../../resource/model/model.ts'
import { ruleSentence } from '../../resource/model/rule/rule-sentence.ts'
import { asDefined } from '../../resource/model/vocabulary.ts'

export function fieldKind(field: FieldModel, resource: ResourceModel): string {
  const { name, spec, column } = field
  const relation = resource.relations.get(name)
  if (relation !== undefined) return relation.kind === 'one' ? relation.target.name : `list of ${relation.target.name}`
  if (name === 'id') return 'id'
  if (isEitherField(field))
    return branchesOf(field, resource)
      .map(({ target }) => target.name)
      .join(' or ')
  if (column === null) return 'computed'
  return [spec.kind, ...limitsOf(spec)].join(', ')
}

function limitsOf(spec: SpecBase): readonly string[] {
  const { column } = kindOf(spec)
  if (column === null) return []
  const { enum: values, maxLength, maxItems, minimum, maximum } = valueSchema(spec, true, asDefined.part) as Limits
  if (values !== undefined) return [values.filter((each) => each !== null).join(', ')]
  return [
    ...(spec.kind !== 'text' || maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...rangeOf(minimum, maximum),
  ]
}
interface Limits {
  readonly enum?: readonly unknown[]
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): readonly string[] {
  if (minimum === undefined && maximum === undefined) return []
  if (maximum === undefined) return [`${minimum} or more`]
  return [minimum === undefined ? `${maximum} or less` : `${minimum} to ${maximum}`]
}

export function fieldNotes({ name, spec, column }: FieldModel, resource: ResourceModel): readonly string[] {
  const { read, write } = resource.protect.get(name) ?? {}
  const isFiltered = [...resource.namedFilters.values()].some(({ column, either }) => (either ?? column).field === name)
  return [
    ...(spec.optional === true ? ['optional'] : []),
    ...(column?.unique === true ? ['unique'] : []),
    ...(isFiltered ? ['filter'] : []),
    ...(resource.sorts.has(name) ? ['sort'] : []),
    ...(read === undefined ? [] : [`read by: ${ruleSentence(read, resource, asDefined.name)}`]),
    ...(write === undefined ? [] : [`written by: ${ruleSentence(write, resource, asDefined.name)}`]),
  ]
}
