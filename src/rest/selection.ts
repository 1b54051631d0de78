// Which fields of a record a client names. (contract 4.3.2)

import { fieldsOf } from '../action/record-selection.ts'
import type { Detail } from '../failure/failure.ts'
import type { FieldModel, ResourceModel } from '../resource/model/model.ts'
import type { Vocabulary } from '../resource/model/vocabulary.ts'

/**
 * The fields that `fields=id,title` names, in the order of the definition: asked in any order, they are one selection.
 * Adds to `problems` what is no field, named twice or not named at all.
 */
export function readFields(
  text: string,
  resource: ResourceModel,
  vocabulary: Vocabulary,
  problems: Detail[],
): readonly FieldModel[] {
  const byName = new Map(fieldsOf(resource).map((field) => [vocabulary.name(resource, field.name), field]))
  const chosen = new Set<FieldModel>()
  for (const name of text.split(',')) {
    const field = byName.get(name)
    if (field === undefined) problems.push({ field: 'fields', message: unknownField(name, resource) })
    else if (chosen.has(field)) problems.push({ field: 'fields', message: `Names ${name} twice.` })
    else chosen.add(field)
  }
  return [...byName.values()].filter((field) => chosen.has(field))
}

const unknownField = (name: string, resource: ResourceModel): string =>
  name === '' ? 'Must be names of fields with commas between them.' : `There is no field ${name} in ${resource.path}.`
